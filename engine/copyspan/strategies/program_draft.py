"""What a program will probably say next: a guess that one forward checks at once. Knows no tokens and no model.

Most edits change a line or two in place. So after a copy a gen is guessed whose text is the next line, as it was; where
the model writes a part of it anew, what is left of the line; after a changed line the end of the gen, and a copy of all
that follows. A wrong guess costs next to nothing: the forward had to run anyway.
"""

from collections.abc import Sequence

from copyspan.edits.program import escape, parse_copy

_LONGEST_MATCH = 16
_GEN, _END_GEN, _END = "<gen>", "</gen>", "</program>"


class ProgramDrafter:
    """Guesses for programs over the lines of one scope."""

    def __init__(self, lines: Sequence[str], first: int) -> None:
        """`lines`: the scope's, without terminators; `first`: the number of the first of them, counted from 1."""
        self._lines = [escape(line) for line in lines]
        self._first = first

    def guess(self, written: str) -> list[str]:
        """What may follow: the rest of an operation, further operations, the end tag; nothing where nothing is known.

        `written` is the program so far, in surface form.
        """
        *lines, line = written.split("\n")
        body = _open_body(lines)
        if body is not None:
            return self._in_body(self._after_copies(lines), body, line)
        return next((found for parts in self._at_border(lines, line) if (found := _rest(parts, line))), [])

    def _at_border(self, lines: Sequence[str], line: str) -> list[list[str]]:
        """What may stand at the end of `lines`, the likeliest first."""
        place = self._after_copies(lines)
        if not any(map(_copied_to, lines)) and _END_GEN not in lines:
            return [[f'<copy lines="{self._first}-']]
        if lines[-1] == _END_GEN:
            place += len(_last_body(lines))
            return [self._tail(place), *self._tails_from(line)]
        if place > self._last:
            return [[_END]]
        text = f"{_GEN}\n{self._line(place)}\n{_END_GEN}\n"
        return [[text, *self._tail(place + 1)], self._tail(place + 1), *self._tails_from(line)]

    def _in_body(self, place: int, body: Sequence[str], line: str) -> list[str]:
        """In a gen that stands where line `place` was; `body` are its complete lines."""
        place += len(body)
        end = f"{_END_GEN}\n"
        if line and end.startswith(line):
            return [end[len(line) :], *self._tail(place)]
        if not line and body and body[-1] != self._line(place - 1):
            return [end, *self._tail(place)]
        rest = self._rest_of_line(place, line)
        return [] if rest is None else [f"{rest}\n{end}", *self._tail(place + 1)]

    def _rest_of_line(self, place: int, begun: str) -> str | None:
        """What is left of a line that was begun anew."""
        line = self._line(place)
        if line is None or line.startswith(begun):
            return None if line is None else line[len(begun) :]
        for length in range(min(_LONGEST_MATCH, len(begun)), 0, -1):
            at = line.rfind(begun[-length:])
            if at >= 0:
                return line[at + length :]
        return None

    def _tail(self, place: int) -> list[str]:
        """All lines from `place` on, and the end."""
        return [_copy(place, self._last), _END] if place <= self._last else [_END]

    def _tails_from(self, line: str) -> list[list[str]]:
        """The same from the line whose number is written already."""
        number = line.removeprefix('<copy lines="').partition("-")[0]
        return [self._tail(int(number))] if "-" in line and number.isdecimal() else []

    def _after_copies(self, lines: Sequence[str]) -> int:
        """The line after the last one that was copied."""
        return next((last + 1 for line in reversed(lines) if (last := _copied_to(line))), self._first)

    @property
    def _last(self) -> int:
        return self._first + len(self._lines) - 1

    def _line(self, place: int) -> str | None:
        return self._lines[place - self._first] if self._first <= place <= self._last else None


def _open_body(lines: Sequence[str]) -> list[str] | None:
    """The complete lines of the gen that is open; None where none is. A body holds no such tags of its own."""
    start = max((i for i, line in enumerate(lines) if line == _GEN), default=None)
    return None if start is None or _END_GEN in lines[start:] else list(lines[start + 1 :])


def _last_body(lines: Sequence[str]) -> list[str]:
    """The lines of the gen that has just ended."""
    start = max(i for i, line in enumerate(lines) if line == _GEN)
    return list(lines[start + 1 : -1])


def _copied_to(line: str) -> int:
    """The last line of a copy, counted from 1; 0 where the line is none."""
    copy = parse_copy(line + "\n")
    return 0 if copy is None else copy.stop


def _copy(first: int, last: int) -> str:
    return f'<copy lines="{first}-{last}"/>\n'


def _rest(parts: Sequence[str], line: str) -> list[str]:
    """What is left of the first part and the others, where it begins with what is written."""
    first, *others = parts
    return [first[len(line) :], *others] if first.startswith(line) else []
