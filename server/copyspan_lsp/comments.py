"""Instructions that people write into a document, as comments: `# ai: rename x to y`. Knows no editor and no model.

"ai" may have any case and blanks around it. A comment may begin where the quotes before it on its line are balanced,
so that a marker in a string does not count. Lines are looked at one by one: an instruction that stands on a line of its
own inside a string of several lines is taken for a comment.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from copyspan.edits.edit import Edit, EditList
from copyspan.edits.text import LineRange, Snapshot
from copyspan_lsp.languages import Language

_QUICK = re.compile(r"ai\s*:", re.IGNORECASE)  # most documents hold none; they must not cost a scan
_GUTTER = re.compile(r"^\*+(?=\s|$)\s*")  # the stars before the lines of /* ... */


@dataclass(frozen=True, slots=True)
class InstructionComment:
    """One instruction. Positions are code points of the document, lines count from 0.

    `lines` are those that it stands on. `start` and `stop` bound what goes away with it: whole lines with their
    terminators where it stands alone; else the comment, and the blanks that would be left over. `text` is what is
    asked for, with a newline between lines. `anchor` is the line that "here" means: that of the code beside it, else
    the next one that is not blank; None where nothing follows.
    """

    lines: LineRange
    start: int
    stop: int
    text: str
    anchor: int | None


@dataclass(frozen=True, slots=True)
class _Comment:
    start: int
    stop: int
    text: str


def find_instructions(snapshot: Snapshot, language: Language) -> tuple[InstructionComment, ...]:
    """All instructions, in order.

    Comments that stand alone on consecutive lines are one instruction, their texts joined by newlines. A comment
    beside code is one of its own.
    """
    found: list[InstructionComment] = []
    group: list[_Comment] = []
    for comment in _comments(snapshot, language):
        alone = _stands_alone(snapshot, comment)
        if group and not (alone and _first_line(snapshot, comment) == _last_line(snapshot, group[-1]) + 1):
            found.append(_whole_lines(snapshot, group))
            group = []
        if alone:
            group.append(comment)
        else:
            found.append(_beside_code(snapshot, comment))
    if group:
        found.append(_whole_lines(snapshot, group))
    return tuple(found)


def instruction_at(snapshot: Snapshot, language: Language, lines: LineRange) -> InstructionComment | None:
    """The first instruction that shares a line with `lines`. An empty range means the line that it stands before."""
    stop = max(lines.stop, lines.start + 1)
    touched = (
        it for it in find_instructions(snapshot, language) if it.lines.start < stop and lines.start < it.lines.stop
    )
    return next(touched, None)


def removal(comment: InstructionComment) -> EditList:
    """The edit that takes the comment away. A document ends with a terminator afterwards only if it did before."""
    return EditList((Edit(comment.start, comment.stop, ""),))


def _comments(snapshot: Snapshot, language: Language) -> Iterator[_Comment]:
    """The comments that begin with the marker and say something."""
    text = snapshot.text
    if not _QUICK.search(text):
        return
    tokens, at = _tokens(language), 0
    while found := tokens.search(text, at):
        stop, at = _extent(snapshot, language, found)
        body = _tidy(text[found.end() : stop])
        if body:
            yield _Comment(found.start(), at, body)


def _extent(snapshot: Snapshot, language: Language, found: re.Match[str]) -> tuple[int, int]:
    """Where the body of a comment ends, and where to go on; what is no comment has no body."""
    end = found.end()
    if found.lastgroup == "line":
        stop = _end_of_line(snapshot, end)
        return stop, stop
    if found.lastgroup == "block":
        closer = next(closer for opener, closer in _longest_first(language) if found[0].startswith(opener))
        stop = snapshot.text.find(closer, end)
        return (stop, stop + len(closer)) if stop >= 0 else (end, end)
    return end, _end_of_line(snapshot, found.start()) if found.lastgroup == "quote" else end


def _tokens(language: Language) -> re.Pattern[str]:
    """What decides whether a comment may begin: strings, escaped characters, markers, and quotes that stay open."""
    quotes = "".join(map(re.escape, language.quotes))
    strings = [rf"{q}(?:\\[^\r\n]|[^{q}\\\r\n])*{q}" for q in map(re.escape, language.quotes)]
    line = [_not_after(opener) + _marker(opener, r"[ \t]*") for opener in language.line_comments]
    block = [_marker(opener, r"\s*") for opener, _ in _longest_first(language)]
    kinds = [
        *strings,
        r"\\[^\r\n]",
        rf"(?P<block>{'|'.join(block)})" if block else "",
        rf"(?P<line>{'|'.join(line)})" if line else "",
        rf"(?P<quote>[{quotes}])",
    ]
    return re.compile("|".join(filter(None, kinds)), re.IGNORECASE)


def _marker(opener: str, blanks: str) -> str:
    """The opener, its last character as often as you like (`##`, `///`, `;;`), and the marker."""
    more = "" if opener[-1].isalnum() else f"{re.escape(opener[-1])}*"
    return rf"{re.escape(opener)}{more}{blanks}ai{blanks}:"


def _not_after(opener: str) -> str:
    """Where a line comment cannot begin: inside a word, in an address (http://ai:80), or in a run of its character.

    The last is for speed alone: a ruler of a thousand dashes is not tried at every dash.
    """
    if opener[0].isalnum():
        return r"(?<!\w)"
    return rf"(?<!{re.escape(opener[0])})" + ("(?<!:)" if opener == "//" else "")


def _longest_first(language: Language) -> list[tuple[str, str]]:
    return sorted(language.block_comments, key=lambda pair: -len(pair[0]))


def _tidy(body: str) -> str:
    """The instruction alone: no gutters, no blanks around its lines, no blank lines around it."""
    return "\n".join(_GUTTER.sub("", line.strip()) for line in re.split(r"\r\n|\r|\n", body)).strip()


def _first_line(snapshot: Snapshot, comment: _Comment) -> int:
    return snapshot.line_at(comment.start)


def _last_line(snapshot: Snapshot, comment: _Comment) -> int:
    return snapshot.line_at(comment.stop - 1)


def _end_of_line(snapshot: Snapshot, offset: int) -> int:
    """Where the content of the line ends that `offset` is on."""
    line = snapshot.line_at(offset)
    return snapshot.starts[line] + len(snapshot.content(line))


def _before(snapshot: Snapshot, comment: _Comment) -> str:
    return snapshot.text[snapshot.starts[_first_line(snapshot, comment)] : comment.start]


def _after(snapshot: Snapshot, comment: _Comment) -> str:
    return snapshot.text[comment.stop : _end_of_line(snapshot, comment.stop - 1)]


def _stands_alone(snapshot: Snapshot, comment: _Comment) -> bool:
    return not _before(snapshot, comment).strip() and not _after(snapshot, comment).strip()


def _whole_lines(snapshot: Snapshot, group: list[_Comment]) -> InstructionComment:
    lines = LineRange(_first_line(snapshot, group[0]), _last_line(snapshot, group[-1]) + 1)
    start, stop = snapshot.span(lines)
    if stop == len(snapshot.text) and snapshot.ends_open:
        start = len(snapshot.text[:start].rstrip("\r\n"))  # what becomes the last line ends as openly
    below = range(lines.stop, snapshot.num_lines)
    anchor = next((line for line in below if snapshot.content(line).strip()), None)
    return InstructionComment(lines, start, stop, "\n".join(comment.text for comment in group), anchor)


def _beside_code(snapshot: Snapshot, comment: _Comment) -> InstructionComment:
    first, last = _first_line(snapshot, comment), _last_line(snapshot, comment)
    before, after = _before(snapshot, comment), _after(snapshot, comment)
    start, stop, anchor = comment.start, comment.stop, first
    if not before.strip():
        anchor = last
        stop += len(after) - len(after.lstrip())  # the blanks before it are the code's indentation
    else:
        start -= len(before) - len(before.rstrip())
        if not after.strip():
            stop += len(after)
    return InstructionComment(LineRange(first, last + 1), start, stop, comment.text, anchor)
