"""Telling an answer while it is written: which lines are copied, and the text of all others, piece by piece.

`Narrator` follows a rewritten text, `ProgramNarrator` a program. In a rewritten text a line that the model spelt anew,
with other tokens, just as it stands next in the source, counts as copied.
Law: the pieces of TextGenerated joined are the lines that were not copied whole, in order and with their LF.
"""

import codecs
from collections.abc import Callable

from copyspan.edits.program import parse_copy, unescape
from copyspan.edits.text import LineRange
from copyspan.strategies.events import Event, LinesCopied, TextGenerated
from copyspan.strategies.transcript import SourceMap, Transcript


class Narrator:
    """Follows one transcript. Lines are numbered from `first_line`; the closing fence is told to nobody."""

    def __init__(
        self, emit: Callable[[Event], None], source: SourceMap, source_text: bytes, fence: str, first_line: int
    ) -> None:
        self._emit = emit
        self._source = source
        self._source_lines = [line + b"\n" for line in source_text.split(b"\n")[:-1]]
        self._fence = fence.encode()
        self._first_line = first_line
        self._line_start = 0
        self._told = 0
        self._copied: LineRange | None = None
        self._next_line = 0
        """The line of the source after the last copied one."""
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def tell(self, transcript: Transcript) -> None:
        """Say what is new since the last call."""
        stop = len(transcript.text) if transcript.end is None else transcript.end
        newline = transcript.text.find(b"\n", self._line_start, stop)
        while newline >= 0:
            self._tell_line(transcript, newline + 1)
            newline = transcript.text.find(b"\n", self._line_start, stop)
        self._flush_copied()
        if self._line_start < stop and self._differs(transcript, stop):
            self._tell_text(transcript, stop)

    def _tell_line(self, transcript: Transcript, stop: int) -> None:
        copied = transcript.copied_line(self._line_start, stop, self._source)
        if copied is None and transcript.text[self._line_start : stop] == self._expected:
            copied = self._next_line
        if copied is not None and self._told == self._line_start:
            self._add_copied(self._first_line + copied)
            self._next_line = copied + 1
        else:
            self._flush_copied()
            self._tell_text(transcript, stop)
        self._line_start = self._told = stop

    def _differs(self, transcript: Transcript, stop: int) -> bool:
        """Whether the unfinished line is known not to become a copied line, nor the fence."""
        line = transcript.text[self._line_start : stop]
        if self._told > self._line_start:
            return True
        if self._fence.startswith(line) or line.startswith(self._fence) or self._expected.startswith(line):
            return False
        origin = transcript.origin[self._line_start : stop]
        first = origin[0]
        return first not in self._source.lines_by_start or origin != list(range(first, first + len(origin)))

    @property
    def _expected(self) -> bytes:
        """The line that comes next if nothing changes."""
        return self._source_lines[self._next_line] if self._next_line < len(self._source_lines) else b""

    def _tell_text(self, transcript: Transcript, stop: int) -> None:
        text = self._decoder.decode(transcript.text[self._told : stop])
        self._told = stop
        if text:
            self._emit(TextGenerated(text))

    def _add_copied(self, line: int) -> None:
        if self._copied is not None and self._copied.stop == line:
            self._copied = LineRange(self._copied.start, line + 1)
        else:
            self._flush_copied()
            self._copied = LineRange(line, line + 1)

    def _flush_copied(self) -> None:
        if self._copied is not None:
            self._emit(LinesCopied(self._copied))
            self._copied = None


class ProgramNarrator:
    """Follows a program in surface form, line by line: the beginning of a line may be that of an end tag."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._rest = b""
        self._is_in_body = False

    def tell(self, data: bytes) -> None:
        """Say what these further bytes complete."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if self._is_in_body and line != b"</gen>":
                self._emit(TextGenerated(unescape(line.decode(errors="replace")) + "\n"))
            elif self._is_in_body or line == b"<gen>":
                self._is_in_body = not self._is_in_body
            elif copy := parse_copy(line.decode() + "\n"):
                self._emit(LinesCopied(LineRange(copy.start, copy.stop)))
