"""Which copies stay where they are. Knows ranges of characters and their order, nothing else."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Anchor(NamedTuple):
    """old[start:stop] stands in the new text from `new_start` on."""

    start: int
    stop: int
    new_start: int

    @property
    def new_stop(self) -> int:
        return self.new_start + self.stop - self.start

    def cut(self, start: int, stop: int) -> "Anchor":
        """The part of it that lies in start..stop of the old text."""
        return Anchor(start, stop, self.new_start + start - self.start)


def heaviest_chain(copies: Sequence[Anchor], line_starts: Sequence[int]) -> list[Anchor]:
    """The copies that can stay: increasing, disjoint, and of the greatest number of characters together.

    `copies` come in the order of the new text; parts of them stay too, divided at the starts of lines. Of equally heavy
    chains the one that ends first is taken. O(m log m) for m copies, as divided.
    """
    joined = _join(copies)
    if all(left.stop <= right.start for left, right in pairwise(joined)):
        return joined
    return _join(_choose(_divide(joined, line_starts)))


def _join(anchors: Sequence[Anchor]) -> list[Anchor]:
    """Neighbours in both texts become one."""
    joined: list[Anchor] = []
    for anchor in anchors:
        if joined and joined[-1].stop == anchor.start and joined[-1].new_stop == anchor.new_start:
            joined[-1] = Anchor(joined[-1].start, anchor.stop, joined[-1].new_start)
        elif anchor.start < anchor.stop:
            joined.append(anchor)
    return joined


def _divide(copies: Sequence[Anchor], line_starts: Sequence[int]) -> list[Anchor]:
    """The copies cut at every start of a line at which, or in whose line, another one begins or ends.

    Afterwards two parts that overlap are the same, or are pieces of one line. So to keep or to drop parts as a whole
    loses nothing, and there are few of them where copies are long.
    """
    ends = {offset for copy in copies for offset in copy[:2]}
    below = {line_starts[bisect_right(line_starts, offset) - 1] for offset in ends}
    above = {line_starts[bisect_left(line_starts, offset)] for offset in ends}
    borders = sorted(below | above)
    parts = []
    for copy in copies:
        inner = borders[bisect_right(borders, copy.start) : bisect_left(borders, copy.stop)]
        cuts = [copy.start, *inner, copy.stop]
        parts += [copy.cut(start, stop) for start, stop in pairwise(cuts)]
    return parts


def _choose(parts: Sequence[Anchor]) -> list[Anchor]:
    """The heaviest subsequence in which every part starts where the one before it has ended, or later."""
    stops = sorted({part.stop for part in parts})
    best = _PrefixBest(len(stops))
    weights: list[int] = []
    before: list[int] = []
    for i, part in enumerate(parts):
        weight, previous = best.up_to(bisect_right(stops, part.start))
        weights.append(weight + part.stop - part.start)
        before.append(previous)
        best.offer(bisect_left(stops, part.stop), weights[i], i)
    chosen = []
    i = best.up_to(len(stops))[1]
    while i >= 0:
        chosen.append(parts[i])
        i = before[i]
    return chosen[::-1]


class _PrefixBest:
    """The heaviest (weight, index) offered at any of the first n places; a Fenwick tree, O(log n) for both calls."""

    def __init__(self, size: int) -> None:
        self._tree = [(0, -1)] * (size + 1)

    def offer(self, place: int, weight: int, index: int) -> None:
        node = place + 1
        while node < len(self._tree):
            if weight > self._tree[node][0]:
                self._tree[node] = (weight, index)
            node += node & -node

    def up_to(self, count: int) -> tuple[int, int]:
        best, node = (0, -1), count
        while node > 0:
            if self._tree[node][0] > best[0]:
                best = self._tree[node]
            node -= node & -node
        return best
