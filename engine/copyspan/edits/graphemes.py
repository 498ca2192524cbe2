"""Borders between user-perceived characters (extended grapheme clusters). A CRLF is one of them, so it is never cut."""

import regex

_CLUSTER = regex.compile(r"\X")
_PLAIN = regex.compile(r"\p{Grapheme_Cluster_Break=Other}")


def border_before(text: str, offset: int) -> int:
    """The last border at or before `offset`; 0 <= offset <= len(text)."""
    return _around(text, offset)[0]


def border_after(text: str, offset: int) -> int:
    """The first border at or after `offset`; 0 <= offset <= len(text)."""
    return _around(text, offset)[1]


def _around(text: str, offset: int) -> tuple[int, int]:
    """The borders on both sides of `offset`, which are `offset` itself where that is one."""
    anchor = offset
    while not _is_plain_border(text, anchor):
        anchor -= 1
    end = anchor
    while end < offset:
        anchor, end = end, _CLUSTER.match(text, end).end()
    return (end, end) if end == offset else (anchor, end)


def _is_plain_border(text: str, offset: int) -> bool:
    """Whether the two characters beside `offset` alone show that there is a border, whatever else the text holds."""
    if offset in (0, len(text)):
        return True
    left, right = text[offset - 1], text[offset]
    if left in "\r\n":
        return (left, right) != ("\r", "\n")
    if left.isascii() and right.isascii():
        return True
    return bool(_PLAIN.match(left) and _PLAIN.match(right))
