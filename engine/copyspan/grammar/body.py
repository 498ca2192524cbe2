"""What may stand inside a `<gen>` body, byte by byte. Knows no line numbers and no tokens.

A body is lines of UTF-8, each ended by a line feed, without carriage returns and NULs. Its end is `</gen>` at the start
of a line; every other reserved literal must be escaped (a backslash after its `<`).

The state is a TAIL: the shortest end of the text so far that decides what may follow. It is

    b""                     nothing is open
    b"\\n"                  at the start of a line
    b"<co"                  a reserved literal has begun
    b"\\n</ge"              the end tag has begun, at the start of a line
    b"\\xe1"                inside a character: one lead byte stands for all that take the same continuation
"""

from functools import cache

START = b"\n"
CLOSED = b"\n</gen>"

_LITERALS = (b"<copy", b"</copy>", b"<gen>", b"</gen>", b"<program>", b"</program>")
_OPENINGS = frozenset(literal[:end] for literal in _LITERALS for end in range(1, len(literal)))
_CLOSINGS = frozenset(CLOSED[:end] for end in range(1, len(CLOSED)))
_NUL, _NEWLINE, _RETURN, _LESS = b"\x00\n\r<"

# Unicode 15, table 3-7: (lead bytes, the tail that stands for them).
_LEADS = (
    (range(0xC2, 0xE0), b"\xc2"),
    (range(0xE0, 0xE1), b"\xe0"),
    (range(0xE1, 0xED), b"\xe1"),
    (range(0xED, 0xEE), b"\xed"),
    (range(0xEE, 0xF0), b"\xe1"),
    (range(0xF0, 0xF1), b"\xf0"),
    (range(0xF1, 0xF4), b"\xf1"),
    (range(0xF4, 0xF5), b"\xf4"),
)
# Inside a character: tail -> (bytes that may come next, the tail after them).
_CONTINUATIONS = {
    b"\xc2": (range(0x80, 0xC0), b""),
    b"\xe0": (range(0xA0, 0xC0), b"\xc2"),
    b"\xe1": (range(0x80, 0xC0), b"\xc2"),
    b"\xed": (range(0x80, 0xA0), b"\xc2"),
    b"\xf0": (range(0x90, 0xC0), b"\xe1"),
    b"\xf1": (range(0x80, 0xC0), b"\xe1"),
    b"\xf4": (range(0x80, 0x90), b"\xe1"),
}


@cache  # about 40 tails times 256 bytes
def step(tail: bytes, byte: int) -> bytes | None:
    """The tail after one more byte; CLOSED after the end tag; None where no body goes on like this."""
    if tail in _CONTINUATIONS:
        following, after = _CONTINUATIONS[tail]
        return after if byte in following else None
    if byte in (_NUL, _RETURN):
        return None
    if byte == _NEWLINE:
        return START
    if byte >= 0x80:
        return next((stand_in for leads, stand_in in _LEADS if byte in leads), None)
    return _extend(tail, byte)


def _extend(tail: bytes, byte: int) -> bytes | None:
    """`step` for the printable bytes: has a literal begun, gone on, ended?"""
    if byte == _LESS and tail != START:
        return b"<"
    grown = tail + bytes([byte])
    if grown == CLOSED or grown in _CLOSINGS:
        return grown
    literal = grown.removeprefix(b"\n")
    if literal in _LITERALS:
        return None
    return literal if literal in _OPENINGS else b""


def is_open(tail: bytes) -> bool:
    """Does every plain token (see `is_plain`) go on from here, and lead to such a tail again?"""
    return tail in (b"", START)


def is_plain(token: bytes) -> bool:
    """Is this text whole characters without anything that a body forbids or that could begin a tag?"""
    if b"<" in token or b"\r" in token or b"\x00" in token:
        return False
    return token.isascii() or is_utf8(token)


def is_utf8(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True
