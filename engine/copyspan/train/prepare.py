"""From a recipe to examples: pairs are read, mixed, divided and made into token ids. Knows no torch."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from copyspan.edits.text import Snapshot
from copyspan.errors import Cancelled, UsageError
from copyspan.models.weights import Progress
from copyspan.train.data.mix import Part, mix
from copyspan.train.pairs import EditPair, read_pairs
from copyspan.train.recipe import Recipe
from copyspan.train.transcripts import Transcriber, Transcripts

_SHIFTS = (10, 3000)
"""Lines."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """What a recipe draws: for training, and held out."""

    train: tuple[EditPair, ...]
    validation: tuple[EditPair, ...]


def draw(recipe: Recipe, folder: Path) -> Pairs:
    """The pairs of a recipe whose paths start in `folder`, the same ones every time.

    Raises SourceError and UsageError as `read_pairs`.
    """
    held_out = recipe.validation
    parts = [
        Part(_numbered(number, read_pairs(folder / part.path)), part.weight)
        for number, part in enumerate(recipe.data, start=1)
    ]
    mixture = mix(parts, recipe.count, recipe.seed, recipe.max_lines, 0 if held_out.path else held_out.count)
    train = tuple(_shifted(pair, recipe) for pair in mixture.train)
    if not held_out.path:
        return Pairs(train, mixture.validation)
    others = read_pairs(folder / held_out.path)
    chosen = random.Random(recipe.seed).sample(others, min(held_out.count, len(others)))
    return Pairs(train, tuple(chosen))


def _shifted(pair: EditPair, recipe: Recipe) -> EditPair:
    """The pair, or the same with empty lines above it: they are not shown, but they count in the numbers of lines.

    So large numbers are learnt without long files. The drawn number of lines is as likely to have any number of digits.
    """
    rng = random.Random(f"{recipe.seed}/shift/{pair.id}")
    if rng.random() >= recipe.shifted or not pair.before.strip():
        return pair
    low, high = (math.log(border) for border in _SHIFTS)
    above = Snapshot(pair.before).newline_near(0) * round(math.exp(rng.uniform(low, high)))
    return pair.model_copy(update={"before": above + pair.before, "after": above + pair.after})


def _numbered(number: int, pairs: Sequence[EditPair]) -> list[EditPair]:
    """The pairs of one of several files, with ids that no other file has."""
    return [pair.model_copy(update={"id": f"{number}/{pair.id}"}) for pair in pairs]


def transcribe(
    pairs: Sequence[EditPair],
    transcriber: Transcriber,
    name: str,
    progress: Progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> Transcripts:
    """The examples of these pairs, called `name`, with a word on what is left out. Raises Cancelled, and UsageError
    where nothing is left of some pairs."""

    def advance() -> None:
        if cancelled():
            raise Cancelled("Training was stopped before its first step.")
        progress.advanced(1)

    progress.started(f"Pairs for {name}", len(pairs), "pairs")
    found = transcriber.all(pairs, advance)
    progress.finished()
    if found.skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in found.skipped.most_common())
        progress.noted(f"Left out of {len(pairs):,} pairs for {name}: {reasons}.")
    if pairs and not found.items:
        raise UsageError(f"No pair for {name} can be learnt. Raise max_tokens, or take other pairs.")
    return found
