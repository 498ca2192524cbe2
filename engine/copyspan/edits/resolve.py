"""From a program to the new text, and to the smallest edits that lead there. Knows no tokens but their borders.

Laws, for every program p whose copies lie in the scope of snapshot s:
    resolve(p, s).edits.apply(s.text) == render(p, s)
    no edit covers a character of a copied line that stays, and none lies outside the scope
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from copyspan.edits.chain import Anchor, heaviest_chain
from copyspan.edits.edit import Edit, EditList
from copyspan.edits.graphemes import border_after, border_before
from copyspan.edits.program import CopyLines, CopyTokens, Gen, Program
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import ProgramRangeError


@dataclass(frozen=True, slots=True)
class Hunk:
    """What a person accepts or rejects: the old text of some lines and their new text.

    `lines` are the old lines that change, none of them where lines are only inserted. `old` is their text, and `new`
    what stands in its place afterwards. `edits` do that; any choice of hunks can be applied together.
    """

    lines: LineRange
    old: str
    new: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Resolution:
    """A program as edits; the hunks hold the same edits, those of neighbouring lines together."""

    edits: EditList
    hunks: tuple[Hunk, ...]


def render(
    program: Program, snapshot: Snapshot, scope: LineRange | None = None, token_borders: Sequence[int] = ()
) -> str:
    """The whole new document: the text before the scope, the operations' texts as they are, the text after it.

    `token_borders` are the num_tokens + 1 positions of token borders in the snapshot's text; only copies of tokens need
    them. Raises ProgramRangeError for a copy outside the scope or the document.
    """
    return _expand(program, snapshot, scope, token_borders)[0]


def resolve(
    program: Program, snapshot: Snapshot, scope: LineRange | None = None, token_borders: Sequence[int] = ()
) -> Resolution:
    """The edits that turn the snapshot into `render(...)`, with the same arguments and errors.

    The heaviest increasing chain of copies stays untouched, and everything else is inserted text. Copied lines stay
    whole; a copy of tokens stays as far as it consists of whole graphemes, before and after. Where copies of equal text
    change places, nothing changes, and there is no edit.
    """
    new, copies = _expand(program, snapshot, scope, token_borders)
    kept = _whole_graphemes(heaviest_chain(copies, snapshot.starts), snapshot, new)
    edits = EditList(tuple(_gaps(kept, snapshot.text, new))).trim(snapshot.text)
    if new == snapshot.text:
        return Resolution(EditList(), ())
    hunks = _hunks(edits, snapshot, new)
    return Resolution(EditList(tuple(edit for hunk in hunks for edit in hunk.edits)), hunks)


def hunks_of(edits: EditList, snapshot: Snapshot) -> tuple[Hunk, ...]:
    """Trimmed edits of the snapshot as hunks, those of neighbouring lines together."""
    return _hunks(edits, snapshot, edits.apply(snapshot.text))


def _expand(
    program: Program, snapshot: Snapshot, scope: LineRange | None, token_borders: Sequence[int]
) -> tuple[str, list[Anchor]]:
    """The new text, and where in it the copies stand. The text around the scope counts as copied."""
    text = snapshot.text
    scope = scope or snapshot.all_lines
    if scope.stop > snapshot.num_lines:
        raise ProgramRangeError(
            f"The scope ends at line {scope.stop}, and the document has {snapshot.num_lines} lines."
        )
    start, stop = snapshot.span(scope)
    pieces, copies, size = [text[:start]], [Anchor(0, start, 0)], start
    for op in program.ops:
        if isinstance(op, Gen):
            pieces.append(op.text)
        else:
            span = _line_span(op, snapshot, scope) if isinstance(op, CopyLines) else _token_span(op, token_borders)
            if not start <= span[0] <= span[1] <= stop:
                raise ProgramRangeError(f"The program copies characters {span}, outside the scope {(start, stop)}.")
            copies.append(Anchor(*span, size))
            pieces.append(text[slice(*span)])
        size += len(pieces[-1])
    copies.append(Anchor(stop, len(text), size))
    return "".join((*pieces, text[stop:])), copies


def _line_span(op: CopyLines, snapshot: Snapshot, scope: LineRange) -> tuple[int, int]:
    lines = LineRange(op.start, op.stop)
    if not scope.contains(lines):
        raise ProgramRangeError(
            f"The program copies lines {op.start + 1}-{op.stop}, outside the scope {scope.start + 1}-{scope.stop}."
        )
    return snapshot.span(lines)


def _token_span(op: CopyTokens, token_borders: Sequence[int]) -> tuple[int, int]:
    num_tokens = max(len(token_borders) - 1, 0)
    if op.stop > num_tokens:
        raise ProgramRangeError(
            f"The program copies tokens {op.start + 1}-{op.stop}, and the document has {num_tokens} tokens."
        )
    return token_borders[op.start], token_borders[op.stop]


def _whole_graphemes(kept: Iterable[Anchor], snapshot: Snapshot, new: str) -> Iterator[Anchor]:
    """What stays, without graphemes that are cut at its ends, in the old text or the new.

    Starts of lines are left alone: a copied line stays whatever is put beside it.
    """
    old = snapshot.text
    for anchor in kept:
        start, stop, shift = anchor.start, anchor.stop, anchor.new_start - anchor.start
        while start < stop and not _is_line_start(snapshot, start):
            start, last = max(border_after(old, start), border_after(new, start + shift) - shift), start
            if start == last:
                break
        while start < stop and not _is_line_start(snapshot, stop):
            stop, last = min(border_before(old, stop), border_before(new, stop + shift) - shift), stop
            if stop == last:
                break
        if start < stop:
            yield anchor.cut(start, stop)


def _is_line_start(snapshot: Snapshot, offset: int) -> bool:
    """Whether a line starts at `offset`, or the text ends there."""
    return snapshot.starts[bisect_left(snapshot.starts, offset)] == offset


def _gaps(kept: Iterable[Anchor], old: str, new: str) -> Iterator[Edit]:
    """What lies before, between and after the copies that stay."""
    old_end = new_end = 0
    for anchor in (*kept, Anchor(len(old), len(old), len(new))):
        yield Edit(old_end, anchor.start, new[new_end : anchor.new_start])
        old_end, new_end = anchor.stop, anchor.new_stop


def _hunks(edits: EditList, snapshot: Snapshot, new: str) -> tuple[Hunk, ...]:
    """The hunks that lead to `new` and change something."""
    return tuple(hunk for hunk in _grouped(edits, snapshot, new) if hunk.old != hunk.new)


def _grouped(edits: EditList, snapshot: Snapshot, new: str) -> Iterator[Hunk]:
    """Edits with no untouched line between them belong to one hunk."""
    groups: list[tuple[LineRange, list[Edit]]] = []
    shift = 0
    for edit in edits:
        shift += edit.growth
        lines = _touched(edit, snapshot, new[max(edit.stop + shift - 1, 0) : edit.stop + shift])
        if groups and lines.start <= groups[-1][0].stop:
            before, members = groups.pop()
            groups.append((LineRange(before.start, lines.stop), [*members, edit]))
        else:
            groups.append((lines, [edit]))
    shift = 0
    for lines, members in groups:
        start, stop = snapshot.span(lines)
        growth = sum(edit.growth for edit in members)
        yield Hunk(lines, snapshot.text[start:stop], new[start + shift : stop + shift + growth], tuple(members))
        shift += growth


def _touched(edit: Edit, snapshot: Snapshot, last: str) -> LineRange:
    """The old lines that are other lines afterwards; `last` is the character before the place where the edit ends."""
    text = snapshot.text
    starts_line = _is_line_start(snapshot, edit.start)
    if edit.start == len(text) and snapshot.ends_open:
        starts_line = edit.text[:1] in ("\r", "\n")  # else the last line itself becomes longer
    ends_line = _is_line_start(snapshot, edit.stop) and (edit.stop == len(text) or last in ("", "\r", "\n"))
    first = bisect_left(snapshot.starts, edit.start) if starts_line else snapshot.line_at(edit.start)
    stop = bisect_left(snapshot.starts, edit.stop) if ends_line else snapshot.line_at(edit.stop) + 1
    return LineRange(first, stop)
