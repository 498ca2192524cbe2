"""How far a program is from the one that an oracle would have written: its copies, and what went wrong.

A gap is where a program does not go on copying: lines that go, with new text in their place or without, or a border
between two lines where new text comes in. A copy is a maximal run of lines between two gaps.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from copyspan.bench.edit_records import Difference, ProgramRecord
from copyspan.edits.align import align_lines
from copyspan.edits.program import CopyLines, Gen, Op, Program
from copyspan.edits.text import LineRange, Snapshot, split_lines


class Gap(NamedTuple):
    """Lines start..stop-1, counted from 0; none of them where new text alone comes in."""

    start: int
    stop: int

    def touches(self, other: "Gap") -> bool:
        return self.start <= other.stop and other.start <= self.stop


def judge_program(program: Program | None, snapshot: Snapshot, scope: LineRange, after: str) -> ProgramRecord:
    """Compare the program of a scope with the oracle's for the whole document, whose right text is `after`.

    The lines outside the scope, which stay, count in both. None is for a program that was of no use: no copy of it is
    right.
    """
    right = gaps_of(align_lines(snapshot, after).ops, snapshot.num_lines)
    starts, stops = _starts(right, snapshot.num_lines), _stops(right, snapshot.num_lines)
    if program is None:
        return ProgramRecord(copies=len(starts), starts_right=0, ends_right=0, difference="fallback")
    head, tail = _copy(0, scope.start), _copy(scope.stop, snapshot.num_lines)
    found = gaps_of([*head, *program.ops, *tail], snapshot.num_lines)
    return ProgramRecord(
        copies=len(starts),
        starts_right=len(starts & _starts(found, snapshot.num_lines)),
        ends_right=len(stops & _stops(found, snapshot.num_lines)),
        difference=difference_of(found, right),
    )


def gaps_of(ops: Iterable[Op], num_lines: int) -> list[Gap]:
    """The gaps of a program over a whole document, in order."""
    # A copy that goes back is no copy that stays.
    found = between_copies(ops, num_lines)
    return [Gap(min(place, start), max(place, start)) for place, start, num_new in found if place != start or num_new]


def between_copies(ops: Iterable[Op], num_lines: int) -> Iterator[tuple[int, int, int]]:
    """Before each copy of a program, and at its end: the line after the copy before it, the line that it goes on with,
    both counted from 0, and how many new lines stand between them."""
    place, num_new = 0, 0
    for op in (*ops, None):
        if isinstance(op, Gen):
            num_new += len(split_lines(op.text))
            continue
        yield place, op.start if isinstance(op, CopyLines) else num_lines, num_new
        place, num_new = op.stop if isinstance(op, CopyLines) else num_lines, 0


def difference_of(found: Sequence[Gap], right: Sequence[Gap]) -> Difference:
    """How the places differ, whatever stands there."""
    if found == right:
        return "none"
    if not found:
        return "unchanged"
    if not all(any(gap.touches(wanted) for wanted in right) for gap in found):
        return "elsewhere"
    if not all(any(gap.touches(wanted) for gap in found) for wanted in right):
        return "missing"
    return "ends"


def _starts(gaps: Sequence[Gap], num_lines: int) -> set[int]:
    """Where the copies begin."""
    return {start for start in (*_first(gaps), *(gap.stop for gap in gaps)) if start < num_lines}


def _stops(gaps: Sequence[Gap], num_lines: int) -> set[int]:
    """Where they end."""
    last = () if gaps and gaps[-1].stop == num_lines else (num_lines,)
    return {stop for stop in (*(gap.start for gap in gaps), *last) if stop > 0}


def _first(gaps: Sequence[Gap]) -> tuple[int, ...]:
    return () if gaps and gaps[0].start == 0 else (0,)


def _copy(start: int, stop: int) -> list[Op]:
    return [CopyLines(start, stop)] if start < stop else []
