"""What a model decides line by line, made into an exact program: terminators and the final newline. Knows no model."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from copyspan.edits.prefix import common_prefix
from copyspan.edits.program import CopyLines, Gen, Op, Program
from copyspan.edits.text import LineRange, Snapshot, split_lines, strip_terminator
from copyspan.errors import ProgramRangeError


@dataclass(frozen=True, slots=True)
class NewLines:
    """New lines, without terminators.

    A model may write a CR all the same. It ends a line then, as it would in the document.
    """

    lines: tuple[str, ...]

    def __post_init__(self) -> None:
        text = "".join(self.lines)
        if "\n" in text or "\r" in text:
            divided = (split_lines(line) or [""] for line in self.lines)
            object.__setattr__(self, "lines", tuple(strip_terminator(part) for parts in divided for part in parts))

    @classmethod
    def of(cls, text: str) -> "NewLines":
        """The lines of a text, whatever they end with."""
        return cls(tuple(split_lines(text)))


LineOp = CopyLines | NewLines

_MOST_ALIGNED = 5_000
"""Lines."""


def settle(ops: Sequence[LineOp], snapshot: Snapshot, scope: LineRange) -> Program:
    """The program that puts exactly these lines in the place of the scope.

    - Copied lines stay copies, so that no edit touches them.
    - A new line in the place of a dropped line ends as that one did; further ones end as the line above them.
    - A document with a final newline keeps it, and one without does not gain it: there a copied last line gets a
      terminator when something follows it, and an earlier line that becomes the last one is written anew without its
      terminator. A new line that is last and empty is therefore how a final newline is asked for.
    - In an empty document every new line ends with LF.
    - Where a CR would meet an LF and two lines become one, another LF comes between them.

    With no lines at all the program is empty, and the line above the scope keeps its terminator whatever comes after
    it. Raises ProgramRangeError for copies outside the scope.
    """
    parts = [part for gap_or_copy in _gaps_and_copies(ops, scope) for part in _terminate(gap_or_copy, snapshot)]
    if scope.stop == snapshot.num_lines and snapshot.ends_open:
        parts = _leave_open(parts, snapshot)
    return Program(tuple(_join(parts, snapshot, scope)))


def refine(ops: Sequence[LineOp], snapshot: Snapshot, scope: LineRange) -> Sequence[LineOp]:
    """The same lines with more copies: in each gap between copies, new lines that equal dropped ones become copies.

    New and dropped lines of a gap are aligned in order, so that increasing copies stay increasing. Contents are
    compared, not terminators: a line that the model wrote again was not asked to end otherwise.

    Where lines are still both dropped and written, as when a copy was taken from the wrong one of several equal
    passages, all lines are aligned anew, and the alignment that keeps more of them holds.
    """
    aligned = (
        op
        for part in _gaps_and_copies(ops, scope)
        for op in ((part,) if isinstance(part, CopyLines) else _align(part, snapshot))
    )
    refined = _joined(aligned)
    if not _writes_what_it_drops(refined, snapshot, scope):
        return refined
    contents = tuple(content for op in refined for content in _contents(op, snapshot))
    anew = _joined(_align(_Gap(scope, contents), snapshot))
    return max(refined, anew, key=_num_kept)


def _joined(ops: Iterable[LineOp]) -> list[LineOp]:
    """The operations, copies of neighbouring lines as one."""
    joined: list[LineOp] = []
    for op in ops:
        last = joined[-1] if joined else None
        if isinstance(last, CopyLines) and isinstance(op, CopyLines) and last.stop == op.start:
            joined[-1] = CopyLines(last.start, op.stop)
        else:
            joined.append(op)
    return joined


def _writes_what_it_drops(ops: Sequence[LineOp], snapshot: Snapshot, scope: LineRange) -> bool:
    """Whether a line that is dropped is written elsewhere; not asked of texts so long that aligning takes seconds."""
    if len(scope) > _MOST_ALIGNED:
        return False
    copied = {line for op in ops if isinstance(op, CopyLines) for line in range(op.start, op.stop)}
    dropped = {snapshot.content(line) for line in scope if line not in copied}
    written = {line for op in ops if isinstance(op, NewLines) for line in op.lines}
    return any(line.strip() for line in dropped & written)


def _contents(op: LineOp, snapshot: Snapshot) -> Iterable[str]:
    return op.lines if isinstance(op, NewLines) else map(snapshot.content, range(op.start, op.stop))


def _num_kept(ops: Sequence[LineOp]) -> int:
    return sum(len(op) for op in ops if isinstance(op, CopyLines))


@dataclass(frozen=True, slots=True)
class _Gap:
    """New lines between two copies, and the lines that are dropped there (none where copies go backwards)."""

    dropped: LineRange
    lines: tuple[str, ...]


def _gaps_and_copies(ops: Iterable[LineOp], scope: LineRange) -> Iterator[_Gap | CopyLines]:
    """A gap, be it empty, before each copy and at the end."""
    lines: list[str] = []
    place = scope.start
    for op in ops:
        if isinstance(op, NewLines):
            lines += op.lines
            continue
        if not scope.contains(LineRange(op.start, op.stop)):
            raise ProgramRangeError(
                f"The program copies lines {op.start + 1}-{op.stop}, outside the scope {scope.start + 1}-{scope.stop}."
            )
        yield _Gap(LineRange(place, max(place, op.start)), tuple(lines))
        yield op
        lines, place = [], op.stop
    yield _Gap(LineRange(place, max(place, scope.stop)), tuple(lines))


def _terminate(part: _Gap | CopyLines, snapshot: Snapshot) -> Iterator[CopyLines | str]:
    """A copy as it is, or the new lines of a gap with their terminators."""
    if isinstance(part, CopyLines):
        yield part
        return
    terminator = snapshot.newline_near(part.dropped.start)
    for i, line in enumerate(part.lines, part.dropped.start):
        if i in part.dropped:
            terminator = snapshot.terminator(i) or terminator
        yield line + terminator


def _leave_open(parts: list[CopyLines | str], snapshot: Snapshot) -> list[CopyLines | str]:
    """The parts with no terminator at the end of the last one."""
    if not parts:
        return []
    *others, last = parts
    if isinstance(last, str):
        return [*others, strip_terminator(last)]
    if last.stop == snapshot.num_lines:
        return parts
    if len(last) > 1:
        others.append(CopyLines(last.start, last.stop - 1))
    return [*others, snapshot.content(last.stop - 1)]


def _join(parts: Iterable[CopyLines | str], snapshot: Snapshot, scope: LineRange) -> Iterator[Op]:
    """The parts as operations, with what has to stand between lines so that they stay apart."""
    left = snapshot.line(scope.start - 1) if scope.start else "\n"
    text = ""
    for part in parts:
        text += _glue(left, part if isinstance(part, str) else snapshot.line(part.start), snapshot)
        if isinstance(part, str):
            text += part
            left = part
            continue
        if text:
            yield Gen(text)
        yield part
        text, left = "", snapshot.line(part.stop - 1)
    if scope.stop < snapshot.num_lines:
        text += _glue(left, snapshot.line(scope.stop), snapshot)
    if text:
        yield Gen(text)


def _glue(left: str, right: str, snapshot: Snapshot) -> str:
    """What keeps two neighbouring lines apart: mostly nothing, as a line ends with its own terminator."""
    glue = "" if left.endswith(("\n", "\r")) else snapshot.newline_near(snapshot.num_lines)
    return glue + "\n" if (left + glue).endswith("\r") and right.startswith("\n") else glue


def _align(gap: _Gap, snapshot: Snapshot) -> Iterator[LineOp]:
    """The lines of a gap, those at its ends that stay as copies first: the library's heuristic would shift them."""
    dropped = [snapshot.content(i) for i in gap.dropped]
    head = common_prefix(dropped, gap.lines)
    tail = common_prefix(dropped[head:][::-1], gap.lines[head:][::-1])
    start, stop = gap.dropped.start, gap.dropped.stop
    if head:
        yield CopyLines(start, start + head)
    inner, lines = dropped[head : len(dropped) - tail], gap.lines[head : len(gap.lines) - tail]
    for tag, old_start, old_stop, new_start, new_stop in SequenceMatcher(None, inner, lines, False).get_opcodes():
        if tag == "equal":
            yield CopyLines(start + head + old_start, start + head + old_stop)
        elif new_start < new_stop:
            yield NewLines(lines[new_start:new_stop])
    if tail:
        yield CopyLines(stop - tail, stop)
