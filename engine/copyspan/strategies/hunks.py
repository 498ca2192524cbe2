"""Telling hunks while an answer is written, from the events that tell its lines. Knows no model and no tokens.

Law: the hunks told of an answer are the first hunks of its resolution, in order, unless its lines are aligned anew in
the end (`edits.lines.refine`).
"""

from collections.abc import Callable

from copyspan.edits.lines import LineOp, NewLines, refine, settle
from copyspan.edits.program import CopyLines
from copyspan.edits.resolve import resolve
from copyspan.edits.text import LineRange, Snapshot
from copyspan.strategies.events import AnswerStarted, Event, HunkReady, LinesCopied, TextGenerated


class HunkTeller:
    """Passes events on, and says after copied lines which hunks lie before them.

    It waits for two copied lines, or the scope's last one: where all that follows is dropped from a document without
    a final newline, the line before becomes the last one and loses its terminator, so that it changes after all.
    """

    def __init__(self, emit: Callable[[Event], None], snapshot: Snapshot, scope: LineRange) -> None:
        self._emit = emit
        self._snapshot = snapshot
        self._scope = scope
        self._restart()

    def see(self, event: Event) -> None:
        self._emit(event)
        match event:
            case AnswerStarted():
                self._restart()
            case TextGenerated(text):
                self._written += text
            case LinesCopied(lines):
                self._copy(lines)

    def _restart(self) -> None:
        self._ops: list[LineOp] = []
        self._written = ""
        """Text since the last copied line."""
        self._next_line = self._scope.start
        self._run_start: int | None = None
        """Where the copied lines began whose hunks are not told yet."""
        self._num_told = 0

    def _copy(self, lines: LineRange) -> None:
        if lines.start < self._next_line:  # a copy that goes backwards counts as new lines
            stop = min(self._next_line, lines.stop)
            self._written += "".join(self._snapshot.content(i) + "\n" for i in range(lines.start, stop))
            lines = LineRange(stop, lines.stop)
        if not len(lines):
            return
        if self._written or lines.start > self._next_line:
            self._run_start = lines.start
        if self._written:
            self._ops.append(NewLines(tuple(self._written.split("\n")[:-1])))
        self._ops.append(CopyLines(lines.start, lines.stop))
        self._written, self._next_line = "", lines.stop
        if self._run_start is not None and (lines.stop - self._run_start > 1 or lines.stop == self._scope.stop):
            self._tell_hunks(self._run_start)
            self._run_start = None

    def _tell_hunks(self, place: int) -> None:
        """Tell the hunks before line `place`, as if all lines from there on were copied."""
        before = [op for op in self._ops if not (isinstance(op, CopyLines) and op.start >= place)]
        ops = [*before, CopyLines(place, self._scope.stop)]
        program = settle(refine(ops, self._snapshot, self._scope), self._snapshot, self._scope)
        hunks = resolve(program, self._snapshot, self._scope).hunks
        for hunk in hunks[self._num_told :]:
            self._emit(HunkReady(hunk))
        self._num_told = len(hunks)
