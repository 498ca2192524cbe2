"""The forms in which models are made to write edits elsewhere, and what tools do with them. Knows no model.

Search-replace: blocks of some lines to find and the lines to put in their place. The first place where all lines of a
block stand is taken, in the text as the blocks before have left it, as tools do.

    <<<<<<< SEARCH
    old lines
    =======
    new lines
    >>>>>>> REPLACE

Unified diff: as `diff -u` writes it and `patch` applies it without fuzz. Both divide lines at LF.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from copyspan.errors import ProgramRangeError, ProgramSyntaxError

_SEARCH, _DIVIDER, _REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
_HUNK = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n")
_OPEN_END = "\\ No newline at end of file\n"

_Opcode = tuple[str, int, int, int, int]


def write_search_replace(before: str, after: str, context: int) -> str:
    """The blocks that turn one text into the other, each with so many lines of context on both sides.

    Lines that are only inserted take the line above with them (the one below at the top), as there is nothing else to
    find.
    """
    olds, news = before.split("\n"), after.split("\n")
    pieces = []
    for group in _changes(olds, news, context):
        old, new = _anchored(group, olds, news)
        pieces += [_SEARCH, *old, _DIVIDER, *new, _REPLACE]
    return "".join(f"{piece}\n" for piece in pieces)


def apply_search_replace(before: str, answer: str) -> tuple[str, bool]:
    """The new text, and whether a block could have been meant for another place too.

    A block is found where a line starts and nowhere else. Raises ProgramSyntaxError where the answer is no sequence of
    blocks, and ProgramRangeError where nothing is found.
    """
    text, is_ambiguous = f"{before}\n", False
    for old, new in _read_blocks(answer):
        places = [match.start() for match in re.finditer(rf"(?<![^\n]){re.escape(old)}", text)]
        if not places:
            raise ProgramRangeError(f"A block of {old.count(chr(10))} lines is not found.")
        is_ambiguous = is_ambiguous or len(places) > 1
        text = text[: places[0]] + new + text[places[0] + len(old) :]
    return text.removesuffix("\n"), is_ambiguous


def write_unified(before: str, after: str, context: int = 3) -> str:
    """A unified diff of the texts, with so many lines of context; empty for equal ones."""
    olds, news = _lines(before), _lines(after)
    pieces: list[str] = []
    for group in _changes(olds, news, context):
        pieces.append(_head(group))
        for tag, old_start, old_stop, new_start, new_stop in group:
            if tag == "equal":
                pieces += [f" {line}" for line in olds[old_start:old_stop]]
            else:
                pieces += [f"-{line}" for line in olds[old_start:old_stop]]
                pieces += [f"+{line}" for line in news[new_start:new_stop]]
    names = ["--- a\n", "+++ b\n"] if pieces else []
    return "".join(piece if piece.endswith("\n") else f"{piece}\n{_OPEN_END}" for piece in names + pieces)


def apply_unified(before: str, answer: str) -> str:
    """The new text. Raises ProgramSyntaxError for what is no unified diff, ProgramRangeError where it does not fit."""
    olds, news, place = _lines(before), [], 0
    for start, old, new in _read_hunks(_without_open_ends(_lines(answer))):
        if not place <= start or olds[start : start + len(old)] != old:
            raise ProgramRangeError(f"The hunk at line {start + 1} does not fit.")
        news += [*olds[place:start], *new]
        place = start + len(old)
    return "".join([*news, *olds[place:]])


def _changes(olds: Sequence[str], news: Sequence[str], context: int) -> Iterator[list[_Opcode]]:
    """Groups of opcodes, none for equal texts."""
    for group in SequenceMatcher(None, olds, news, autojunk=False).get_grouped_opcodes(context):
        if any(opcode[0] != "equal" for opcode in group):
            yield group


def _head(group: Sequence[_Opcode]) -> str:
    """The head of a hunk. Lines count from 1; where there are none, the line above is named."""
    old_start, old_size = group[0][1], group[-1][2] - group[0][1]
    new_start, new_size = group[0][3], group[-1][4] - group[0][3]
    return f"@@ -{old_start + bool(old_size)},{old_size} +{new_start + bool(new_size)},{new_size} @@\n"


def _anchored(group: Sequence[_Opcode], olds: Sequence[str], news: Sequence[str]) -> tuple[list[str], list[str]]:
    """The old and the new lines of a group, with a line that can be found where there is no old one."""
    old_start, old_stop, new_start, new_stop = group[0][1], group[-1][2], group[0][3], group[-1][4]
    old, new = [*olds[old_start:old_stop]], [*news[new_start:new_stop]]
    if old:
        return old, new
    if old_start:
        above = olds[old_start - 1]
        return [above], [above, *new]
    return [olds[0]], [*new, olds[0]]


def _read_blocks(answer: str) -> Iterator[tuple[str, str]]:
    """The text to find and the text for its place, each of whole lines."""
    lines = iter(answer.split("\n")[:-1])
    for line in lines:
        if line != _SEARCH:
            raise ProgramSyntaxError(f"Expected {_SEARCH}.")
        old = _until(lines, _DIVIDER)
        if not old:
            raise ProgramSyntaxError("A block has no line to find.")
        yield old, _until(lines, _REPLACE)


def _until(lines: Iterator[str], mark: str) -> str:
    found: list[str] = []
    for line in lines:
        if line == mark:
            return "".join(found)
        found.append(f"{line}\n")
    raise ProgramSyntaxError(f"Expected {mark}.")


def _read_hunks(lines: Sequence[str]) -> Iterator[tuple[int, list[str], list[str]]]:
    """Where each hunk starts in the old text, its old lines and its new ones."""
    place = 2  # after the names of the files
    while place < len(lines):
        head = _HUNK.fullmatch(lines[place])
        if head is None:
            raise ProgramSyntaxError(f"Line {place + 1} of the diff is not the head of a hunk.")
        start, old_size, _, new_size = map(int, head.groups())
        old: list[str] = []
        new: list[str] = []
        place += 1
        while place < len(lines) and (len(old) < old_size or len(new) < new_size):
            tag, line = lines[place][0], lines[place][1:]
            old += [line] * (tag in " -")
            new += [line] * (tag in " +")
            place += 1
        yield start - bool(old_size), old, new


def _without_open_ends(lines: Sequence[str]) -> list[str]:
    """The lines of a diff, where the mark of a missing newline is carried out. Lines of text never look like it."""
    kept: list[str] = []
    for line in lines:
        if line == _OPEN_END and kept:
            kept[-1] = kept[-1].removesuffix("\n")
        else:
            kept.append(line)
    return kept


def _lines(text: str) -> list[str]:
    """The lines with their LF; a last line may lack it."""
    *ended, last = text.split("\n")
    return [f"{line}\n" for line in ended] + ([last] if last else [])
