"""The real 0.5B model: what random weights and scripts cannot show. Counts and bytes are asserted, never times."""

from pathlib import Path

import pytest
import torch

from copyspan.edits.text import LineRange, Snapshot
from copyspan.engine import EditRequest, Engine
from copyspan.errors import OutputRejected
from copyspan.models.prompt import rewrite_prompt
from copyspan.models.transformers import TransformersModel
from copyspan.models.weights import fetch
from copyspan.strategies.context import Meter, Run
from copyspan.strategies.verify import VerifiedDecoder
from real_model import REAL_MODEL

pytestmark = pytest.mark.real

EXAMPLE = (Path(__file__).parents[2] / "examples" / "inventory.py").read_text(encoding="utf-8")
SHORT = "def area(width, height):\n    return width + height\n\n\ndef name():\n    return 'area'\n"


def test_it_carries_out_an_instruction_and_leaves_the_rest(real_engine: Engine) -> None:
    request = EditRequest(Snapshot(EXAMPLE), "Rename the function discount to reduced.", name="inventory.py")
    result = real_engine.edit(request)
    assert result.best.text == EXAMPLE.replace("def discount(", "def reduced(")
    assert result.best.edits.apply(EXAMPLE) == result.best.text
    assert result.cost.copied_lines == EXAMPLE.count("\n") - 1


def test_what_stays_costs_few_forwards(real_engine: Engine) -> None:
    snapshot = Snapshot(EXAMPLE)
    request = EditRequest(
        snapshot, "Rename the function discount to reduced.", name="inventory.py", strategy="verified"
    )
    result = real_engine.edit(request)
    assert result.cost.copied_lines >= EXAMPLE.count("\n") - 3
    assert result.cost.forwards < result.cost.plain_forwards / 8


def test_the_next_instruction_reads_only_itself(real_engine: Engine) -> None:
    snapshot = Snapshot(EXAMPLE)
    real_engine.edit(EditRequest(snapshot, "Rename the function discount to reduced.", name="inventory.py"))
    cost = real_engine.edit(EditRequest(snapshot, "Rename discount to cheaper.", name="inventory.py")).cost
    assert cost.prompt_tokens < 60
    assert cost.reused_tokens > 400


def test_a_scope_is_kept_to(real_engine: Engine) -> None:
    start = next(i for i, line in enumerate(EXAMPLE.split("\n")) if line.startswith("def discount"))
    scope = LineRange(start, start + 3)
    request = EditRequest(Snapshot(EXAMPLE), "Rename discount to reduced.", scope, "inventory.py")
    best = real_engine.edit(request).best
    before = EXAMPLE.splitlines(keepends=True)
    assert best.text.startswith("".join(before[:start]))
    assert "reduced" in best.text


def test_line_ends_that_the_model_never_sees_come_back(real_engine: Engine) -> None:
    document = SHORT.replace("\n", "\r\n").removesuffix("\r\n")
    request = EditRequest(Snapshot(document), "Rename the function name to title.", name="a.py", candidates=2)
    for candidate in real_engine.edit(request).candidates:
        assert "\n" not in candidate.text.replace("\r\n", "")
        assert not candidate.text.endswith("\n")


def test_a_bug_that_greedy_decoding_leaves_is_found_by_the_search(real_engine: Engine) -> None:
    request = EditRequest(Snapshot(SHORT), "Fix the bug in area.", name="a.py", candidates=4)
    texts = [candidate.text for candidate in real_engine.edit(request).candidates]
    assert any("    return width * height\n" in text for text in texts[1:])
    assert len(set(texts)) == len(texts)


def test_a_program_over_a_real_vocabulary_is_a_valid_edit(real_engine: Engine) -> None:
    request = EditRequest(Snapshot(SHORT), "Rename name to title.", name="a.py", strategy="program")
    try:
        best = real_engine.edit(request).best
    except OutputRejected:
        return  # the model is not trained to write programs; refusing is right, failing is not
    assert best.edits.apply(SHORT) == best.text


def test_it_equals_plain_greedy_decoding_in_float32(real_engine: Engine) -> None:
    model = TransformersModel.load(fetch(REAL_MODEL), name=REAL_MODEL, dtype="float32")
    snapshot = Snapshot(SHORT)
    prompt = rewrite_prompt(model.tokenizer, snapshot, snapshot.all_lines, "Rename the function name to title.", "a.py")
    decoder = VerifiedDecoder(Run(model, lambda: False, lambda event: None, Meter(), 200), prompt, snapshot.all_lines)
    tokens = [step.token for step in decoder.greedy().steps]
    with model.as_library() as library:
        plain = library.generate(
            torch.tensor([prompt.ids], device=model.device),
            max_new_tokens=len(tokens),
            do_sample=False,
            eos_token_id=sorted(model.tokenizer.end_tokens),
            repetition_penalty=1.0,
            pad_token_id=0,
        )[0, len(prompt.ids) :].tolist()
    assert plain == tokens
