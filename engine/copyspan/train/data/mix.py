"""Training and validation pairs drawn from several files. The same file of a repository is never in both."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from copyspan.edits.text import split_lines
from copyspan.errors import UsageError
from copyspan.train.pairs import EditPair

_COMMIT = re.compile(r"@[0-9a-f]{7,64}(?=:)")


@dataclass(frozen=True, slots=True)
class Part:
    """Pairs of one file, and their share among the parts: weights 3 and 1 are three quarters and one."""

    pairs: Sequence[EditPair]
    weight: float = 1.0


class Mixture(NamedTuple):
    """Pairs to learn from and pairs to look at, in the order of the draw. Ids may occur twice, from two parts."""

    train: tuple[EditPair, ...]
    validation: tuple[EditPair, ...]


def mix(parts: Sequence[Part], count: int, seed: int, max_lines: int | None = None, validation: int = 0) -> Mixture:
    """Draw `count` pairs to learn from and `validation` others, each pair at most once.

    Pairs with more than `max_lines` lines before or after are left out. A part with too few pairs gives what it has,
    and the others fill up in their shares; where all have too few, the result is smaller. The same parts, numbers and
    seed give the same mixture. Raises UsageError for weights that are not positive, and where nothing can be drawn.
    """
    if not parts or any(part.weight <= 0 for part in parts):
        raise UsageError("A mixture needs files of pairs with weights above 0.")
    fitting = [[pair for pair in part.pairs if _fits(pair, max_lines)] for part in parts]
    if not any(fitting):
        raise UsageError(f"No pair has at most {max_lines} lines. Allow more lines, or name other files.")
    rng = Random(seed)
    held = _held_back(fitting, _shares(parts, fitting, validation), rng)
    kept, looked_at = (
        [[pair for pair in pairs if (file_of(pair) in held) is is_held] for pairs in fitting]
        for is_held in (False, True)
    )
    return Mixture(
        validation=_draw(parts, looked_at, validation, rng),
        train=_draw(parts, kept, count, rng),
    )


def file_of(pair: EditPair) -> str:
    """The pair's source without its commit: versions of one file are one file."""
    return _COMMIT.sub("", pair.source)


def _fits(pair: EditPair, max_lines: int | None) -> bool:
    return max_lines is None or all(len(split_lines(text)) <= max_lines for text in (pair.before, pair.after))


def _shares(parts: Sequence[Part], pools: Sequence[Sequence[EditPair]], number: int) -> list[int]:
    """How many each part gives: one by one from the part that is farthest behind, and none more than it has."""
    wanted = [0] * len(parts)
    for _ in range(min(number, sum(map(len, pools)))):
        able = [i for i, pool in enumerate(pools) if wanted[i] < len(pool)]
        wanted[min(able, key=lambda i: (wanted[i] + 1) / parts[i].weight)] += 1
    return wanted


def _held_back(pools: Sequence[Sequence[EditPair]], wanted: Sequence[int], rng: Random) -> set[str]:
    """Files whose pairs are for validation alone: drawn until each part has as many pairs as it is to give."""
    numbers = [dict[str, int]() for _ in pools]
    for pool, number in zip(pools, numbers, strict=True):
        for pair in pool:
            number[file_of(pair)] = number.get(file_of(pair), 0) + 1
    files = sorted({file for number in numbers for file in number})
    rng.shuffle(files)
    missing, held = list(wanted), set[str]()
    for file in files:
        if any(missing[i] > 0 and file in number for i, number in enumerate(numbers)):
            held.add(file)
            missing = [left - number.get(file, 0) for left, number in zip(missing, numbers, strict=True)]
    return held


def _draw(parts: Sequence[Part], pools: Sequence[Sequence[EditPair]], number: int, rng: Random) -> tuple[EditPair, ...]:
    shares = _shares(parts, pools, number)
    drawn = [pair for pool, share in zip(pools, shares, strict=True) for pair in rng.sample(pool, share)]
    rng.shuffle(drawn)
    return tuple(drawn)
