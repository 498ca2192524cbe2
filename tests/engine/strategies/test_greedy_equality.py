"""Law 8: verified copying returns exactly the greedy decoding of the same prompt. Random weights, float32."""

import contextlib

import pytest
import torch

from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import OutputRejected
from copyspan.models.prompt import RewritePrompt, rewrite_prompt
from copyspan.models.transformers import TransformersModel
from copyspan.strategies.context import Meter, Run
from copyspan.strategies.transcript import Transcript
from copyspan.strategies.verify import VerifiedDecoder
from tiny_lm import tiny_model

DOCUMENT = (
    "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n"
)


class _Kept(VerifiedDecoder):
    """Keeps the transcript of an answer that is refused: random weights rarely end one."""

    transcript: Transcript

    def _decode(self, transcript: Transcript, *rest: object) -> None:
        self.transcript = transcript
        super()._decode(transcript, *rest)  # type: ignore[arg-type]


def decoded(model: TransformersModel, prompt: RewritePrompt, scope: LineRange, limit: int) -> tuple[list[int], int]:
    """The tokens of the answer and the forwards it took."""
    meter = Meter()
    decoder = _Kept(Run(model, lambda: False, lambda event: None, meter, limit), prompt, scope)
    with contextlib.suppress(OutputRejected):
        decoder.greedy()
    return [step.token for step in decoder.transcript.steps], meter.forwards


def test_it_equals_generate_of_transformers() -> None:
    snapshot = Snapshot(DOCUMENT)
    num_tokens = 0
    for model in map(tiny_model, range(6)):
        prompt = rewrite_prompt(model.tokenizer, snapshot, snapshot.all_lines, "rename it", "shop.py")
        tokens, _ = decoded(model, prompt, snapshot.all_lines, limit=40)
        plain = model._model.generate(
            torch.tensor([prompt.ids]),
            max_new_tokens=len(tokens),
            do_sample=False,
            eos_token_id=sorted(model.tokenizer.end_tokens),
            pad_token_id=0,
        )[0, len(prompt.ids) :].tolist()
        assert plain == tokens
        num_tokens += len(tokens)
    assert num_tokens > 100  # some random weights end their answer early, not all


@pytest.mark.parametrize("seed", [10, 20, 30])
def test_a_source_that_the_model_agrees_with_changes_only_the_count_of_forwards(seed: int) -> None:
    """The model's own greedy text as the draft: all of it is accepted, in a fraction of the forwards."""
    snapshot = Snapshot(DOCUMENT)
    for model in map(tiny_model, range(seed, seed + 10)):
        prompt = rewrite_prompt(model.tokenizer, snapshot, snapshot.all_lines, "rename it", "shop.py")
        tokens, slow = decoded(model, prompt, snapshot.all_lines, limit=60)
        if len(tokens) > 60:  # some random weights end their answer at once
            break
    text = b"".join(model.tokenizer.vocabulary[t] or b"" for t in tokens)
    foreseen = RewritePrompt(prompt.ids, tuple(tokens), text, prompt.fence)
    again, fast = decoded(model, foreseen, LineRange(0, 0), limit=60)
    assert len(tokens) > 60
    assert again[: len(tokens)] == tokens
    assert slow > 0.9 * len(tokens)  # next to nothing of the document was copied
    assert fast < len(again) - len(tokens) / 2
