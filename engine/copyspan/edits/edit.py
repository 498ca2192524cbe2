"""Replacements of text and their algebra. Knows positions and characters, not lines or programs.

Laws, with a, b, c edit lists and t a text that they fit:
    a.invert(t).apply(a.apply(t)) == t
    a.compose(b).apply(t) == b.apply(a.apply(t))
    a.compose(b).compose(c) and a.compose(b.compose(c)) have the same effect
    a.compose(b.rebase(a)) and b.compose(a.rebase(b)) have the same effect, where both exist
    a.trim(t).apply(t) == a.apply(t)
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from copyspan.edits.trim import Region, trim_region


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace text[start:stop] by `text`. Raises ValueError unless 0 <= start <= stop."""

    start: int
    stop: int
    text: str

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.stop:
            raise ValueError(f"an edit needs 0 <= start <= stop, not {self.start} and {self.stop}")

    @property
    def growth(self) -> int:
        """By how many characters the text becomes longer; negative where it becomes shorter."""
        return len(self.text) - (self.stop - self.start)


@dataclass(frozen=True, slots=True)
class EditList:
    """Edits of one text, all in its own positions, in order and apart from each other.

    Edits that touch become one when the list is built, and edits that do nothing are left out, so between two edits of
    a list there is always a character that stays. Raises ValueError for edits that overlap or are out of order.
    """

    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "edits", tuple(_join_touching(self.edits)))

    def __iter__(self) -> Iterator[Edit]:
        return iter(self.edits)

    def __len__(self) -> int:
        return len(self.edits)

    def apply(self, text: str) -> str:
        """The text after all edits. Raises ValueError if an edit lies beyond the end of the text."""
        if self.edits and self.edits[-1].stop > len(text):
            raise ValueError(f"an edit ends at {self.edits[-1].stop}, in a text of {len(text)} characters")
        pieces: list[str] = []
        end = 0
        for edit in self.edits:
            pieces += text[end : edit.start], edit.text
            end = edit.stop
        return "".join(pieces) + text[end:]

    def invert(self, text: str) -> "EditList":
        """The edits that undo these on `self.apply(text)`."""
        regions = self._regions()
        return EditList(tuple(Edit(r.new_start, r.new_stop, text[r.old_start : r.old_stop]) for r in regions))

    def compose(self, later: "EditList") -> "EditList":
        """These edits and then `later`, as one list: self.compose(b).apply(t) == b.apply(self.apply(t))."""
        source = _Source(self.edits)
        pieces: list[_Kept | str] = []
        end = 0
        for edit in later.edits:
            pieces += source.take(edit.start - end)
            pieces.append(edit.text)
            source.take(edit.stop - edit.start)
            end = edit.stop
        pieces += source.take(sys.maxsize)
        return EditList(tuple(_edits_between(pieces)))

    def rebase(self, over: "EditList") -> "EditList | None":
        """These edits for the text that `over` has changed already; None where the two touch, which is not safe.

        Both lists are edits of the same text, and the order does not matter:
        a.compose(b.rebase(a)).apply(t) == b.compose(a.rebase(b)).apply(t).
        """
        moved = []
        others = iter(over.edits)
        other = next(others, None)
        shift = 0
        for edit in self.edits:
            while other is not None and other.stop < edit.start:
                shift += other.growth
                other = next(others, None)
            if other is not None and other.start <= edit.stop:
                return None
            moved.append(Edit(edit.start + shift, edit.stop + shift, edit.text))
        return EditList(tuple(moved))

    def trim(self, text: str) -> "EditList":
        """The same change with nothing in it that stays: self.trim(t).apply(t) == self.apply(t).

        No edit shares a first or last line with what it replaces, and inside a line no common prefix or suffix remains,
        cut at grapheme borders of the text before and after, so never inside a CRLF. One exception: where a lone CR
        would remain, the edit keeps one grapheme beside it. Edits only become smaller, and those that do nothing
        vanish.
        """
        after = self.apply(text)
        regions = (part for region in self._regions() for part in trim_region(text, after, region))
        return EditList(tuple(Edit(r.old_start, r.old_stop, after[r.new_start : r.new_stop]) for r in regions))

    def _regions(self) -> Iterator[Region]:
        shift = 0
        for edit in self.edits:
            start = edit.start + shift
            yield Region(edit.start, edit.stop, start, start + len(edit.text))
            shift += edit.growth


@dataclass(frozen=True, slots=True)
class _Kept:
    """Characters start..stop-1 of the first text of a composition, unchanged."""

    start: int
    stop: int


class _Source:
    """The text between two edit lists of a composition, read once from left to right: kept characters and new text."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._pieces: list[_Kept | str] = []
        end = 0
        for edit in edits:
            self._pieces += _Kept(end, edit.start), edit.text
            end = edit.stop
        self._pieces.append(_Kept(end, sys.maxsize))  # the length of the text is not known, and not needed
        self._pieces.reverse()

    def take(self, size: int) -> list[_Kept | str]:
        """The next `size` characters."""
        taken: list[_Kept | str] = []
        while size > 0 and self._pieces:
            piece = self._pieces.pop()
            length = len(piece) if isinstance(piece, str) else piece.stop - piece.start
            if length > size:
                piece, rest = _split(piece, size)
                self._pieces.append(rest)
            taken.append(piece)
            size -= length
        return taken


def _split(piece: _Kept | str, size: int) -> tuple[_Kept | str, _Kept | str]:
    if isinstance(piece, str):
        return piece[:size], piece[size:]
    return _Kept(piece.start, piece.start + size), _Kept(piece.start + size, piece.stop)


def _edits_between(pieces: Iterable[_Kept | str]) -> Iterator[Edit]:
    """What was dropped and written between kept characters, as edits."""
    written, end = "", 0
    for piece in pieces:
        if isinstance(piece, str):
            written += piece
        elif piece.start < piece.stop:
            yield Edit(end, piece.start, written)
            written, end = "", piece.stop


def _join_touching(edits: Iterable[Edit]) -> Iterator[Edit]:
    joined: Edit | None = None
    for edit in edits:
        if edit.start == edit.stop and not edit.text:
            continue
        if joined is None:
            joined = edit
        elif edit.start < joined.stop:
            raise ValueError(
                f"edits overlap or are out of order: {joined.start} to {joined.stop}, then {edit.start} to {edit.stop}"
            )
        elif edit.start == joined.stop:
            joined = Edit(joined.start, edit.stop, joined.text + edit.text)
        else:
            yield joined
            joined = edit
    if joined is not None:
        yield joined
