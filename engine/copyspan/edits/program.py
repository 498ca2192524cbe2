"""Edit programs and their surface form. Knows no document: only how many lines and tokens it has.

The surface form is what a model writes: every operation on lines of its own, ended by LF, ranges counted from 1 and
inclusive. Inside the code ranges are counted from 0 and half-open.

    <program>
    <copy lines="3-7"/>
    <gen>
    new text, escaped
    </gen>
    </program>

Law: parse_program(format_program(p), num_lines=n) == p, for every program p that copies from n lines.
"""

import re
from dataclasses import dataclass
from typing import NoReturn

from copyspan.errors import ProgramRangeError, ProgramSyntaxError

_RESERVED = r"(copy|/copy>|gen>|/gen>|program>|/program>)"
_TO_ESCAPE = re.compile(rf"<(\\*){_RESERVED}")
_TO_UNESCAPE = re.compile(rf"<\\(\\*){_RESERVED}")
_BARE = re.compile(rf"<{_RESERVED}")
_COPY = re.compile(r'<copy (lines|tokens)="(0|[1-9][0-9]{0,17})-(0|[1-9][0-9]{0,17})"/>\n')
_OPEN, _CLOSE, _GEN, _END_GEN = "<program>\n", "</program>", "<gen>\n", "</gen>"


@dataclass(frozen=True, slots=True)
class _Copy:
    start: int
    stop: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.stop:
            raise ProgramRangeError(f"A copy needs 0 <= start < stop, not {self.start} and {self.stop}.")

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class CopyLines(_Copy):
    """Lines start..stop-1 of the document, counted from 0. Raises ProgramRangeError unless 0 <= start < stop."""


@dataclass(frozen=True, slots=True)
class CopyTokens(_Copy):
    """Tokens start..stop-1 of the document, counted from 0. Raises ProgramRangeError unless 0 <= start < stop."""


@dataclass(frozen=True, slots=True)
class Gen:
    """New text, exactly as it is to stand in the document, terminators included."""

    text: str


Op = CopyLines | CopyTokens | Gen


@dataclass(frozen=True, slots=True)
class Program:
    """Operations whose results, one after the other, are the new text of a scope."""

    ops: tuple[Op, ...] = ()


def format_program(program: Program) -> str:
    """The surface form, with LF after `</program>`."""
    return "".join((_OPEN, *map(_format_op, program.ops), _CLOSE, "\n"))


def parse_program(text: str, *, num_lines: int, num_tokens: int = 0, clip: bool = False) -> Program:
    """The program that a surface form states.

    Raises ProgramSyntaxError where the text is not one, with the place, and ProgramRangeError where it copies what does
    not exist. With `clip` such ranges are cut to what exists, and left out where nothing remains.
    """
    if not text.startswith(_OPEN):
        _fail("<program>", 0)
    limits = {"lines": num_lines, "tokens": num_tokens}
    ops: list[Op] = []
    offset = len(_OPEN)
    while not text.startswith(_CLOSE, offset):
        op, offset = _parse_op(text, offset, limits, clip)
        if op is not None:
            ops.append(op)
    if text[offset:] not in (_CLOSE, _CLOSE + "\n"):
        _fail("the end of the program", offset + len(_CLOSE))
    return Program(tuple(ops))


def parse_copy(line: str) -> CopyLines | None:
    """The copy of lines that one line of a surface form states, with its LF; None where it states none."""
    match = _COPY.fullmatch(line)
    return CopyLines(int(match[2]) - 1, int(match[3])) if match and match[1] == "lines" else None


def escape(text: str) -> str:
    """Text as it stands in a gen body: no reserved literal is left in it. unescape(escape(t)) == t for every t."""
    return _TO_ESCAPE.sub(r"<\\\1\2", text)


def unescape(body: str) -> str:
    """The text that a gen body stands for; the inverse of `escape`."""
    return _TO_UNESCAPE.sub(r"<\1\2", body)


def _format_op(op: Op) -> str:
    if isinstance(op, Gen):
        return f"{_GEN}{escape(op.text)}{_END_GEN}\n"
    unit = "lines" if isinstance(op, CopyLines) else "tokens"
    return f'<copy {unit}="{op.start + 1}-{op.stop}"/>\n'


def _parse_op(text: str, offset: int, limits: dict[str, int], clip: bool) -> tuple[Op | None, int]:
    """The operation at `offset` (None if nothing of it is left) and where it ends."""
    if text.startswith(_GEN, offset):
        return _parse_gen(text, offset + len(_GEN))
    match = _COPY.match(text, offset)
    if match is None:
        _fail("an operation or </program>", offset)
    unit, first, last = match[1], int(match[2]), int(match[3])
    limit = limits[unit]
    if clip:
        first, last = max(first, 1), min(last, limit)
        if first > last:
            return None, match.end()
    elif not 1 <= first <= last <= limit:
        raise ProgramRangeError(f"The program copies {unit} {first}-{last}, and the document has {limit} {unit}.")
    kind = CopyLines if unit == "lines" else CopyTokens
    return kind(first - 1, last), match.end()


def _parse_gen(text: str, offset: int) -> tuple[Gen, int]:
    """The gen whose body starts at `offset`. A body holds no bare literal, so the first `</gen>` is its end."""
    stop = text.find(_END_GEN, offset)
    if stop < 0:
        _fail("</gen>", len(text))
    bare = _BARE.search(text, offset, stop)
    if bare is not None:
        _fail(f"<\\{bare[1]} (escaped) in a gen body", bare.start())
    end = stop + len(_END_GEN)
    if not text.startswith("\n", end):
        _fail("a newline after </gen>", end)
    return Gen(unescape(text[offset:stop])), end + 1


def _fail(expected: str, offset: int) -> NoReturn:
    raise ProgramSyntaxError(f"Not an edit program: expected {expected} at character {offset}.")
