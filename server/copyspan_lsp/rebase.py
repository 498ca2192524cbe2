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
    edit lists are edits of `text`, goal and bases inside the region. Where several bases fit, that one is meant which
    leaves the least to changes elsewhere, the first among equals: a line that a base took away at the region's end is
    there because that base was not applied, and not because somebody wrote it anew below the region.
    """
    views = [_View.of(base, text, region, changes) for base in bases]
    view = min((view for view in views if view.fits), key=lambda view: view.num_changed, default=None)
    if view is None:
        return None
    # All changes lie outside the region, so that one beside its border is not in the way of an edit at the border.
    edits = view.way_back.compose(goal).trim(view.before)
    shift = view.moved_region.start - view.region.start
    moved = (Edit(edit.start + shift, edit.stop + shift, edit.text) for edit in edits)
    return Landing(EditList(tuple(moved)), view.moved_region)


@dataclass(frozen=True, slots=True)
class _View:
    """The changes, seen as if a base had been applied first."""

    before: str
    """The text with the base applied."""
    way_back: EditList
    """From there to the text without it."""
    rest: EditList
    """From there to the current text."""
    region: Region
    """The region in `before`."""

    @classmethod
    def of(cls, base: EditList, text: str, region: Region, changes: EditList) -> "_View":
        before, way_back = base.apply(text), base.invert(text)
        grown = Region(region.start, region.stop + sum(edit.growth for edit in base))
        rest = way_back.compose(changes).trim(before)
        return cls(before, way_back, _without_idle(rest, before, grown), grown)

    @property
    def fits(self) -> bool:
        return not touches(self.rest, self.before, self.region)

    @property
    def num_changed(self) -> int:
        """Characters that went and came."""
        return sum(edit.stop - edit.start + len(edit.text) for edit in self.rest)

    @property
    def moved_region(self) -> Region:
        """The region in the current text."""
        start, stop = self.region.start, self.region.stop
        shift = sum(edit.growth for edit in self.rest if edit.start < start or edit.stop == start)
        return Region(start + shift, stop + shift)


def _without_idle(changes: EditList, text: str, region: Region) -> EditList:
    """The changes without those in the region, where these leave it as it is; none where all leave the text so.

    A line that went and came back beside another one like it is two edits that cannot be trimmed.
    """
    if changes.apply(text) == text:
        return EditList()
    start, stop = region.start, region.stop
    inside = [edit for edit in changes if start <= edit.start and edit.stop <= stop]
    moved = EditList(tuple(Edit(edit.start - start, edit.stop - start, edit.text) for edit in inside))
    if moved.apply(text[start:stop]) != text[start:stop]:
        return changes
    return EditList(tuple(edit for edit in changes if edit not in inside))


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
