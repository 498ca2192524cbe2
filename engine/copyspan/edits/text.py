"""A document's text and its lines. A line ends at LF, CRLF or CR and nowhere else, and keeps its own terminator.

Positions are code points of the text. `str.splitlines` is not used anywhere: it also breaks at form feed, NEL, U+2028
and others, which no editor takes for a line end.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

_TERMINATOR = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines start..stop-1, counted from 0. An empty range is the place before line `start`.

    It is a place like any other, so every range is true: `scope or snapshot.all_lines` is safe. Raises ValueError
    unless 0 <= start <= stop.
    """

    start: int
    stop: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.stop:
            raise ValueError(f"a line range needs 0 <= start <= stop, not {self.start} and {self.stop}")

    def __len__(self) -> int:
        return self.stop - self.start

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.start, self.stop))

    def __contains__(self, line: int) -> bool:
        return self.start <= line < self.stop

    def contains(self, other: "LineRange") -> bool:
        """Whether `other` lies inside; an empty range does at every place from start to stop."""
        return self.start <= other.start and other.stop <= self.stop


@dataclass(frozen=True)
class Snapshot:
    """A document's text, with the version that the editor gave it.

    An empty text has no lines. A text that ends with a terminator has no empty line after it. Hence
    "".join(line(i) for i in range(num_lines)) == text.
    """

    text: str
    version: int | None = None

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The num_lines + 1 borders of lines: line i is text[starts[i]:starts[i + 1]]."""
        return _line_borders(self.text)

    @property
    def num_lines(self) -> int:
        return len(self.starts) - 1

    @property
    def all_lines(self) -> LineRange:
        return LineRange(0, self.num_lines)

    @property
    def ends_open(self) -> bool:
        """Whether the last line has no terminator. An empty text does not end open."""
        return self.num_lines > 0 and not self.terminator(self.num_lines - 1)

    def line(self, i: int) -> str:
        """Line i with its terminator. Raises IndexError unless 0 <= i < num_lines."""
        if not 0 <= i < self.num_lines:
            raise IndexError(f"line {i} of {self.num_lines} lines")
        return self.text[self.starts[i] : self.starts[i + 1]]

    def content(self, i: int) -> str:
        """Line i without its terminator."""
        return strip_terminator(self.line(i))

    def terminator(self, i: int) -> str:
        """How line i ends: LF, CRLF, CR, or "" for a last line that ends with the text."""
        line = self.line(i)
        return line[len(strip_terminator(line)) :]

    def span(self, lines: LineRange) -> tuple[int, int]:
        """The text positions at which the lines begin and end. Raises IndexError beyond the last line."""
        if lines.stop > self.num_lines:
            raise IndexError(f"lines {lines.start} to {lines.stop} of {self.num_lines} lines")
        return self.starts[lines.start], self.starts[lines.stop]

    def without_blank_edges(self, lines: LineRange) -> LineRange:
        """The lines without those at either end that hold white space alone; the same lines where all of them do."""
        filled = [i for i in lines if self.content(i).strip()]
        return LineRange(filled[0], filled[-1] + 1) if filled else lines

    def line_at(self, offset: int) -> int:
        """The line that a cursor at `offset` is on; num_lines after a final terminator, and in an empty text.

        Raises IndexError unless 0 <= offset <= len(text).
        """
        if not 0 <= offset <= len(self.text):
            raise IndexError(f"position {offset} of {len(self.text)} characters")
        if offset == len(self.text) and self.ends_open:
            return self.num_lines - 1
        return bisect_right(self.starts, offset) - 1

    def newline_near(self, i: int) -> str:
        """The terminator that a new line placed before line i takes, 0 <= i <= num_lines.

        It is that of the nearest line above that has one, else that of line i, else LF.
        """
        above = (self.terminator(j) for j in range(i - 1, max(i - 3, -1), -1))  # only the last line can lack one
        below = (self.terminator(j) for j in range(i, min(i + 1, self.num_lines)))
        return next((found for found in (*above, *below) if found), "\n")


def split_lines(text: str) -> list[str]:
    """The lines of the text with their terminators; "".join(split_lines(t)) == t."""
    return [text[start:stop] for start, stop in pairwise(_line_borders(text))]


def strip_terminator(line: str) -> str:
    """The line without the terminator at its end, if there is one."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(("\n", "\r")) else line


def _line_borders(text: str) -> tuple[int, ...]:
    borders = [0, *(match.end() for match in _TERMINATOR.finditer(text))]
    if borders[-1] != len(text):
        borders.append(len(text))
    return tuple(borders)
