"""A table of what edits touch where the reference is one of many right answers: commits, told by their messages."""

from collections.abc import Sequence

from copyspan.bench.edit_records import EditRecord, WayRecord
from copyspan.bench.edit_stats import CHOICES, group_by
from copyspan.bench.stats import proportion
from copyspan.bench.tables import Table


def place_table(records: Sequence[EditRecord]) -> Table:
    """The first candidates of each way, set by set; intervals are Wilson's.

    Well-formed is an answer that came to its end and was not refused. In place it is where it changes something, and
    nothing at a place that the reference leaves alone; harmless where it loses no line that the reference keeps.
    """
    rows = []
    for name, group in group_by(records, lambda record: record.set).items():
        for label, choose in CHOICES.items():
            answers = [answer for record in group if (answer := choose(record)) is not None]
            if any(c.difference is not None for answer in answers for c in answer.candidates):
                rows.append((name, label, f"{len(answers)}", *_shares(answers)))
    headings = ("set", "way", "n", "well-formed %", "changes something %", "in place %", "harmless %", "exact %")
    return Table("What edits touch", headings, tuple(rows))


def _shares(answers: Sequence[WayRecord]) -> tuple[str, ...]:
    found = [answer.candidates[0] for answer in answers if answer.candidates]
    hits = (
        len(found),
        sum(first.changed for first in found),
        sum(first.changed and first.difference in ("none", "ends", "missing") for first in found),
        sum(first.lost_lines == 0 for first in found),
        sum(first.exact for first in found),
    )
    return tuple(proportion(hit, len(answers)).format(1, 100) for hit in hits)
