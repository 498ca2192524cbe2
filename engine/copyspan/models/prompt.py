"""Snapshot and instruction to token ids. Knows a tokenizer's protocol; no tensors, no strategy.

The document comes before the instruction, so that its part of the KV cache can be computed early and is kept between
edits. Lines are shown with LF ends whatever the document uses: a model writes LF, and lines are mapped back by number.
"""

from dataclasses import dataclass
from pathlib import PurePath

from copyspan.edits.text import LineRange, Snapshot
from copyspan.models.protocol import Tokenizer

_REWRITE_SYSTEM = (
    "You are a careful editor of code and text. You get a file and an instruction. You carry out the instruction with "
    "as few changes as possible, and write everything else exactly as it was."
)
_NUMBERED_SYSTEM = (
    "You edit files by programs. A program copies lines of the file by number and writes new text:\n"
    '<program>\n<copy lines="1-4"/>\n<gen>\nnew text\n</gen>\n<copy lines="6-9"/>\n</program>\n'
    "Copied line ranges are inclusive. Lines that are not copied are deleted. Copy whatever does not change."
)
_REFERENCE = "Lines before the part, for reference only, not to be repeated:"
_CHARACTERS_PER_LINE = 100
_MARKDOWN = {".md", ".markdown", ".rst", ".mdx", ".txt", ".adoc"}


@dataclass(frozen=True, slots=True)
class RewritePrompt:
    """A prompt whose answer is the edited scope as text, up to a closing fence."""

    ids: tuple[int, ...]
    """The chat prompt, up to and with the line that opens the answer's fence."""
    source: tuple[int, ...]
    """The unchanged answer: the scope's lines, the closing fence, the end token. What drafts are cut from."""
    source_text: bytes
    """The bytes of `source` without the end token."""
    fence: str
    """The line that ends the answer; no line of the scope starts with it."""


@dataclass(frozen=True, slots=True)
class NumberedPrompt:
    """A prompt whose answer is a program in surface form."""

    ids: tuple[int, ...]
    line_ids: tuple[tuple[int, ...], ...]
    """The tokens of every line of the scope, each with its LF: what a copy puts into the context."""


def rewrite_prompt(
    tokenizer: Tokenizer,
    snapshot: Snapshot,
    scope: LineRange,
    instruction: str,
    name: str | None,
    context_lines: int = 0,
) -> RewritePrompt:
    """Ask for the scope rewritten. `name` is the file's name or None; it gives the fence its language.

    A scope that is not the whole document gets a block of its own, and up to `context_lines` lines above it stand in
    another: shown inside the whole document, a small model writes too much or too little of it (LOG.md).
    """
    is_whole = scope == snapshot.without_blank_edges(snapshot.all_lines)
    body = shown(snapshot, scope)
    above = shown(snapshot, _lines_above(snapshot, scope, context_lines))
    fence = _fence(above + body, name)
    opening = f"{fence}{_language(name)}\n"
    if above.strip():
        reference = f"{_title(name)}\n\n{_REFERENCE}\n{opening}{above}{fence}\n\n"
        title, what = f"{reference}Part to edit:", "whole part to edit"
        only = " and nothing else of the file,"
    else:
        title, what = (_title(name), "whole file") if is_whole else ("Part of a file:", "whole part")
        only = ""
    document = f"{title}\n{opening}{body}{fence}\n\n"
    wanted = f"Write the {what} after this edit, complete,{only} in one code block."
    task = f"Instruction: {instruction.strip()}\n\n{wanted}"
    ids = tokenizer.chat(_REWRITE_SYSTEM, [document, task]) + tokenizer.encode(opening)
    answer = body + fence
    end = min(tokenizer.end_tokens)
    return RewritePrompt(tuple(ids), (*tokenizer.encode(answer), end), answer.encode(), fence)


def numbered_prompt(
    tokenizer: Tokenizer, snapshot: Snapshot, scope: LineRange, instruction: str, name: str | None
) -> NumberedPrompt:
    """Ask for a program over the scope's lines, numbered as in the document."""
    contents = [snapshot.content(i) + "\n" for i in scope]
    # "|" and no blank: a blank after the number would read as indentation.
    numbered = "".join(f"{i}|{line}" for i, line in enumerate(contents, start=scope.start + 1))
    pieces = [f"{_title(name)}\n{numbered}\n", f"Instruction: {instruction.strip()}"]
    ids = tokenizer.chat(_NUMBERED_SYSTEM, pieces)
    return NumberedPrompt(tuple(ids), tuple(tuple(tokenizer.encode(line)) for line in contents))


def shown(snapshot: Snapshot, lines: LineRange) -> str:
    """Lines as the model sees them: each ended by one LF."""
    return "".join(snapshot.content(i) + "\n" for i in lines)


def _lines_above(snapshot: Snapshot, scope: LineRange, most: int) -> LineRange:
    """The lines right above the scope, at most `most` of them, fewer where they are long: a minified file has lines
    that would fill the context."""
    start, room = scope.start, most * _CHARACTERS_PER_LINE
    while start > max(0, scope.start - most) and len(snapshot.line(start - 1)) <= room:
        start -= 1
        room -= len(snapshot.line(start))
    return LineRange(start, scope.start)


def _title(name: str | None) -> str:
    return f"File: {PurePath(name).name}" if name else "File:"


def _language(name: str | None) -> str:
    return PurePath(name).suffix.removeprefix(".") if name else ""


def _fence(document: str, name: str | None) -> str:
    """A fence longer than any run of backticks that starts a line; longer still in prose, where new ones come up."""
    runs = [len(line) - len(line.lstrip("`")) for line in map(str.lstrip, document.split("\n"))]
    prose = name is not None and PurePath(name).suffix.lower() in _MARKDOWN
    return "`" * max(4 if prose else 3, max(runs) + 1)
