"""A unified diff from edits that are known already: nothing is compared but the lines that the edits touch.

`git apply` and `patch` take it. Lines end at LF here and nowhere else, as in these programs.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from copyspan.edits.edit import Edit, EditList
from copyspan.edits.prefix import common_prefix

CONTEXT = 3
_NO_NEWLINE = "\n\\ No newline at end of file\n"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Change:
    """Old lines start..stop-1, counted from 0, give way to new ones; no first or last line is common to both."""

    start: int
    stop: int
    new: tuple[str, ...]


def unified_diff(text: str, edits: EditList, name: str, context: int = CONTEXT) -> str:
    """The diff of the text and the edited text, with `name` in its header; empty where nothing changes."""
    lines = _LINE.findall(text)
    found = changes(text, edits, lines)
    if not found:
        return ""
    parts = [f"--- {_header('a/' + name)}\n", f"+++ {_header('b/' + name)}\n"]
    shift = 0
    for group in _close_by(found, 2 * context):
        start, stop = max(0, group[0].start - context), min(len(lines), group[-1].stop + context)
        growth = sum(len(change.new) - (change.stop - change.start) for change in group)
        parts.append(f"@@ -{_range(start, stop - start)} +{_range(start + shift, stop - start + growth)} @@\n")
        parts += map(_ended, _body(lines, group, start, stop))
        shift += growth
    return "".join(parts)


def marked_diff(mark: str, text: str, edits: EditList, name: str) -> str:
    """The diff of a file that begins with a byte order mark, or with none: `git apply` sees it in the first line."""
    moved = EditList(tuple(Edit(e.start + len(mark), e.stop + len(mark), e.text) for e in edits))
    return unified_diff(mark + text, moved, name)


def changes(text: str, edits: EditList, lines: Sequence[str] | None = None) -> list[Change]:
    """The lines, ended by LF, that differ after the edits; neighbouring ones together."""
    lines = _LINE.findall(text) if lines is None else lines
    borders = [0]
    for line in lines:
        borders.append(borders[-1] + len(line))
    regions: list[tuple[int, int, list[Edit]]] = []
    for edit in edits:
        start, stop = _touched(text, edit, borders)
        if regions and start <= regions[-1][1]:
            first, last, members = regions.pop()
            regions.append((first, max(last, stop), [*members, edit]))
        else:
            regions.append((start, stop, [edit]))
    found = (_change(text, borders, lines, *region) for region in regions)
    return [change for change in found if change.new or change.start < change.stop]


def _touched(text: str, edit: Edit, borders: list[int]) -> tuple[int, int]:
    """The lines that are other lines after the edit; none where it only inserts whole lines."""
    num_lines = len(borders) - 1
    start = bisect_right(borders, edit.start) - 1
    if start == num_lines and text and not text.endswith("\n"):
        start -= 1
    stop = bisect_right(borders, edit.stop) - 1
    before = text[borders[start] : edit.start] + edit.text
    ends_lines = borders[stop] == edit.stop and (not before or before.endswith("\n"))
    return start, stop if ends_lines else min(stop + 1, num_lines)


def _change(text: str, borders: list[int], lines: Sequence[str], start: int, stop: int, edits: list[Edit]) -> Change:
    inner = EditList(tuple(Edit(e.start - borders[start], e.stop - borders[start], e.text) for e in edits))
    new = _LINE.findall(inner.apply(text[borders[start] : borders[stop]]))
    old = lines[start:stop]
    head = common_prefix(old, new)
    tail = common_prefix(old[head:][::-1], new[head:][::-1])
    return Change(start + head, stop - tail, tuple(new[head : len(new) - tail]))


def _close_by(found: list[Change], distance: int) -> Iterator[list[Change]]:
    """Changes that share their context, together."""
    number, numbers = 0, [0]
    for before, change in pairwise(found):
        number += change.start - before.stop > distance
        numbers.append(number)
    for _, members in groupby(zip(numbers, found, strict=True), key=lambda pair: pair[0]):
        yield [change for _, change in members]


def _body(lines: Sequence[str], group: list[Change], start: int, stop: int) -> Iterator[str]:
    at = start
    for change in group:
        yield from (" " + line for line in lines[at : change.start])
        yield from ("-" + line for line in lines[change.start : change.stop])
        yield from ("+" + line for line in change.new)
        at = change.stop
    yield from (" " + line for line in lines[at:stop])


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + _NO_NEWLINE


def _range(start: int, length: int) -> str:
    """Lines counted from 1; an empty range is named by the line before it."""
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _header(name: str) -> str:
    """A file name as git writes it: quoted where a character would end the line or the name."""
    if any(character in '"\\' or character < " " for character in name):
        return f'"{"".join(map(_quoted, name))}"'
    return f"{name}\t" if " " in name else name


def _quoted(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return f"\\{ord(character):03o}" if character < " " else character
