"""The curve s(N), and the bounds that follow from it.

s(N) is the time of N forwards over one token each, divided by the time of one forward over N tokens. The bounds say by
how much an edit whose copies are all known would be faster than plain decoding. They leave out the choice of
operations and of line numbers, so they forecast no real run.
"""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from copyspan.bench.results import Record, read_results
from copyspan.errors import UsageError


class KernelRecord(Record):
    """One point of the curve, as it was measured; `case` names the length, `set` what the curve is of."""

    kind: Literal["kernel"] = "kernel"
    context: int
    """Tokens in the cache before."""
    num_tokens: int
    seconds_one: float
    """The median time of one forward over one token."""
    seconds_many: float
    """The median time of one forward over `num_tokens` tokens."""
    num_trials: int = 1

    @property
    def speedup(self) -> float:
        return self.num_tokens * self.seconds_one / self.seconds_many

    @property
    def key(self) -> tuple[str, ...]:
        return (self.set, self.case, str(self.context), str(self.num_tokens))


@dataclass(frozen=True, slots=True)
class Curve:
    """s(N) at some lengths, ascending; in between it is linear in log N.

    s(1) is 1. Beyond the last point it stays what it is there: a longer span is copied in parts of that length. Raises
    UsageError for points that are no such curve.
    """

    name: str
    points: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        lengths = [length for length, _ in self.points]
        if not lengths or lengths != sorted(set(lengths)) or lengths[0] < 1 or min(s for _, s in self.points) <= 0:
            raise UsageError(f"{self.name} is no curve: it needs ascending lengths from 1 and positive speed-ups.")

    def __call__(self, num_tokens: float) -> float:
        """s(N) for N >= 1 tokens."""
        points = self.points if self.points[0][0] == 1 else ((1, 1.0), *self.points)
        place = bisect_left(points, num_tokens, key=lambda point: point[0])
        if place == 0:
            return points[0][1]
        if place == len(points):
            return points[-1][1]
        (left, low), (right, high) = points[place - 1 : place + 1]
        return low + (high - low) * math.log(num_tokens / left) / math.log(right / left)

    def steps(self, num_tokens: float) -> float:
        """How many forwards over one token a copy of so many tokens costs; none for no tokens."""
        return num_tokens / self(num_tokens) if num_tokens else 0.0


PAPER = (
    Curve("paper-1.5b", ((8, 7.0), (512, 303.0))),
    Curve("paper-7b", ((8, 6.8), (512, 90.5))),
)
"""The points that the paper states in words (A100, bfloat16, 1,024 tokens of context)."""

LOGGED = (
    Curve(
        "cpu-0.5b",
        tuple(zip((2**i for i in range(10)), (1, 2.1, 4.1, 7.5, 12.6, 19.3, 26.6, 29.2, 31.4, 30.2), strict=True)),
    ),
    Curve(
        "cpu-1.5b",
        tuple(zip((2**i for i in range(10)), (1, 2.4, 4.4, 8.1, 12.4, 18.3, 25.3, 28.8, 31.3, 30.5), strict=True)),
    ),
)
"""Measured on two AVX-512 bf16 CPU cores, 512 tokens of context (LOG.md)."""


def named_curve(name: str) -> Curve:
    """One of the curves above. Raises UsageError for another name."""
    known = {curve.name: curve for curve in (*PAPER, *LOGGED)}
    if name not in known:
        raise UsageError(f"There is no curve {name!r}. There are {', '.join(known)}; --kernel reads a measured one.")
    return known[name]


def read_curves(path: Path) -> tuple[Curve, ...]:
    """The curves of a stored kernel benchmark, one for each model or set and each context. Raises as `read_results`."""
    _, records = read_results(path, KernelRecord)
    curves = curves_of(records)
    if not curves:
        raise UsageError(f"{path.name} holds no point of a curve yet.")
    return curves


def curves_of(records: Iterable[KernelRecord]) -> tuple[Curve, ...]:
    """One curve for each set and each context."""
    points: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for record in records:
        points[f"{record.set}, context {record.context}"].append((record.num_tokens, record.speedup))
    return tuple(Curve(name, tuple(sorted(found))) for name, found in points.items())


@dataclass(frozen=True, slots=True)
class Bounds:
    """By how much decoding T tokens one by one is slower, where copies are known. Three ways to charge a copy."""

    m8: float
    """Every span as if it had 8 tokens: the floor of token-level copying with that minimum."""
    mean: float
    """Every span as if it had the mean length."""
    exact: float
    """T / (T_gen + sum of N_k / s(N_k))."""


def bounds(curve: Curve, num_tokens: int, spans: Sequence[int]) -> Bounds:
    """The bounds for a text of so many tokens with copied spans of these lengths. Raises ValueError for no tokens."""
    if num_tokens < 1:
        raise ValueError("a text without tokens has no bound")
    copied = sum(spans)
    generated = max(num_tokens - copied, 0)
    mean = copied / len(spans) if spans else 0.0

    def bound(copy_steps: float) -> float:
        return num_tokens / (generated + copy_steps)

    return Bounds(
        m8=bound(copied / curve(8)),
        mean=bound(copied / curve(max(mean, 1.0))),
        exact=bound(exact_steps(curve, spans)),
    )


def exact_steps(curve: Curve, spans: Iterable[int]) -> float:
    """What copies of these lengths cost together, in forwards over one token."""
    return sum(map(curve.steps, spans))
