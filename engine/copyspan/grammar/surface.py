"""The surface form of programs as an automaton over bytes. Knows no tokens and no document, only which lines it has.

    <program>\\n  ( <copy lines="i-j"/>\\n  |  <gen>\\n body </gen>\\n )*  </program>   and at most one final \\n

i and j are decimal without leading zeros, lo <= i <= j <= hi, and in monotone mode i comes after the last copied line.
Where no line is left to copy, `<copy` is no way to go on. From every state some continuation leads to the end of a
program, so "there is a next state" and "there is a continuation" are one and the same.
"""

from dataclasses import dataclass
from typing import TypeAlias

from copyspan.edits.program import CopyLines
from copyspan.grammar import body

_CHOICES_IN_NUMBER = b'0123456789-"'


@dataclass(frozen=True, slots=True)
class Fixed:
    """Inside text that can go on in one way only."""

    rest: bytes
    """What is still to come, never empty."""
    after: "ByteState"


@dataclass(frozen=True, slots=True)
class Border:
    """Where an operation may begin, or the program end."""

    floor: int
    """The first line that a copy may still start at (1-based)."""
    copied: CopyLines | None = None
    """The copy that the last byte has completed."""


@dataclass(frozen=True, slots=True)
class Opened:
    """After the `<` of a tag outside a body."""

    floor: int


@dataclass(frozen=True, slots=True)
class FirstLine:
    """In the number i of a copy; `typed` is its value so far, 0 where no digit is typed."""

    floor: int
    typed: int = 0


@dataclass(frozen=True, slots=True)
class LastLine:
    """In the number j of a copy that starts at line `first`."""

    first: int
    typed: int = 0


@dataclass(frozen=True, slots=True)
class Body:
    """In the body of a gen; see `body` for its tail."""

    floor: int
    tail: bytes = body.START


@dataclass(frozen=True, slots=True)
class Ended:
    """After `</program>`."""

    with_newline: bool = False


ByteState: TypeAlias = Fixed | Border | Opened | FirstLine | LastLine | Body | Ended


@dataclass(frozen=True, slots=True)
class Surface:
    """Programs that copy from lines lo..hi (1-based, inclusive; hi = lo - 1 for none): in order where `monotone`."""

    lo: int
    hi: int
    monotone: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.lo <= self.hi + 1:
            raise ValueError(f"lines {self.lo}..{self.hi} are not a range: 1 <= lo <= hi + 1")

    @property
    def start(self) -> ByteState:
        return Fixed(b"<program>\n", Border(self.lo))

    def step(self, state: ByteState, byte: int) -> ByteState | None:
        """The state after one more byte, or None where no program goes on like this."""
        match state:
            case Fixed(rest, after):
                if byte != rest[0]:
                    return None
                return Fixed(rest[1:], after) if len(rest) > 1 else after
            case Body(floor, tail):
                following = body.step(tail, byte)
                if following is None:
                    return None
                return self.after_body(floor) if following == body.CLOSED else Body(floor, following)
            case Border(floor):
                return Opened(floor) if byte == ord("<") else None
            case Opened(floor):
                return self._open(floor, byte)
            case FirstLine(floor, typed):
                if byte == ord("-"):
                    return LastLine(typed) if typed >= floor else None
                grown = _type_digit(typed, byte, floor, self.hi)
                return FirstLine(floor, grown) if grown is not None else None
            case LastLine(first, typed):
                if byte == ord('"'):
                    return self._after_copy(first, typed) if typed >= first else None
                grown = _type_digit(typed, byte, first, self.hi)
                return LastLine(first, grown) if grown is not None else None
            case Ended(with_newline):
                return Ended(True) if byte == ord("\n") and not with_newline else None

    def forced(self, state: ByteState) -> bytes:
        """The longest run of bytes that every continuation starts with, cut at the first border that it reaches.

        It is cut there because copied lines come in at a border, and because every tag starts with `<`: given by itself
        it would keep a model from writing `</` as the one token that it knows.
        """
        run = b""
        while True:
            if isinstance(state, Fixed):
                run += state.rest
                state = state.after
            elif isinstance(state, FirstLine | LastLine):
                choices = [
                    (byte, after) for byte in _CHOICES_IN_NUMBER if (after := self.step(state, byte)) is not None
                ]
                if len(choices) > 1:
                    return run
                [(byte, state)] = choices
                run += bytes([byte])
            else:
                return run

    def after_body(self, floor: int) -> ByteState:
        """The state after the `>` that ends a body."""
        return Fixed(b"\n", Border(floor))

    def _open(self, floor: int, byte: int) -> ByteState | None:
        match byte:
            case 0x63 if floor <= self.hi:  # c
                return Fixed(b'opy lines="', FirstLine(floor))
            case 0x67:  # g
                return Fixed(b"en>\n", Body(floor))
            case 0x2F:  # /
                return Fixed(b"program>", Ended())
            case _:
                return None

    def _after_copy(self, first: int, last: int) -> ByteState:
        floor = last + 1 if self.monotone else self.lo
        return Fixed(b"/>\n", Border(floor, CopyLines(first - 1, last)))


def _type_digit(typed: int, byte: int, low: int, high: int) -> int | None:
    """The number typed so far with one more digit, or None where that begins no number in low..high."""
    if not 0x30 <= byte <= 0x39 or (typed == 0 and byte == 0x30):
        return None
    grown = typed * 10 + byte - 0x30
    smallest, largest = grown, grown  # of the numbers that begin with these digits, by their length
    while smallest <= high:
        if largest >= low:
            return grown
        smallest, largest = smallest * 10, largest * 10 + 9
    return None
