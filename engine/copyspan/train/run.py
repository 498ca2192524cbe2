"""A recipe carried out: from its pairs to an adapter in a folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from copyspan.errors import SourceError
from copyspan.models.tokenizer import load_tokenizer
from copyspan.models.weights import Progress
from copyspan.train.export import Learnt, base_name, check_size, export
from copyspan.train.loop import Examples, Trainer, Watcher
from copyspan.train.model import add_lora, load_base
from copyspan.train.pairs import write_pairs
from copyspan.train.prepare import draw, transcribe
from copyspan.train.recipe import Recipe
from copyspan.train.start import start_from
from copyspan.train.transcripts import Transcriber

ADAPTER, HELD_OUT = "adapter", "validation.jsonl"
_STATE = ("checkpoint.pt", "log.jsonl")


@dataclass(frozen=True, slots=True)
class Machine:
    """What a run may use; nothing of it changes what is learnt, but for rounding."""

    device: str = "auto"
    save_seconds: float = 600.0


def run(
    recipe: Recipe,
    data: Path,
    base: Path,
    out: Path,
    machine: Machine,
    progress: Progress,
    watcher: Watcher,
    cancelled: Callable[[], bool] = lambda: False,
) -> Path:
    """Train, or go on training, and return the adapter's folder. `data` is where the recipe's paths start, `base` the
    base model's folder.

    In `out` are the adapter, the held-out pairs, the log and the checkpoint. Raises Cancelled, with a checkpoint
    written; UsageError, SourceError, ModelError and OutOfMemory.
    """
    pairs = draw(recipe, data)
    tokenizer = load_tokenizer(base)
    transcriber = Transcriber(tokenizer, tokenizer.end_token, recipe.max_tokens, recipe.splice)
    examples = Examples(
        transcribe(pairs.train, transcriber, "training", progress, cancelled).items,
        transcribe(pairs.validation, transcriber, "validation", progress, cancelled).items,
    )
    progress.started(f"Loading {recipe.model}", None, "")
    causal = load_base(base, machine.device, recipe.dtype)
    if causal.device.type == "cuda":
        torch.set_float32_matmul_precision("high")  # the adapter computes in float32, and nothing else does
    model = add_lora(causal, recipe.lora, base_name(recipe), recipe.seed)
    check_size(model)
    start = start_from(model, data / recipe.start, recipe.lora) if recipe.start else None
    progress.finished()
    _make(out)
    if pairs.validation:
        write_pairs(out / HELD_OUT, pairs.validation)
    trainer = Trainer(model, examples, recipe, out, start.digest if start else None)
    trainer.run(watcher, cancelled, machine.save_seconds)
    learnt = Learnt(trainer.num_steps, len(examples.train), start.name if start else None)
    export(model, recipe, out / ADAPTER, learnt)
    return out / ADAPTER


def forget(out: Path) -> None:
    """Take away what an earlier run would be gone on from; its adapter stays until there is a new one."""
    for name in _STATE:
        (out / name).unlink(missing_ok=True)


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(f"{out} cannot be made: {error.strerror}. Name another folder: --out DIR.") from error
