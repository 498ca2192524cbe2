"""The loss over the tokens that a model is to write, in padded forwards. Knows no recipe and no data order.

Logits are computed for these tokens alone, some at a time: over a vocabulary of 151,936 those of a whole prompt would
take more memory than the model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from copyspan.train.transcripts import Transcript

_CHUNK = 256


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples padded at their right: causal attention keeps what comes after an example from having any effect."""

    ids: torch.Tensor
    """[examples, longest]"""
    rows: torch.Tensor
    columns: torch.Tensor
    """Where the hidden states are from which learnt tokens are predicted: one position before each of them."""
    targets: torch.Tensor

    @classmethod
    def of(cls, transcripts: Sequence[Transcript], device: torch.device) -> "Batch":
        ids = torch.zeros((len(transcripts), max(map(len, transcripts))), dtype=torch.long)
        rows, columns, targets = list[int](), list[int](), list[int]()
        for row, transcript in enumerate(transcripts):
            ids[row, : len(transcript)] = torch.tensor([*transcript.prompt, *transcript.answer])
            before = len(transcript.prompt) - 1
            learnt = [i for i, is_learnt in enumerate(transcript.is_learnt) if is_learnt]
            rows += [row] * len(learnt)
            columns += [before + i for i in learnt]
            targets += [transcript.answer[i] for i in learnt]
        wanted = (torch.tensor(values, device=device) for values in (rows, columns, targets))
        return cls(ids.to(device), *wanted)


def backward(causal: Any, batch: Batch, num_learnt: int) -> float:
    """Add the gradients of the batch's loss, summed over its tokens and divided by `num_learnt`; return that loss.

    The output layer's gradients come first and chunk by chunk, so that no more logits than a chunk's are ever kept.
    """
    states = _states(causal, batch)
    leaf = states.detach().requires_grad_()
    total = torch.zeros((), device=states.device)
    for logits, targets in _chunks(causal, leaf, batch):
        loss = F.cross_entropy(logits, targets, reduction="sum") / num_learnt
        loss.backward()  # type: ignore[no-untyped-call]  # torch's own
        total += loss.detach()
    states.backward(leaf.grad)  # type: ignore[no-untyped-call]  # torch's own
    return total.item()


@torch.no_grad()
def evaluate(causal: Any, batch: Batch) -> tuple[float, list[bool]]:
    """The loss summed over the batch's tokens, and for each example whether every token is the likeliest one."""
    total = 0.0
    is_right = []
    for logits, targets in _chunks(causal, _states(causal, batch), batch):
        total += F.cross_entropy(logits, targets, reduction="sum").item()
        is_right.append(logits.argmax(dim=-1) == targets)
    wrong_rows = set(batch.rows[~torch.cat(is_right)].tolist())
    return total, [row not in wrong_rows for row in range(len(batch.ids))]


def _states(causal: Any, batch: Batch) -> torch.Tensor:
    hidden = causal.base_model(input_ids=batch.ids, use_cache=False).last_hidden_state
    states: torch.Tensor = hidden[batch.rows, batch.columns]
    return states


def _chunks(causal: Any, states: torch.Tensor, batch: Batch) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    head = causal.get_output_embeddings()
    for some, targets in zip(torch.split(states, _CHUNK), torch.split(batch.targets, _CHUNK), strict=True):
        yield head(some).float(), targets
