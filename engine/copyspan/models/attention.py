"""Attention as it is fast on a CPU, for a model that reads a few tokens after a long text.

With four thousand tokens in the cache and 128 to read, torch's fused kernel takes as long as all the rest of a forward
(LOG.md). Two matrix products with a softmax between them take a quarter of that. Heads that share their keys are
computed as more rows of one product, so that no key is ever copied.
"""

from typing import Any

import torch
from transformers import AttentionInterface

NAME = "copyspan_cpu"

_PLAIN_MODELS = {"llama", "qwen2", "qwen3"}
_BLOCK_SCORES = 4_000_000
"""The most scores that are held at once: about what stays in a processor's cache."""


def attend(
    _module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Causal attention of the newest tokens over everything: an attention function of transformers.

    query [batch, heads, n, head_dim], key and value [batch, key heads, length, head_dim], the queries being the last n
    of the length positions. Returns [batch, n, heads, head_dim]. There is no mask: nothing is padded.
    """
    assert attention_mask is None
    batch, heads, num_rows, dim = query.shape
    key_heads, length = key.shape[1:3]
    query = query * (dim**-0.5 if scaling is None else scaling)
    output = torch.empty_like(query)
    block = max(1, _BLOCK_SCORES // (batch * heads * length))
    for start in range(0, num_rows, block):
        rows = query[:, :, start : start + block]
        visible = length - num_rows + start + rows.shape[2]
        scores = rows.reshape(batch, key_heads, -1, dim) @ key[:, :, :visible].transpose(-1, -2)
        _hide_later(scores.view(batch, heads, -1, visible))
        mixed = scores.softmax(dim=-1) @ value[:, :, :visible]
        output[:, :, start : start + block] = mixed.view(batch, heads, -1, dim)
    return output.transpose(1, 2).contiguous(), None


def _hide_later(scores: torch.Tensor) -> None:
    """Minus infinity where a row, one of the last positions, would see one after itself; in place."""
    rows = scores.shape[2]
    if rows > 1:
        later = torch.ones(rows, rows, dtype=torch.bool, device=scores.device).triu(1)
        scores[..., -rows:].masked_fill_(later, float("-inf"))


def fits(config: Any) -> bool:
    """Whether the attention of such a model is all that `attend` computes: no window, no cap, no sinks."""
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    return config.model_type in _PLAIN_MODELS and kinds == {"full_attention"}


AttentionInterface.register(NAME, attend)
