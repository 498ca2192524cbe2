"""Positions as editors count them: a line, and code units of UTF-8, UTF-16 or UTF-32 on that line.

Everything else in copyspan counts code points of the whole text; this module alone knows about code units. It knows no
protocol types, no documents and no changes.
"""

from bisect import bisect_right
from typing import Literal

from copyspan.edits.text import Snapshot, strip_terminator

Encoding = Literal["utf-8", "utf-16", "utf-32"]


class LineTable:
    """The positions of one snapshot's text in one encoding, both ways.

    An editor has one line more than a snapshot where the text is empty or ends with a terminator: an empty last line.
    A lone surrogate counts one unit in UTF-16 and UTF-32, and three in UTF-8.
    """

    def __init__(self, snapshot: Snapshot, encoding: Encoding) -> None:
        self.snapshot = snapshot
        self.encoding = encoding

    def offset(self, line: int, character: int) -> int:
        """The code point of the text at which the position lies.

        A character beyond the line's content means its end, before the terminator, and one inside a code point means
        the start of that; a line beyond the last one means the end of the text. Hence no offset lies inside a CRLF.
        Raises ValueError for negative values.
        """
        if line < 0 or character < 0:
            raise ValueError(f"a position needs a line and a character from 0, not {line} and {character}")
        if line >= self.snapshot.num_lines:
            return len(self.snapshot.text)
        head = self.snapshot.content(line)[:character]  # a code point is one unit at least
        size = len(head)
        if self._num_units(head) > size:
            size = bisect_right(range(1, size + 1), character, key=lambda n: self._num_units(head[:n]))
        return self.snapshot.starts[line] + size

    def position(self, offset: int) -> tuple[int, int]:
        """The line and the character of an offset: offset(*position(o)) == o.

        An offset between CR and LF, where no editor has a position, is taken for the one before the CR. Raises
        IndexError unless 0 <= offset <= len(text).
        """
        line = self.snapshot.line_at(offset)
        head = self.snapshot.text[self.snapshot.starts[line] : offset]
        return line, self._num_units(strip_terminator(head))

    def _num_units(self, text: str) -> int:
        if self.encoding == "utf-32" or text.isascii():
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
