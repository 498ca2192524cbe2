"""Which lines an edit may change: what is selected, else the whole document or a block of it. Knows no editor."""

from dataclasses import dataclass
from typing import Literal

from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import UsageError
from copyspan_lsp.blocks import enclosing_blocks
from copyspan_lsp.languages import Language


@dataclass(frozen=True, slots=True)
class Scope:
    """Lines that may change, and what to call them to a person."""

    lines: LineRange
    kind: Literal["selection", "document", "block"]
    title: str
    """Such as "lines 12-20", "the whole document (80 lines)" or "def total (lines 12-40)"."""


def choose_scope(
    snapshot: Snapshot, language: Language, selection: tuple[int, int] | None, cursor: int | None, max_lines: int
) -> Scope:
    """The lines of the selection; else the whole document where it has at most `max_lines` lines; else a block.

    `selection` (in either direction) and `cursor` are code point offsets. A selection is widened to whole lines, but
    not to a line at whose very start it ends. An empty one is a cursor. The block is the largest around the cursor that
    keeps within `max_lines`. A selection may be of any length: a person asked for it. Raises UsageError where nothing
    is selected and no such block exists, and IndexError for an offset outside the document.
    """
    if selection is not None and selection[0] != selection[1]:
        lines = _whole_lines(snapshot, min(selection), max(selection))
        return Scope(lines, "selection", _lines_title(lines))
    if snapshot.num_lines <= max_lines:
        return Scope(snapshot.all_lines, "document", _document_title(snapshot.num_lines))
    if selection is not None:
        cursor = selection[0]
    return _block_scope(snapshot, language, cursor, max_lines)


def _whole_lines(snapshot: Snapshot, start: int, stop: int) -> LineRange:
    return LineRange(snapshot.line_at(start), snapshot.line_at(stop - 1) + 1)


def _block_scope(snapshot: Snapshot, language: Language, cursor: int | None, max_lines: int) -> Scope:
    size = f"The document has {snapshot.num_lines} lines; without a selection at most {max_lines} are edited at once"
    advice = "Select the lines to edit, or raise the setting maxLines."
    if cursor is None:
        raise UsageError(f"{size}. {advice}")
    line = min(snapshot.line_at(cursor), snapshot.num_lines - 1)  # below the last line: that line
    blocks = enclosing_blocks(snapshot, language, line)
    fitting = [block for block in blocks if len(block.lines) <= max_lines]
    if not fitting:
        smallest = f"the smallest block around line {line + 1} has {len(blocks[0].lines)}" if blocks else None
        raise UsageError(f"{size}, and {smallest or f'line {line + 1} is in no block'}. {advice}")
    chosen = fitting[-1]
    return Scope(chosen.lines, "block", f"{chosen.title} ({_lines_title(chosen.lines)})")


def _lines_title(lines: LineRange) -> str:
    return f"line {lines.stop}" if len(lines) == 1 else f"lines {lines.start + 1}-{lines.stop}"


def _document_title(num_lines: int) -> str:
    return f"the whole document ({num_lines} {'line' if num_lines == 1 else 'lines'})"
