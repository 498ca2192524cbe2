"""What two versions of a region have in common at its ends: whole lines first, then characters inside a line."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from copyspan.edits.graphemes import border_after, border_before
from copyspan.edits.prefix import common_prefix
from copyspan.edits.text import split_lines


class Region(NamedTuple):
    """old[old_start:old_stop] became new[new_start:new_stop]."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int

    @property
    def is_one_sided(self) -> bool:
        """Whether the region is nothing but an insertion, or nothing but a deletion."""
        return self.old_start == self.old_stop or self.new_start == self.new_stop

    def of_old(self, old: str) -> str:
        return old[self.old_start : self.old_stop]

    def of_new(self, new: str) -> str:
        return new[self.new_start : self.new_stop]

    def shrink(self, head: int, tail: int) -> "Region":
        """The region without `head` characters in front and `tail` characters at the end, on both sides."""
        old_start, old_stop, new_start, new_stop = self
        return Region(old_start + head, old_stop - tail, new_start + head, new_stop - tail)


def trim_region(old: str, new: str, region: Region) -> list[Region]:
    """The region without common lines, and then without common characters, at its ends.

    `old` and `new` are whole texts, so that what stands around the region counts too. Lines go first, so that a new
    line that resembles its neighbour is one insertion of a line, and not an insertion in the middle of two. Where as
    many lines come as go, each line is a region of its own. Characters are cut where both texts have a border between
    graphemes. A carriage return by itself, beside what may be a line feed, is what editors get wrong: where one would
    be left inside a line, nothing is cut but whole lines.
    """
    region = _trim_lines(old, new, region)
    if region.is_one_sided:
        return [region]
    parts = _joined(_smaller_parts(old, new, region))
    return [region] if any(_is_lone_return(old, new, part) for part in parts) else parts


def _smaller_parts(old: str, new: str, region: Region) -> Iterator[Region]:
    for part in _line_by_line(old, new, region):
        trimmed = part if part.is_one_sided else _trim_characters(old, new, part)
        if trimmed == part or trimmed.is_one_sided:
            yield trimmed
        else:  # what is left may have as many lines on both sides now
            yield from trim_region(old, new, trimmed)


def _joined(parts: Iterable[Region]) -> list[Region]:
    """The parts, those that touch each other as one."""
    joined: list[Region] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last is not None and (last.old_stop, last.new_stop) == (part.old_start, part.new_start):
            joined[-1] = Region(last.old_start, part.old_stop, last.new_start, part.new_stop)
        else:
            joined.append(part)
    return joined


def _is_lone_return(old: str, new: str, part: Region) -> bool:
    is_whole = _starts_line(old, part.old_start) and _starts_line(old, part.old_stop)
    return "\r" in (part.of_old(old), part.of_new(new)) and not is_whole


def _starts_line(text: str, offset: int) -> bool:
    return offset == 0 or text[offset - 1] == "\n" or (text[offset - 1] == "\r" and text[offset : offset + 1] != "\n")


def _line_by_line(old: str, new: str, region: Region) -> Iterator[Region]:
    olds, news = split_lines(region.of_old(old)), split_lines(region.of_new(new))
    if len(olds) != len(news):
        yield region
        return
    old_start, new_start = region.old_start, region.new_start
    for left, right in zip(olds, news, strict=True):
        if left != right:
            yield Region(old_start, old_start + len(left), new_start, new_start + len(right))
        old_start, new_start = old_start + len(left), new_start + len(right)


def _trim_lines(old: str, new: str, region: Region) -> Region:
    olds = split_lines(region.of_old(old))
    news = split_lines(region.of_new(new))
    head = common_prefix(olds, news)
    tail = common_prefix(olds[head:][::-1], news[head:][::-1])
    return region.shrink(sum(map(len, olds[:head])), sum(map(len, olds[len(olds) - tail :])))


def _trim_characters(old: str, new: str, region: Region) -> Region:
    """Cut inside the first and the last line. These differ already, so a common part ends inside them."""
    head = _fit_head(old, new, region, common_prefix(region.of_old(old), region.of_new(new)))
    rest = region.shrink(head, 0)
    tail = _fit_tail(old, new, rest, common_prefix(rest.of_old(old)[::-1], rest.of_new(new)[::-1]))
    trimmed = rest.shrink(0, tail)
    if "\r" not in (trimmed.of_old(old), trimmed.of_new(new)):
        return trimmed
    # A carriage return by itself, beside what may be a line feed, is what editors get wrong: let it keep a neighbour.
    if head:
        head = _fit_head(old, new, region, head - 1)
    elif tail:
        tail = _fit_tail(old, new, region, tail - 1)
    return region.shrink(head, tail)


def _fit_head(old: str, new: str, region: Region, size: int) -> int:
    """The greatest size up to `size` after which both texts have a grapheme border; 0 if there is none."""
    while size > 0:
        fit = min(
            border_before(old, region.old_start + size) - region.old_start,
            border_before(new, region.new_start + size) - region.new_start,
        )
        if fit == size:
            return size
        size = fit
    return 0


def _fit_tail(old: str, new: str, region: Region, size: int) -> int:
    """The greatest size up to `size` before which both texts have a grapheme border; 0 if there is none."""
    while size > 0:
        fit = min(
            region.old_stop - border_after(old, region.old_stop - size),
            region.new_stop - border_after(new, region.new_stop - size),
        )
        if fit == size:
            return size
        size = fit
    return 0
