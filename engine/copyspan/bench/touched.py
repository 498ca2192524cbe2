"""What an edit touches, beside what its reference touches: the places, and lines that get lost. Knows no model."""

from dataclasses import dataclass

from copyspan.bench.edit_records import Difference
from copyspan.bench.program_judge import between_copies, difference_of, gaps_of
from copyspan.edits.align import align_lines
from copyspan.edits.program import CopyLines, Gen
from copyspan.edits.text import Snapshot, split_lines


@dataclass(frozen=True, slots=True)
class Touched:
    """What one text changes in a document."""

    difference: Difference
    """How its places differ from those of the reference."""
    lost_lines: int
    """Lines that the reference keeps, and that the text lacks without new ones in their place. One that is written
    elsewhere, whatever its indentation, is not lost, nor is an empty one."""


def touched(snapshot: Snapshot, text: str, after: str) -> Touched:
    """Compare a whole document after an edit with the reference, `after`."""
    found, right = align_lines(snapshot, text).ops, align_lines(snapshot, after).ops
    places, wanted = (gaps_of(ops, snapshot.num_lines) for ops in (found, right))
    kept = {i for op in right if isinstance(op, CopyLines) for i in range(op.start, op.stop)}
    written = {line.strip() for op in found if isinstance(op, Gen) for line in split_lines(op.text)}
    lost = 0
    for place, start, num_new in between_copies(found, snapshot.num_lines):
        dropped = range(place, start)
        lines = [i for i in dropped if i in kept and snapshot.content(i).strip() not in {"", *written}]
        lost += min(len(lines), max(0, len(dropped) - num_new))
    return Touched(difference_of(places, wanted), lost)
