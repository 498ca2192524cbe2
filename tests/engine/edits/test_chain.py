"""Law 5: the heaviest increasing chain of copies stays."""

from itertools import pairwise

import pytest
from documents import programs, snapshots
from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.edits.chain import Anchor, heaviest_chain
from copyspan.edits.program import CopyLines
from copyspan.edits.text import LineRange


def anchors(*spans: tuple[int, int]) -> list[Anchor]:
    """Copies that stand in the new text one after the other."""
    placed: list[Anchor] = []
    for start, stop in spans:
        placed.append(Anchor(start, stop, placed[-1].new_stop if placed else 0))
    return placed


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_it_is_as_heavy_as_the_best_over_single_lines(data):
    snapshot = data.draw(snapshots)
    ops = [op for op in data.draw(programs(snapshot.all_lines)).ops if isinstance(op, CopyLines)]
    copies = anchors(*(snapshot.span(LineRange(op.start, op.stop)) for op in ops))
    chain = heaviest_chain(copies, snapshot.starts)
    lines = [i for op in ops for i in range(op.start, op.stop)]
    best: list[int] = []
    for place, line in enumerate(lines):
        before = (best[j] for j in range(place) if lines[j] < line)
        best.append(max(before, default=0) + len(snapshot.line(line)))
    assert sum(part.stop - part.start for part in chain) == max(best, default=0)
    for left, right in pairwise(chain):
        assert left.stop <= right.start
        assert left.new_stop <= right.new_start


@pytest.mark.parametrize(
    ("spans", "kept"),
    [
        ([(0, 4), (6, 8)], [(0, 4, 0), (6, 8, 4)]),
        ([(0, 4), (4, 8)], [(0, 8, 0)]),  # neighbours are one copy
        ([(4, 8), (0, 2)], [(4, 8, 0)]),
        ([(4, 6), (0, 4)], [(0, 4, 2)]),
        ([(0, 4), (0, 4)], [(0, 4, 0)]),  # of equals, the first
        ([(0, 6), (2, 8)], [(0, 6, 0), (6, 8, 10)]),
        ([(0, 3), (2, 6)], [(0, 2, 0), (2, 6, 3)]),  # a piece of a line gives way to the whole line
        ([], []),
    ],
)
def test_heaviest_chain(spans, kept):
    assert heaviest_chain(anchors(*spans), (0, 2, 4, 6, 8)) == [Anchor(*span) for span in kept]
