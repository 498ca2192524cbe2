"""An editor for the fuzz: a buffer that applies versioned edits in its own slow way, and knows where the scope lies."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any

from slow_positions import is_inside_crlf, slow_lines, slow_offset, slow_position

from copyspan_lsp.changes import TextChange

PIECES = [
    "a",
    "b",
    " ",
    "ab",
    "ä",
    "e\u0301",
    "\u0301",
    "😀",
    "👩\u200d👧",
    "\x0c",
    "\u2028",
    "\x85",
    "\ufeff",
    "\t",
    "=",
]
ENDS = ["\n", "\r\n", "\r"]

Span = tuple[int, int, str]
"""Replace the characters start..stop-1 by a text."""


@dataclass(frozen=True)
class Zones:
    """The text above the scope, in it and below it.

    `is_certain`: no change came as near as the characters beside the scope, so that nobody can take one thing for
    another: what is above the scope stays above it.
    """

    above: str
    inside: str
    below: str
    is_certain: bool = True

    @property
    def text(self) -> str:
        return self.above + self.inside + self.below

    def changed(self, start: int, stop: int, new: str) -> "Zones":
        first, last = len(self.above), len(self.above) + len(self.inside)
        text = self.text
        if stop <= first:
            above = text[:start] + new + text[stop:first]
            return replace(self, above=above, is_certain=self.is_certain and stop < first)
        if start >= last:
            below = text[last:start] + new + text[stop:]
            return replace(self, below=below, is_certain=self.is_certain and start > last)
        above, below = text[: min(start, first)], text[max(stop, last) :]
        inside = text[len(above) : start] + new + text[stop : len(text) - len(below)]
        return Zones(above, inside, below, False)

    def places_of(self, part: str) -> list[tuple[str, str]]:
        """What stands before and after `part`, wherever it makes up whole lines of the text.

        A line end that was put below a line that ends with CR begins, as text, after the CR.
        """
        text = self.text
        starts = _line_starts(text) | {i for i in range(len(text)) if is_inside_crlf(text, i)}
        stops = _line_starts(text) | {len(text)}
        found = [i for i in starts if text.startswith(part, i) and i + len(part) in stops]
        return [(text[:i], text[i + len(part) :]) for i in sorted(found)]


def _line_starts(text: str) -> set[int]:
    return {start for start, _ in slow_lines(text)}


class Stale(Exception):
    """An edit for another version than the buffer's."""


class Buffer:
    """What a person sees, by offsets of code points; positions are looked up character by character."""

    def __init__(self, rng: Random, text: str, encoding: str) -> None:
        self._rng = rng
        self.text = text
        self.version = rng.choice([0, 1, 7])
        self.encoding = encoding

    def apply(self, edit: dict[str, Any], uri: str, counted_in: str) -> list[Span]:
        """Apply a WorkspaceEdit; returns it as (start, stop, text). Raises Stale, and AssertionError for a bad edit."""
        edits = self._edits(edit, uri)
        spans = [(*self.span(it["range"], counted_in), it["newText"]) for it in edits]
        self.replace(spans)
        return spans

    def replace(self, spans: Sequence[Span]) -> None:
        check_order(spans)
        for start, stop, new in reversed(spans):
            self.text = self.text[:start] + new + self.text[stop:]

    def _edits(self, edit: dict[str, Any], uri: str) -> list[dict[str, Any]]:
        if "changes" in edit:
            assert list(edit["changes"]) == [uri]
            return edit["changes"][uri]
        if not edit:
            return []
        [changed] = edit["documentChanges"]
        assert changed["textDocument"]["uri"] == uri
        if changed["textDocument"]["version"] != self.version:
            raise Stale
        return changed["edits"]

    def span(self, where: dict[str, Any], counted_in: str) -> tuple[int, int]:
        return self._offset(where["start"], counted_in), self._offset(where["end"], counted_in)

    def _offset(self, position: dict[str, int], counted_in: str) -> int:
        line, character = position["line"], position["character"]
        offset = slow_offset(self.text, counted_in, line, character)
        assert slow_position(self.text, counted_in, offset) == (line, character), "not a position of the text"
        assert not is_inside_crlf(self.text, offset)
        return offset

    def position(self, offset: int, text: str | None = None) -> tuple[int, int]:
        return slow_position(self.text if text is None else text, self.encoding, offset)

    def places(self) -> list[int]:
        """Where a cursor can be."""
        return [i for i in range(len(self.text) + 1) if not is_inside_crlf(self.text, i)]

    def random_change(self, num_above: int, num_below: int) -> Span:
        """Something that a person types or deletes: small, and mostly apart from the scope, where there is room."""
        rng, places = self._rng, self.places()
        if rng.random() < 0.9:
            above = [place for place in places if place < num_above]
            below = [place for place in places if place > len(self.text) - num_below]
            places = rng.choice([above, below]) or above or below or places
        start = rng.choice(places)
        pieces = rng.choices(PIECES + ENDS * 2, k=rng.choice([0, 1, 1, 2, 4]))
        if rng.random() < 0.15:
            starts = _line_starts(self.text)
            start = rng.choice([place for place in places if place in starts] or [0])
            return start, start, "".join((*pieces, rng.choice(ENDS)))
        near = [place for place in places if start <= place <= start + 5]
        return start, rng.choice(near) if rng.random() < 0.6 else start, "".join(pieces)


def check_order(spans: Sequence[Span]) -> None:
    assert all(start <= stop for start, stop, _ in spans)
    assert all(left[1] < right[0] or left[0] < left[1] == right[0] for left, right in pairwise(spans))


def smallest(old: str, new: str) -> Span:
    """One change from old to new: what lies between their common prefix and suffix, with no CRLF cut."""
    size = min(len(old), len(new))
    head = next((i for i in range(size) if old[i] != new[i]), size)
    while is_inside_crlf(old, head) or is_inside_crlf(new, head):
        head -= 1
    tail = next((i for i in range(size - head) if old[-1 - i] != new[-1 - i]), size - head)
    while is_inside_crlf(old, len(old) - tail) or is_inside_crlf(new, len(new) - tail):
        tail -= 1
    return head, len(old) - tail, new[head : len(new) - tail]


def as_sent(rng: Random, buffer: Buffer, before: str, spans: Sequence[Span], way: str) -> list[list[TextChange]]:
    """How an editor tells edits (in order and apart, of the text `before`): the changes of each notification."""
    whole = [[TextChange(buffer.text)]]
    if way == "whole":
        return whole
    told, text, shift = [], before, 0
    for start, stop, new in spans if way == "forwards" else reversed(spans):
        start, stop = start + shift, stop + shift
        if is_inside_crlf(text, start) or is_inside_crlf(text, stop):
            return whole
        ends = [buffer.position(it, text) for it in (start, stop)]
        told.append(TextChange(new, *(ends if rng.random() < 0.8 else ends[::-1])))
        text = text[:start] + new + text[stop:]
        shift += len(new) - (stop - start) if way == "forwards" else 0
    return [[it] for it in told] if way == "one by one" else [told]
