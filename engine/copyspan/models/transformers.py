"""A causal language model of the transformers library, in this process, behind `protocol.LanguageModel`.

One forward a call, over a KV cache with rollback. Where the weights lie is not its business (`models.weights` says it).
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from copyspan.errors import Cancelled, ContextTooLong, ModelUnusable, OutOfMemory
from copyspan.models import attention
from copyspan.models.adapter_card import read_card
from copyspan.models.adapters import Switch
from copyspan.models.cache import RollbackCache
from copyspan.models.device import best_dtype
from copyspan.models.protocol import Adapter, Scores
from copyspan.models.tokenizer import ChatTokenizer, load_tokenizer
from copyspan.tokens import TokenSet

_DRAFT_LIMITS = {"cpu": 128, "mps": 128}
_GPU_DRAFT_LIMIT = 512
_FEW_TOKENS = 256
_ATTENTION = {"full_attention", "sliding_attention", "chunked_attention"}


class TransformersModel:
    """Implements `protocol.LanguageModel`. Not thread-safe: one thread owns it."""

    def __init__(
        self, model: Any, tokenizer: ChatTokenizer, name: str, context_size: int, adapter: Path | None = None
    ) -> None:
        """`adapter`: the folder of one that fits the model."""
        self._model = model.eval()
        self._cache = RollbackCache()
        self._tokens: list[int] = []
        self._set_aside = _Context(RollbackCache(), [])
        self._adapter_folder = adapter
        self._switch: Switch | None = None
        self._is_adapted = False
        card = read_card(adapter) if adapter else None
        self.adapter = Adapter(card.name, card.splice) if card else None
        self._cancelled: Callable[[], bool] = lambda: False
        self._device = next(model.parameters()).device
        self.name = name
        self.tokenizer = tokenizer
        self.context_size = min(context_size, model.config.get_text_config().max_position_embeddings)
        self.device = str(self._device)
        self.dtype = str(model.dtype).removeprefix("torch.")
        self.looks_ahead = False
        self.draft_limit = _DRAFT_LIMITS.get(self._device.type, _GPU_DRAFT_LIMIT)
        # Some models scale or cap their logits, or add a bias, after the product that gives them.
        self._has_plain_head = model.config.model_type in attention.PLAIN_MODELS
        self._library_attention: str = model.config._attn_implementation
        if self._device.type == "cpu" and attention.fits(model.config):
            model.set_attn_implementation(attention.NAME)
        # A forward over a long prompt takes seconds on a CPU: the caller is asked between any two layers.
        for layer in model.base_model.layers:
            layer.register_forward_pre_hook(self._poll)

    @classmethod
    def load(
        cls,
        folder: Path,
        *,
        name: str,
        device: str = "auto",
        dtype: str = "auto",
        context_size: int = 16384,
        adapter: Path | None = None,
    ) -> "TransformersModel":
        """Load safetensors weights and tokenizer from `folder`. Raises ModelUnusable and OutOfMemory.

        The weights of the adapter, which has to fit, are loaded when it is used for the first time.
        """
        where, number_format = best_dtype(device, dtype)
        try:
            model = AutoModelForCausalLM.from_pretrained(folder, dtype=number_format, local_files_only=True)
            model.to(where)
        except RuntimeError as error:
            _raise_if_out_of_memory(error, where)
            raise
        except (OSError, ValueError, KeyError) as error:
            raise ModelUnusable(
                f"{folder} holds no causal language model that transformers can load: {error}"
            ) from error
        _check_layers(model, folder)
        ends = model.generation_config.eos_token_id or ()
        tokenizer = load_tokenizer(folder, [ends] if isinstance(ends, int) else ends, model.config.vocab_size)
        return cls(model, tokenizer, name, context_size, adapter)

    @property
    def tokens(self) -> Sequence[int]:
        return self._tokens

    @contextmanager
    def as_library(self) -> Iterator[Any]:
        """The library's own model with its own attention, for comparison with the library's own decoding.

        Whoever calls it must not hand it this object's cache; with a cache of its own it leaves the context as it is.
        """
        own: str = self._model.config._attn_implementation
        self._model.set_attn_implementation(self._library_attention)
        try:
            yield self._model
        finally:
            self._model.set_attn_implementation(own)

    def extend(
        self,
        tokens: Sequence[int],
        *,
        scored: int = 1,
        named: Sequence[int] = (),
        top: int = 0,
        allowed: Sequence[TokenSet] = (),
        is_draft: bool = False,  # noqa: ARG002  # one forward scores all of it
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Scores:
        start = len(self._tokens)
        if start + len(tokens) > self.context_size:
            raise ContextTooLong(start + len(tokens), self.context_size)
        self._cancelled = cancelled
        try:
            if len(allowed) == 1 and not named and self._scores_few(allowed[0]):
                scores = self._choose(tokens, allowed[0], top)
            else:
                scores = _score(self._forward(tokens, scored), named, top, allowed)
        except BaseException as error:
            self._cache.rollback(start)
            _raise_if_out_of_memory(error, self.device)
            raise
        self._tokens.extend(tokens)
        return scores

    def rollback(self, length: int) -> None:
        assert 0 <= length <= len(self._tokens)
        self._cache.rollback(length)
        del self._tokens[length:]

    def use_adapter(self, active: bool) -> None:
        if self._adapter_folder is None or active == self._is_adapted:
            return
        if self._switch is None:
            self._switch = Switch(self._model, self._adapter_folder)
        self._switch.turn(active)
        self._is_adapted = active
        here = _Context(self._cache, self._tokens)
        self._cache, self._tokens = self._set_aside.cache, self._set_aside.tokens
        self._set_aside = here

    def close(self) -> None:
        self._tokens.clear()
        self._cache = RollbackCache()
        self._set_aside = _Context(RollbackCache(), [])
        self._switch = None
        del self._model
        gc.collect()  # modules and their hooks form cycles
        if self._device.type == "cuda":
            torch.cuda.empty_cache()

    @torch.inference_mode()
    def _forward(self, tokens: Sequence[int], scored: int) -> torch.Tensor:
        """Logits [scored, vocabulary] after the last `scored` tokens."""
        ids = torch.tensor([list(tokens)], device=self._device)
        # One row is computed and dropped where none is wanted. Numbers of rows, not how many: those would be cut out as
        # a view, for which the product with the output layer copies all its weights, unless they have gradients.
        rows = torch.arange(len(tokens) - max(1, scored), len(tokens), device=self._device)
        output = self._model(input_ids=ids, cache=self._cache, use_cache=True, logits_to_keep=rows)
        logits: torch.Tensor = output.logits[0]
        return logits if scored else logits[:0]

    def _scores_few(self, allowed: TokenSet) -> bool:
        """Whether it pays to compute the logits of the allowed tokens alone, and their rows are all that matters."""
        return not allowed.complement and 2 <= len(allowed.ids) <= _FEW_TOKENS and self._has_plain_head

    @torch.inference_mode()
    def _choose(self, tokens: Sequence[int], allowed: TokenSet, top: int) -> Scores:
        """Scores after the last token among a few allowed ones. The whole vocabulary costs a small model a sixth of a
        forward over one token."""
        ids = torch.tensor([list(tokens)], device=self._device)
        states = self._model.base_model(input_ids=ids, cache=self._cache, use_cache=True).last_hidden_state
        rows = self._model.get_output_embeddings().weight[torch.tensor(allowed.ids, device=self._device)]
        scores = _score(states[0, -1:] @ rows.T, (), min(top, len(allowed.ids)), ())
        options = tuple((allowed.ids[row], logprob) for row, logprob in scores.options[0]) if top else ()
        return Scores((allowed.ids[scores.best[0]],), scores.best_logprob, (), (), (), (options,) if top else ())

    def _poll(self, *_: object) -> None:
        if self._cancelled():
            raise Cancelled("The edit was cancelled.")


@dataclass(frozen=True, slots=True)
class _Context:
    """What was read with the adapter says nothing without it, and the other way about."""

    cache: RollbackCache
    tokens: list[int]


@torch.inference_mode()
def _score(logits: torch.Tensor, named: Sequence[int], top: int, allowed: Sequence[TokenSet]) -> Scores:
    """Scores of logits [scored, vocabulary], in few passes: at 64 positions each costs as much as a layer."""
    if not len(logits):
        return Scores((), (), (), (), ())
    for row, mask in enumerate(allowed):
        if not mask.is_everything:
            logits[row] = _masked(logits[row], mask)
    values, ids = logits.topk(max(2, top), dim=-1)
    values = values.float()
    # The best logarithm is near zero, where even bfloat16 is exact; all others follow from differences of logits.
    best_logprob = logits.log_softmax(dim=-1).gather(1, ids[:, :1])[:, 0].float()
    logprobs = values - values[:, :1] + best_logprob[:, None]
    # Of equal logits the first id wins, as in a plain arg max.
    first = torch.where(values[:, 0] == values[:, 1], ids[:, :2].amin(dim=-1), ids[:, 0])
    second = torch.where(first == ids[:, 0], ids[:, 1], ids[:, 0])
    options: tuple[tuple[tuple[int, float], ...], ...] = ()
    if top:
        rows = zip(ids[:, :top].tolist(), logprobs[:, :top].tolist(), strict=True)
        options = tuple(tuple(zip(row_ids, row_logprobs, strict=True)) for row_ids, row_logprobs in rows)
    if not named:
        return Scores(tuple(first.tolist()), tuple(best_logprob.tolist()), (), (), (), options)
    wanted = torch.tensor(list(named), device=logits.device)
    named_logit = logits.gather(1, wanted[:, None])[:, 0].float()
    is_best = wanted == first
    return Scores(
        best=tuple(first.tolist()),
        best_logprob=tuple(best_logprob.tolist()),
        named_logprob=tuple((named_logit - values[:, 0] + best_logprob).tolist()),
        alternative=tuple(torch.where(is_best, second, first).tolist()),
        alternative_logprob=tuple(torch.where(is_best, logprobs[:, 1], best_logprob).tolist()),
        options=options,
    )


def _masked(row: torch.Tensor, allowed: TokenSet) -> torch.Tensor:
    """The row with everything that is not allowed at minus infinity."""
    ids = torch.tensor(allowed.ids, dtype=torch.long, device=row.device)
    if allowed.complement:
        return row.index_fill(0, ids, float("-inf"))
    masked = torch.full_like(row, float("-inf"))
    masked[ids] = row[ids]
    return masked


def _check_layers(model: Any, folder: Path) -> None:
    """Refuse models whose state cannot be cut back: recurrent and convolutional layers."""
    kinds = set(getattr(model.config.get_text_config(), "layer_types", None) or ())
    if kinds - _ATTENTION or not hasattr(model.base_model, "layers"):
        raise ModelUnusable(
            f"{folder} has layers that are not attention ({', '.join(sorted(kinds - _ATTENTION)) or 'unknown'}): "
            "their state cannot be cut back. Choose a model of attention layers, such as Qwen2.5-Coder."
        )


def _raise_if_out_of_memory(error: BaseException, device: str) -> None:
    """Raise OutOfMemory in the place of what torch raises for it: an error of its own on a GPU, any other on a CPU."""
    if not isinstance(error, torch.OutOfMemoryError) and "can't allocate memory" not in str(error):
        return
    if device.startswith("cuda"):
        torch.cuda.empty_cache()
    raise OutOfMemory(
        f"{device} ran out of memory ({str(error).splitlines()[0]}). Edit fewer lines, take a smaller model "
        "(Qwen2.5-Coder-0.5B-Instruct), or run on the CPU (device cpu)."
    ) from error
