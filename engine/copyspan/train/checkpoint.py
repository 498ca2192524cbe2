"""Checkpoints: one file with everything that a run needs to go on as if it had not stopped."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from copyspan.errors import SourceError, UsageError


@dataclass(frozen=True, slots=True)
class RandomState:
    """Of torch's generators, on the processor and on each GPU: dropout draws from them."""

    cpu: torch.Tensor
    gpus: Sequence[torch.Tensor]

    @classmethod
    def now(cls) -> "RandomState":
        return cls(torch.get_rng_state(), torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [])

    def restore(self) -> None:
        torch.set_rng_state(self.cpu)
        if len(self.gpus) == torch.cuda.device_count():  # elsewhere the run goes on, but not bit for bit
            torch.cuda.set_rng_state_all(list(self.gpus))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state after some steps; the order of data and the learning rates follow from their number."""

    made_from: str
    """Of which recipe and which examples; a checkpoint of others is of no use."""
    step: int
    adapter: Mapping[str, torch.Tensor]
    optimizer: Mapping[str, Any]
    random: RandomState


def save_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Replace the file as a whole: a reader sees the old one or the new one. Raises SourceError."""
    part = path.with_name(path.name + ".part")
    content = {
        "made_from": checkpoint.made_from,
        "step": checkpoint.step,
        "adapter": dict(checkpoint.adapter),
        "optimizer": dict(checkpoint.optimizer),
        "cpu": checkpoint.random.cpu,
        "gpus": list(checkpoint.random.gpus),
    }
    try:
        with part.open("wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except (OSError, RuntimeError) as error:  # torch has its own words for a full disk
        part.unlink(missing_ok=True)
        raise SourceError(
            f"{path} cannot be written: {error}. Make room, or name another folder: --out DIR."
        ) from error


def load_checkpoint(path: Path, made_from: str) -> Checkpoint:
    """Raises UsageError where it belongs to another recipe or other pairs, or is no checkpoint."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
        random = RandomState(content["cpu"], content["gpus"])
        found = Checkpoint(content["made_from"], content["step"], content["adapter"], content["optimizer"], random)
    except Exception as error:  # whatever pickle and zip make of a damaged file
        raise UsageError(f"{path} is no checkpoint of copyspan. Begin anew with --restart.") from error
    if found.made_from != made_from:
        raise UsageError(
            f"{path} was made by another recipe or from other pairs. Go on with those, name another folder with "
            "--out DIR, or begin anew with --restart."
        )
    return found
