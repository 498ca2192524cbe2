"""Blocks of lines by indentation: a header, and what is deeper below it. Knows no grammar, and hardly any language.

It reads no multi-line strings and comments: a line in them that is less indented than its block cuts the block short.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from copyspan.edits.text import LineRange, Snapshot
from copyspan_lsp.languages import Language

_JOINS = re.compile(  # a line at its header's depth that belongs to the block
    r"[)\]}]|</|\\end\b|(?:end|fi|done|esac|else|elif|elsif|elseif|except|catch|finally|rescue|ensure)\b(?!\s*=)"
    r"|(?:\{|begin|then|do)\s*$",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"@[\w.]+(?:\(.*\))?$|#!?\[")
_BRACKET_ATTRIBUTE = re.compile(r"\[.+\]$")
_BRACKETED = frozenset({"csharp", "cs", "cpp", "c++", "c", "fsharp", "vb", "powershell", "ps1"})
_PREPROCESSED = frozenset({"c", "cpp", "c++", "cuda", "csharp", "cs", "objc", "objective-c", "objective-cpp"})
_MAX_TITLE = 60


@dataclass(slots=True)
class _Open:
    """A line whose block may go on. `braces` counts those opened in the block and not yet closed."""

    start: int
    depth: int
    title: str
    braces: int


def indented_blocks(snapshot: Snapshot, language: Language) -> Iterator[tuple[LineRange, str]]:
    """Every block of at least two lines with its title, inner ones before outer ones.

    A closing line at the header's depth (`}`, `end`, `</div>`) belongs to its block, as do other branches (`else`) and
    the attributes directly above the header. Where braces close blocks, what stands between them at the header's own
    depth (`case 1:`, `public:`) belongs as well.
    """
    is_braced = "//" in language.line_comments
    opened: list[_Open] = []
    last = -1
    for line, depth, text in _code_lines(snapshot, language):
        while opened and not _goes_on(opened, depth, text, is_braced):
            yield from _close(opened, last, snapshot, language)
        braces = _net_braces(text, language)
        if opened and opened[-1].depth == depth and _JOINS.match(text):
            opened[-1].braces += braces
        else:
            opened.append(_Open(line, depth, short_title(text), braces))
        last = line
    while opened:
        yield from _close(opened, last, snapshot, language)


def short_title(header: str) -> str:
    """What tells a person which block it is: "def total" of "def total(a, b):"; never empty."""
    title = header.rstrip(" \t:{([")
    front = title.partition("(")[0].strip()
    if len(front.split()) > 1:  # not of `describe("a total", () => {`
        title = front
    if len(title) > _MAX_TITLE:
        title = title[: _MAX_TITLE - 1].rstrip() + "…"
    return title or "block"


def _code_lines(snapshot: Snapshot, language: Language) -> Iterator[tuple[int, int, str]]:
    """Number, depth and stripped text of the lines that decide; blank lines and comments do not."""
    passed = language.line_comments + (("#",) if language.id in _PREPROCESSED else ())
    for line in snapshot.all_lines:
        content = snapshot.content(line)
        text = content.strip()
        if text and not text.startswith(passed):
            yield line, _depth(content), text


def _depth(content: str) -> int:
    return len(content[: len(content) - len(content.lstrip(" \t"))].expandtabs(8))


def _goes_on(opened: list[_Open], depth: int, text: str, is_braced: bool) -> bool:
    """Whether the innermost block holds a line of this depth and text."""
    top = opened[-1]
    if top.depth != depth:
        return top.depth < depth
    if text[0] in ")]}":  # closes what has an open brace; where no one has, whatever is there
        return top.braces > 0 or not any(block.braces > 0 for block in opened if block.depth == depth)
    return bool(_JOINS.match(text)) or (is_braced and top.braces > 0)


def _net_braces(text: str, language: Language) -> int:
    """How many more braces are opened than closed, strings aside."""
    if "{" not in text and "}" not in text:
        return 0
    strings = "|".join(rf"{quote}(?:\\.|[^{quote}\\])*{quote}" for quote in language.quotes)
    code = re.sub(rf"{strings}|'[{{}}]'", "", text)
    return code.count("{") - code.count("}")


def _close(opened: list[_Open], last: int, snapshot: Snapshot, language: Language) -> Iterator[tuple[LineRange, str]]:
    """End the innermost block at the last line of code; its braces count for the block around it."""
    block = opened.pop()
    if opened:
        opened[-1].braces += block.braces
    if block.start < last:
        yield LineRange(_with_attributes(snapshot, language, block), last + 1), block.title


def _with_attributes(snapshot: Snapshot, language: Language, block: _Open) -> int:
    start = block.start
    while start > 0:
        above = snapshot.content(start - 1)
        text = above.strip()
        is_attribute = _ATTRIBUTE.match(text) or (language.id in _BRACKETED and _BRACKET_ATTRIBUTE.match(text))
        if not is_attribute or _depth(above) != block.depth:
            break
        start -= 1
    return start
