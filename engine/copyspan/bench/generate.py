"""Plain decoding and prompt lookup, as the transformers library does them: what copying is compared with.

Greedy, without the penalties that a model's own settings may ask for, with the library's own cache. An answer ends
where an editor's would: at the end token, or with the line that closes its fence.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList, StoppingCriteria, StoppingCriteriaList

from copyspan.errors import ContextTooLong, OutOfMemory
from copyspan.models.transformers import TransformersModel

_FAVOUR = 1e4


@dataclass(frozen=True, slots=True)
class Decoding:
    """What one call of `generate` gave."""

    tokens: list[int]
    """The new ones."""
    forwards: int
    """Calls of the model, the one that read the prompt included."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall-clock by phase: prompt, decode."""


def generate(
    model: TransformersModel,
    prompt: Sequence[int],
    fence: str,
    limit: int,
    *,
    lookup: int = 0,
    target: Sequence[int] | None = None,
) -> Decoding:
    """Decode up to `limit` new tokens after a prompt that has opened `fence`.

    `lookup`: how many tokens the library drafts from the text so far; 0 is plain decoding. `target`: prompt and answer
    that the model is made to write (see `steer`). Raises ContextTooLong before any work, and OutOfMemory.
    """
    if len(prompt) + limit > model.context_size:
        raise ContextTooLong(len(prompt) + limit, model.context_size)
    starts: list[float] = []
    with model.as_library() as pretrained:
        hook = pretrained.register_forward_pre_hook(lambda *_: starts.append(time.perf_counter()))
        own_settings, pretrained.generation_config = pretrained.generation_config, _config(model, limit, lookup)
        ids = torch.tensor([list(prompt)], device=pretrained.device)
        try:
            output = pretrained.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                stopping_criteria=StoppingCriteriaList([_UntilFence(model, len(prompt), fence)]),
                logits_processor=LogitsProcessorList([_Favour(target, model)] if target else []),
            )
            tokens = output[0, len(prompt) :].tolist()  # waits for the device
        except torch.OutOfMemoryError as error:
            raise OutOfMemory(f"{model.device} ran out of memory in `generate`. Take a smaller model.") from error
        finally:
            hook.remove()
            pretrained.generation_config = own_settings
        end = time.perf_counter()
    decode = end - starts[1] if len(starts) > 1 else 0.0
    return Decoding(tokens, len(starts), {"prompt": end - decode - starts[0], "decode": decode})


def _config(model: TransformersModel, limit: int, lookup: int) -> GenerationConfig:
    """Greedy decoding; it takes the place of the model's own settings, from which `generate` would fill gaps."""
    ends = sorted(model.tokenizer.end_tokens)
    return GenerationConfig(
        max_new_tokens=limit,
        do_sample=False,
        eos_token_id=ends,
        pad_token_id=ends[0],
        prompt_lookup_num_tokens=lookup or None,
    )


class _UntilFence(StoppingCriteria):  # type: ignore[misc]  # transformers comes without types
    """Stops after the line that closes the fence."""

    def __init__(self, model: TransformersModel, prompt_length: int, fence: str) -> None:
        self._vocabulary = model.tokenizer.vocabulary
        self._mark = f"\n{fence}\n".encode()
        self._seen = prompt_length
        self._text = b"\n"  # the fence was opened on the line before

    def __call__(self, input_ids: torch.Tensor, *_: object, **__: object) -> torch.Tensor:
        new = input_ids[0, self._seen :].tolist()
        self._seen += len(new)
        start = max(0, len(self._text) - len(self._mark))
        self._text += b"".join(self._vocabulary[token] or b"" for token in new)
        is_over = self._text.find(self._mark, start) >= 0
        return torch.tensor([is_over], device=input_ids.device)


class _Favour(LogitsProcessor):  # type: ignore[misc]  # transformers comes without types
    """Makes the next token of a known text the best one. Forbids none: prompt lookup would cut its drafts by that."""

    def __init__(self, target: Sequence[int], model: TransformersModel) -> None:
        self._target = target
        self._end = min(model.tokenizer.end_tokens)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        place = input_ids.shape[1]
        scores[:, self._target[place] if place < len(self._target) else self._end] += _FAVOUR
        return scores
