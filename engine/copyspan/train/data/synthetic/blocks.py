"""Whole lines taken out of a text and put into it, with the blank lines that belong to them. Knows no language."""

import re

_BLANK_AFTER = re.compile(r"(?:[ \t]*\n)*")
_BLANK_BEFORE = re.compile(r"\n(?:[ \t]*\n)*\Z")


def without_block(text: str, start: int, stop: int) -> str:
    """The text without the lines text[start:stop] and the blank lines after them; those before, where nothing follows.

    What follows on a smaller indentation counts as nothing.
    """
    match = _BLANK_AFTER.match(text, stop)
    after = match.end() if match else stop
    if after < len(text) and _indent(text, after) >= _indent(text, start):
        return text[:start] + text[after:]
    before = _BLANK_BEFORE.search(text[:start])
    return text[: before.start() + 1 if before else start] + text[stop:]


def with_block(text: str, at: int, block: str, gap: int) -> str:
    """The text with a block before the line that starts at `at`, and `gap` blank lines between."""
    return text[:at] + block + "\n" * gap + text[at:]


def gap_before(text: str, at: int) -> int:
    """How many blank lines stand above the line that starts at `at`."""
    before = _BLANK_BEFORE.search(text[:at])
    return before[0].count("\n") - 1 if before else 0


def indented(text: str, prefix: str) -> str:
    """The text with a prefix before every line that is not blank."""
    return re.sub(r"^(?=[^\n]*\S)", lambda _: prefix, text, flags=re.MULTILINE)


def dedented(text: str) -> str | None:
    """The text without the indentation of its first line; None where a line has less."""
    indent = text[: _indent(text, 0)]
    lines = text.split("\n")
    if any(line.strip() and not line.startswith(indent) for line in lines):
        return None
    return "\n".join(line[len(indent) :] if line.strip() else line for line in lines)


def _indent(text: str, at: int) -> int:
    end = at
    while end < len(text) and text[end] in " \t":
        end += 1
    return end - at
