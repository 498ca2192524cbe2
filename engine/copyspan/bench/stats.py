"""Medians, quantiles and intervals. Knows no benchmark."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

_Z = 1.959963984540054
"""The normal quantile of a two-sided interval of 95%."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and its interval of 95%."""

    value: float
    low: float
    high: float

    def format(self, digits: int = 2, factor: float = 1.0) -> str:
        value, low, high = (f"{x * factor:.{digits}f}" for x in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]"


def quantile(values: Sequence[float], q: float) -> float:
    """The q-quantile, 0 <= q <= 1, linear between neighbours. Raises ValueError for no values."""
    if not values:
        raise ValueError("no values have no quantile")
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def median(values: Sequence[float]) -> float:
    """Raises ValueError for no values."""
    return quantile(values, 0.5)


def bootstrap(
    items: Sequence[T], statistic: Callable[[Sequence[T]], float], *, seed: int, trials: int = 1000
) -> Interval:
    """The percentile interval of a statistic of the items, by drawing as many with replacement, `trials` times.

    The same items in the same order with the same seed give the same interval. Raises ValueError for no items.
    """
    if not items:
        raise ValueError("no items have no interval")
    draw = random.Random(seed)
    drawn = [statistic(draw.choices(items, k=len(items))) for _ in range(trials)]
    return Interval(statistic(items), quantile(drawn, 0.025), quantile(drawn, 0.975))


def ratio_of_sums(pairs: Sequence[tuple[float, float]]) -> float:
    """The sum of the first ones over the sum of the second ones; nan where that is 0."""
    divisor = sum(second for _, second in pairs)
    return sum(first for first, _ in pairs) / divisor if divisor else math.nan


def ratio_of_medians(pairs: Sequence[tuple[float, float]]) -> float:
    """The median of the first ones over the median of the second ones; nan where that is 0."""
    divisor = median([second for _, second in pairs])
    return median([first for first, _ in pairs]) / divisor if divisor else math.nan


def proportion(hits: int, trials: int) -> Interval:
    """The share of hits in independent trials, with Wilson's interval, which holds for none and for all as well.

    Raises ValueError unless 0 <= hits <= trials and 0 < trials.
    """
    if not 0 <= hits <= trials or trials == 0:
        raise ValueError(f"{hits} hits of {trials} trials")
    share, weight = hits / trials, _Z * _Z / trials
    middle = (share + weight / 2) / (1 + weight)
    reach = _Z * math.sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    return Interval(share, max(middle - reach, 0.0), min(middle + reach, 1.0))
