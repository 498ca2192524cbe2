"""Attention as it is fast on a CPU, for a model that reads a few tokens after a long text.

With four thousand tokens in the cache and 128 to read, torch's fused kernel takes as long as all the rest of a forward
(LOG.md). Two matrix products with a softmax between them take half of that, and for a single token a tenth. Heads that
share their keys are computed as more rows of one product: no key is copied for another head. Scores are float32, as in
the fused kernel: some models have scores in the thousands.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from transformers import AttentionInterface

NAME = "copyspan_cpu"

PLAIN_MODELS = {"llama", "qwen2", "qwen3"}
"""Kinds of models in transformers whose attention and whose logits are products and nothing more."""
_BLOCK_SCORES = 4_000_000
"""The most scores that are computed at once. Fewer would mean reading the keys more often."""


@torch.no_grad()
def attend(
    _module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Causal attention of the newest tokens over everything: an attention function of transformers, for inference.

    query [1, heads, n, head_dim], key and value [1, key heads, length, head_dim], the queries being the last n of the
    length positions. Returns [1, n, heads, head_dim]. There is no mask: nothing is padded.
    """
    assert attention_mask is None
    heads, num_rows, dim = query.shape[1:]
    key_heads, length = key.shape[1:3]
    scale = dim**-0.5 if scaling is None else scaling
    keys, output = key[0].float(), torch.empty_like(query)
    block = max(1, _BLOCK_SCORES // (heads * length))
    with _products_of(query.dtype):
        for start in range(0, num_rows, block):
            rows = query[0, :, start : start + block]
            visible = length - num_rows + start + rows.shape[1]
            grouped = rows.reshape(key_heads, -1, dim).float()
            scores = _workspace(key_heads, grouped.shape[1], visible)
            torch.baddbmm(scores, grouped, keys[:, :visible].transpose(1, 2), beta=0, alpha=scale, out=scores)
            _hide_later(scores.view(heads, -1, visible))
            scores.sub_(scores.amax(dim=-1, keepdim=True)).exp_()
            scores.div_(scores.sum(dim=-1, keepdim=True))  # before rounding, not after a second one
            mixed = scores.to(value.dtype) @ value[0, :, :visible]
            output[0, :, start : start + block] = mixed.view(heads, -1, dim)
    return output.transpose(1, 2).contiguous(), None


def fits(config: Any) -> bool:
    """Whether the attention of such a model is all that `attend` computes: no window, no cap, no sinks."""
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    return config.model_type in PLAIN_MODELS and kinds == {"full_attention"}


def _hide_later(scores: torch.Tensor) -> None:
    """Minus infinity where a row, one of the last positions, would see one after itself; in place."""
    rows = scores.shape[1]
    if rows > 1:
        later = torch.ones(rows, rows, dtype=torch.bool, device=scores.device).triu(1)
        scores[..., -rows:].masked_fill_(later, float("-inf"))


@contextmanager
def _products_of(dtype: torch.dtype) -> Iterator[None]:
    """Let float32 products be computed from bfloat16 factors where all of them are such numbers: that loses nothing."""
    matmul: Any = getattr(torch.backends.mkldnn, "matmul", None)
    if dtype != torch.bfloat16 or not hasattr(matmul, "fp32_precision"):
        yield
        return
    before = matmul.fp32_precision
    matmul.fp32_precision = "bf16"
    try:
        yield
    finally:
        matmul.fp32_precision = before


_memory = threading.local()


def _workspace(*shape: int) -> torch.Tensor:
    """Memory for scores, kept from call to call: asking the system for it anew takes longer than using it."""
    size = torch.Size(shape).numel()
    kept: torch.Tensor | None = getattr(_memory, "scores", None)
    if kept is None or len(kept) < size:
        with torch.inference_mode(False):  # memory that was made in that mode could be used in no other
            kept = _memory.scores = torch.empty(size)
    return kept[:size].view(shape)


AttentionInterface.register(NAME, attend)
