"""Where the lines that the engine works on lie in the document, which has one comment more. Pure."""

from collections.abc import Iterator

from copyspan.edits.edit import EditList
from copyspan.edits.resolve import Hunk, hunks_of
from copyspan.edits.text import LineRange
from copyspan_lsp.task import Task


class Places:
    """Translates lines and hunks of a task's request to its document."""

    def __init__(self, task: Task) -> None:
        self._inner = task.request.snapshot
        self._document = task.document
        self._removal = task.removal
        self._comment = task.removal.invert(task.document.text)

    def line(self, line: int) -> int:
        """The document's number of line 0 <= line <= num_lines."""
        if not self._removal.edits:
            return line
        if line == self._inner.num_lines:  # no offset tells this place where the text does not end with a line end
            return self._document.num_lines
        removed = self._removal.edits[0]
        offset = self._inner.starts[line]
        return self._document.line_at(offset - removed.growth if offset >= removed.start else offset)

    def lines(self, lines: LineRange) -> Iterator[LineRange]:
        """The document's lines for some of the request's; in pieces where the comment stands between them."""
        start = lines.start
        for line in lines:
            if line + 1 == lines.stop or self.line(line + 1) != self.line(line) + 1:
                yield LineRange(self.line(start), self.line(line) + 1)
                start = line + 1

    def hunks(self, hunk: Hunk) -> tuple[Hunk, ...]:
        """The hunk in the document; none where it touches the comment, so that it comes with the result alone."""
        if not self._removal.edits:
            return (hunk,)
        edits = EditList(hunk.edits).rebase(self._comment)
        return hunks_of(edits, self._document) if edits is not None else ()
