"""A KV cache that is cut back in constant time.

transformers' own dynamic cache joins new keys and values to the old ones by a copy of both in every forward, and its
static cache computes attention over its whole capacity. This one writes into a buffer with room to spare and hands out
views of what is filled; cutting back moves a number. It knows no tokens and no model.
"""

import torch
from transformers.cache_utils import Cache, CacheLayerMixin

_FIRST_CAPACITY = 1024


class RollbackLayer(CacheLayerMixin):  # type: ignore[misc]  # transformers comes without types
    """Keys and values of one attention layer, shape [1, heads, capacity, head_dim], filled up to `length`."""

    is_sliding = False
    is_croppable = True

    def __init__(self) -> None:
        super().__init__()
        self.length = 0

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        self.keys = _buffer_like(key_states, _FIRST_CAPACITY)
        self.values = _buffer_like(value_states, _FIRST_CAPACITY)
        self.is_initialized = True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: object, **__: object
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Append states of shape [1, heads, n, head_dim]; returns views of everything filled."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        start, self.length = self.length, self.length + key_states.shape[-2]
        self.keys = _grown(self.keys, start, self.length)
        self.values = _grown(self.values, start, self.length)
        self.keys[..., start : self.length, :] = key_states
        self.values[..., start : self.length, :] = value_states
        return self.keys[..., : self.length, :], self.values[..., : self.length, :]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.length + query_length, 0

    def get_seq_length(self) -> int:
        return self.length

    def get_max_length(self) -> int:
        return -1

    def rollback(self, length: int) -> None:
        """Keep the first `length` positions, or all where fewer are filled."""
        self.length = min(self.length, length)


class RollbackCache(Cache):  # type: ignore[misc]  # transformers comes without types
    """One `RollbackLayer` for each layer of the model."""

    def __init__(self) -> None:
        super().__init__(layer_class_to_replicate=RollbackLayer)

    def rollback(self, length: int) -> None:
        """Cut every layer to `length` positions, also when a forward broke off between two layers."""
        for layer in self.layers:
            layer.rollback(length)


def _buffer_like(states: torch.Tensor, capacity: int) -> torch.Tensor:
    batch, heads, _, head_dim = states.shape
    return states.new_empty((batch, heads, capacity, head_dim))


def _grown(buffer: torch.Tensor, filled: int, needed: int) -> torch.Tensor:
    """`buffer` itself, or one of at least `needed` positions that starts with the same `filled` ones."""
    capacity = buffer.shape[-2]
    if needed <= capacity:
        return buffer
    larger = _buffer_like(buffer, max(needed, 2 * capacity))
    larger[..., :filled, :] = buffer[..., :filled, :]
    return larger
