"""The changes of one notification as edit lists. Knows positions and texts, not documents or protocol types.

Law, for the steps of any changes, first to last:
    step.edits.apply(step.before) == step.after == the next step's before
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from copyspan.edits.edit import Edit, EditList
from copyspan.edits.text import Snapshot
from copyspan_lsp.positions import LineTable


@dataclass(frozen=True, slots=True)
class TextChange:
    """Replace what lies between two positions (line, character), in either order, by `text`; else the whole text.

    The positions are those of the text that the change before this one leaves. Raises ValueError where only one of
    them is given.
    """

    text: str
    start: tuple[int, int] | None = None
    stop: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if (self.start is None) != (self.stop is None):
            raise ValueError(f"a change needs two positions or none, not {self.start} and {self.stop}")


class Step(NamedTuple):
    """Some of the changes, one after the other: edits.apply(before) == after."""

    before: str
    edits: EditList
    after: str


def steps(table: LineTable, changes: Sequence[TextChange]) -> Iterator[Step]:
    """The changes of the table's text in as few steps as their order allows; none without changes.

    Raises ValueError for a negative position.
    """
    rest = deque(changes)
    while rest:
        batch = _Batch(table)
        while rest and batch.take(rest[0]):
            rest.popleft()
        before, edits = table.snapshot.text, EditList(tuple(batch.edits))
        after = edits.apply(before)
        yield Step(before, edits, after)
        table = LineTable(Snapshot(after), table.encoding)


class _Batch:
    """Changes of one text, each above or below all the lines that those before it touched.

    One line table serves them all, so that replacing a word in a thousand lines does not split the text a thousand
    times. Editors send such changes from the bottom up or from the top down.
    """

    def __init__(self, table: LineTable) -> None:
        self.edits: deque[Edit] = deque()  # in order, of the table's text
        self._table = table
        self._num_new_lines = 0  # how far down the lines below all edits have moved; negative for up

    def take(self, change: TextChange) -> bool:
        """Add the change, unless it must wait for those before it. The first one is always taken."""
        edit = self._edit(change)
        if edit is None:
            return False
        if self.edits and self.edits[0].start < edit.start:
            self.edits.append(edit)
        else:
            self.edits.appendleft(edit)
        self._num_new_lines += self._count_new_lines(edit)
        return True

    def _edit(self, change: TextChange) -> Edit | None:
        table, snapshot = self._table, self._table.snapshot
        if change.start is None or change.stop is None:
            return None if self.edits else Edit(0, len(snapshot.text), change.text)
        start, stop = sorted((change.start, change.stop))
        if not self.edits or stop[0] < snapshot.line_at(self.edits[0].start):
            return Edit(table.offset(*start), table.offset(*stop), change.text)
        moved, end = self._num_new_lines, self.edits[-1].stop
        if start[0] - moved <= snapshot.line_at(end):
            return None
        edit = Edit(table.offset(start[0] - moved, start[1]), table.offset(stop[0] - moved, stop[1]), change.text)
        return edit if edit.start > end else None  # a line beyond the last one leads to the end of the text

    def _count_new_lines(self, edit: Edit) -> int:
        text = self._table.snapshot.text
        left, right = text[max(edit.start - 1, 0) : edit.start], text[edit.stop : edit.stop + 1]  # halves of a CRLF?
        old = text[edit.start : edit.stop]
        return _num_line_ends(left + edit.text + right) - _num_line_ends(left + old + right)


def _num_line_ends(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")
