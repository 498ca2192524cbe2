"""An engine that edits by random programs, and jobs that run when a test says so: no thread, no loop, no model."""

from collections.abc import Callable, Coroutine, Generator, Sequence
from dataclasses import dataclass
from random import Random
from types import coroutine
from typing import Any

from copyspan.edits.lines import LineOp, NewLines, settle
from copyspan.edits.program import CopyLines
from copyspan.edits.resolve import render, resolve
from copyspan.edits.text import LineRange, Snapshot
from copyspan.engine import (
    AnswerStarted,
    Candidate,
    Cost,
    EditRequest,
    EditResult,
    Event,
    HunkReady,
    LinesCopied,
    TextGenerated,
)
from copyspan.errors import Cancelled
from copyspan_lsp.editing import Outcome
from copyspan_lsp.jobs import Stopped, Ticket
from copyspan_lsp.task import Task

Answers = Callable[[Snapshot, LineRange], Sequence[LineOp]]


def candidate_of(ops: Sequence[LineOp], snapshot: Snapshot, scope: LineRange) -> Candidate:
    """What an answer of these lines comes to."""
    program = settle(ops, snapshot, scope)
    resolution = resolve(program, snapshot, scope)
    text = render(program, snapshot, scope)
    return Candidate(program, text, resolution.edits, resolution.hunks, -1.0, "program", 0, 0, 0, 0)


def result_of(candidates: Sequence[Candidate]) -> EditResult:
    return EditResult(tuple(candidates), Cost(0, 0, 0, 0, 1, 1, 0, 0), "verified", "programs", "cpu", "float32")


class ProgramEngine:
    """Implements `edit` and `search` of an engine; every answer is what `answers` gives for the scope."""

    def __init__(self, answers: Answers, error: Exception | None = None) -> None:
        self._answers = answers
        self._error = error

    def edit(
        self, request: EditRequest, cancelled: Callable[[], bool], on_event: Callable[[Event], None]
    ) -> EditResult:
        return result_of([self._answer(request, cancelled, on_event)])

    def search(
        self,
        request: EditRequest,
        result: EditResult,
        cancelled: Callable[[], bool],
        on_event: Callable[[Event], None],
    ) -> EditResult:
        known = {candidate.text for candidate in result.candidates}
        new = self._answer(request, cancelled, on_event)
        candidates = result.candidates if new.text in known else (*result.candidates, new)
        return result_of(sorted(candidates, key=lambda candidate: not candidate.changed))

    def _answer(
        self, request: EditRequest, cancelled: Callable[[], bool], on_event: Callable[[Event], None]
    ) -> Candidate:
        scope = request.scope or request.snapshot.all_lines
        ops = self._answers(request.snapshot, scope)
        found = candidate_of(ops, request.snapshot, scope)
        events = [AnswerStarted("program"), *map(_event, ops), *map(HunkReady, found.hunks)]
        for event in events:
            on_event(event)
            if cancelled():
                raise Cancelled("The edit was cancelled.")
        if self._error is not None:
            raise self._error
        return found


def _event(op: LineOp) -> Event:
    if isinstance(op, CopyLines):
        return LinesCopied(LineRange(op.start, op.stop))
    return TextGenerated("".join(f"{line}\n" for line in op.lines))


@coroutine
def _pause() -> Generator[None, None, None]:
    yield


class StagedJobs:
    """Implements `run` of `Jobs`; it waits before the work and after it, until `Staged` lets it go on."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    async def run(self, ticket: Ticket, work: Callable[[Any], Any], progress: object) -> Any:
        await _pause()
        ticket.check()
        try:
            result = work(self.engine)
        except Cancelled as error:
            raise Stopped(ticket.reason or "cancelled") from error
        except Exception:
            ticket.check()
            raise
        await _pause()
        ticket.check()
        return result


@dataclass
class Staged:
    """Implements `Listener`, and drives one coroutine of `Editing`; `meanwhile` is called at every pause and event."""

    begun: Callable[[Task], None]
    meanwhile: Callable[[Ticket], None]
    progress: Any = None
    ticket: Ticket | None = None

    def begin(self, task: Task, ticket: Ticket) -> None:
        self.ticket = ticket
        self.begun(task)

    def see(self, event: Event) -> None:
        assert self.ticket is not None
        self.meanwhile(self.ticket)

    def drive(self, coroutine_: Coroutine[None, None, Outcome]) -> Outcome:
        """What the coroutine returns or raises."""
        while True:
            try:
                coroutine_.send(None)
            except StopIteration as end:
                return end.value
            assert self.ticket is not None
            self.meanwhile(self.ticket)


def random_ops(rng: Random, scope: LineRange, contents: Sequence[str]) -> list[LineOp]:
    """Mostly copies in order with some lines left out, replaced and inserted; now and then copies in any order."""
    if rng.random() < 0.08:
        starts = [rng.randrange(scope.start, scope.stop) for _ in range(rng.randrange(4))] if len(scope) else []
        copies = [CopyLines(start, rng.randint(start + 1, scope.stop)) for start in starts]
        return [op for copy in copies for op in (copy, _new(rng, contents))]
    if rng.random() < 0.08:
        return [CopyLines(scope.start, scope.stop)] if len(scope) else []
    ops: list[LineOp] = []
    for line in scope:
        kind = rng.random()
        if kind < 0.25:
            ops.append(_new(rng, contents))
        if kind < 0.1 or kind > 0.3:
            ops.append(CopyLines(line, line + 1))
    return ops if rng.random() < 0.8 and ops else [*ops, _new(rng, contents)]


def _new(rng: Random, contents: Sequence[str]) -> NewLines:
    return NewLines(tuple(rng.choice(contents) for _ in range(rng.randint(1, 2))))
