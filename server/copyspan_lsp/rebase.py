"""An edit for a document that went on while the edit was made. Pure: knows texts, edits and regions.

Law, for every edit that `land` gives: applied to the current text it changes nothing outside the region, and inside it
leads to what the goal wants there, from the start or from whichever base the region holds now.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from copyspan.edits.edit import Edit, EditList


@dataclass(frozen=True, slots=True)
class Region:
    """The characters start..stop-1 of a text: whole lines that an edit was made from."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Landing:
    """An edit of the current text, and where the region lies in it before that edit."""

    edits: EditList
    region: Region


def land(goal: EditList, bases: Sequence[EditList], text: str, region: Region, changes: EditList) -> Landing | None:
    """`goal` for the text that `changes` have made of `text`; None where that is not safe.

    The region must now be as one of the `bases` left it, earlier goals or no change at all, with changes elsewhere. All
    edit lists are edits of `text`, goal and bases inside the region. The first base that fits is taken.
    """
    for base in bases:
        before = base.apply(text)
        rest = base.invert(text).compose(changes).trim(before)
        grown = Region(region.start, region.stop + sum(edit.growth for edit in base))
        if touches(rest, before, grown):
            continue
        edits = base.invert(text).compose(goal).trim(before).rebase(rest)
        if edits is not None:
            shift = sum(edit.growth for edit in rest if edit.start < grown.start or edit.stop == grown.start)
            return Landing(edits, Region(grown.start + shift, grown.stop + shift))
    return None


def touches(changes: EditList, text: str, region: Region) -> bool:
    """Whether any line of the region is another one after the changes of `text`."""
    return any(_touches(edit, text, region) for edit in changes)


def _touches(edit: Edit, text: str, region: Region) -> bool:
    start, stop = region.start, region.stop
    if edit.stop < start or edit.start > stop:
        return False
    if start == stop:
        return True
    if edit.stop == start:  # what now stands before the region must end a line, as what stood there did
        before = edit.text[-1:] or text[max(edit.start - 1, 0) : edit.start]
        return not _ends_line(before, text[start])
    if edit.start == stop:
        after = edit.text[:1] or text[edit.stop : edit.stop + 1]
        return text[stop - 1] not in "\r\n" or not _ends_line(text[stop - 1], after)
    return True


def _ends_line(before: str, after: str) -> bool:
    """Whether a line ends between two characters; before the first character of a text one begins."""
    return before in ("", "\n") or (before == "\r" and after != "\n")
