"""The program that a model should write for an edit pair. Knows no tokens and no model."""

from dataclasses import dataclass

from copyspan.edits.align import align_lines
from copyspan.edits.lines import refine, settle
from copyspan.edits.program import CopyLines, Gen, Program
from copyspan.edits.resolve import render
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import OutputRejected
from copyspan.models.prompt import shown
from copyspan.strategies.guard import check_answer
from copyspan.strategies.program import program_lines
from copyspan.train.pairs import EditPair


class NoProgram(Exception):
    """The pair cannot be learnt. `reason` is one of a few, so that they can be counted."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Oracle:
    """A pair as the engine sees it, and the program for it: lines end with LF, as the prompt shows them."""

    snapshot: Snapshot
    scope: LineRange
    program: Program

    @property
    def first_copy(self) -> CopyLines | None:
        return first_copy(self.program)


def oracle(pair: EditPair) -> Oracle:
    """The program of a pair over the scope that the engine takes for a whole document. Raises NoProgram.

    Law: carried out as the engine carries a model's program out, it gives `pair.after`.
    """
    if not pair.instruction.strip():
        raise NoProgram("no instruction")
    snapshot = Snapshot(pair.before)
    scope = snapshot.without_blank_edges(snapshot.all_lines)
    program = align_lines(Snapshot(shown(snapshot, snapshot.all_lines)), _wanted(pair, snapshot, scope), scope)
    if any(isinstance(op, Gen) and "\0" in op.text for op in program.ops):
        raise NoProgram("new text with a NUL")
    lines = refine(program_lines(program), snapshot, scope)
    if render(settle(lines, snapshot, scope), snapshot, scope) != pair.after:
        raise NoProgram("line ends that no program states")
    try:
        check_answer(lines, snapshot, scope, pair.instruction)
    except OutputRejected as error:
        raise NoProgram(f"refused by the engine ({type(error).__name__})") from error
    return Oracle(snapshot, scope, program)


def first_copy(program: Program) -> CopyLines | None:
    return next((op for op in program.ops if isinstance(op, CopyLines)), None)


def _wanted(pair: EditPair, snapshot: Snapshot, scope: LineRange) -> str:
    """The scope after the edit, as a model writes it. Raises NoProgram where the edit is not in the scope alone."""
    start, stop = snapshot.span(scope)
    head, tail = pair.before[:start], pair.before[stop:]
    is_inside = pair.after.startswith(head) and pair.after.endswith(tail)
    if not is_inside or len(pair.after) < len(head) + len(tail):
        raise NoProgram("blank lines at the edges change")
    inner = Snapshot(pair.after[len(head) : len(pair.after) - len(tail)])
    return shown(inner, inner.all_lines)
