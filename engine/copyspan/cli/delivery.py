"""What happens to a finished edit: it is shown, printed, written, checked, or asked about."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from copyspan.cli.ask import choose
from copyspan.cli.backup import left_over
from copyspan.cli.check import Attempt, try_candidates
from copyspan.cli.diff import marked_diff
from copyspan.cli.documents import MAX_BYTES, Document, decode
from copyspan.cli.exit_codes import ExitCode
from copyspan.cli.files import SourceFile, check_writable, read_file, write_file
from copyspan.cli.options import Wish
from copyspan.cli.report import CheckReport, Report
from copyspan.cli.show import NO_CHANGE, change_line, cost_line, diff_name, for_terminal
from copyspan.cli.terminal import can_ask, has_colour, printable, put, say
from copyspan.edits.program import format_program
from copyspan.engine import Candidate, EditResult
from copyspan.errors import Cancelled, CopyspanError, SourceError

Search = Callable[[], Sequence[Candidate]]
"""Looks for more candidates, which takes time."""


@dataclass(frozen=True, slots=True)
class Job:
    """A wish, and the document that it is about; `file` is None for standard input."""

    wish: Wish
    document: Document
    file: SourceFile | None
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, wish: Wish) -> "Job":
        """Read the document, and find out what can be known without a model. Raises SourceError."""
        if wish.is_stdin:
            if sys.stdin.isatty():
                say("Reading standard input; Ctrl-D ends it.")
            return cls(wish, decode(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input"), None)
        file = read_file(Path(wish.file))
        job = cls(wish, file.document, file)
        if wish.writes or wish.check is not None or job.asks:
            check_writable(file)
        remains = left_over(file)
        if remains and wish.check is not None:
            raise SourceError(remains)
        if remains:
            job.warn(remains)
        return job

    @property
    def asks(self) -> bool:
        """Whether the person is asked before anything is written."""
        return self.file is not None and self.wish.form == "view" and not self.wish.writes and can_ask()

    def warn(self, message: str) -> None:
        self.warnings.append(message)
        say(f"Warning: {message}")

    def diff(self, candidate: Candidate) -> str:
        name = diff_name(self.file.path) if self.file else self.wish.name or "stdin"
        return marked_diff(self.document.mark, self.document.snapshot.text, candidate.edits, name)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ended; `written` is the index of the candidate in the file, if it is one of the result's."""

    code: ExitCode
    written: int | None = None
    attempts: tuple[Attempt, ...] = ()


def deliver(job: Job, result: EditResult, search: Search) -> ExitCode:
    """Do with the result what the person wished. Raises SourceError and Interrupted; the file is then as it was."""
    wanted, found = job.wish.candidates or 1, len(result.candidates)
    if found < wanted:
        job.warn(f"{wanted} candidates were asked for; the model had {found}.")
    if result.warning:
        job.warn(result.warning)
    outcome = _carry_out(job, result, search)
    if job.wish.form == "json":
        file = printable(str(job.file.path)) if job.file else None
        check = CheckReport.of(job.wish.check, outcome.attempts) if job.wish.check is not None else None
        report = Report.of(result, file=file, written=outcome.written, check=check, warnings=job.warnings)
        put(report.model_dump_json(indent=2) + "\n")
    return outcome.code


def _carry_out(job: Job, result: EditResult, search: Search) -> Outcome:
    if not result.best.changed:
        return _unchanged(job)
    if job.file is not None and job.wish.check is not None:
        return _check(job, job.file, job.wish.check, result)
    if job.file is not None and job.asks:
        return _ask(job, job.file, result, search)
    _show(job, result.best, cost_line(job.document.snapshot, result.best, result))
    if job.file is not None and job.wish.writes:
        write_file(job.file, job.document.encode(result.best.text))
        return Outcome(ExitCode.CHANGED, written=0)
    if job.file is not None and job.wish.form == "view":
        say("Nothing was written. To write it: --write.")
    return Outcome(ExitCode.CHANGED)


def _unchanged(job: Job) -> Outcome:
    if job.file is None and job.wish.form == "view":
        put(job.document.mark + job.document.snapshot.text)
    say(NO_CHANGE)
    return Outcome(ExitCode.UNCHANGED)


def _check(job: Job, file: SourceFile, command: str, result: EditResult) -> Outcome:
    candidates = [candidate for candidate in result.candidates if candidate.changed]
    attempts = try_candidates(file, candidates, command, job.wish.check_timeout)
    if not attempts[-1].passed:
        number = "The candidate fails" if len(candidates) == 1 else f"All {len(candidates)} candidates fail"
        say(f"{number} the check; the file is as it was. Ask for more with --candidates, or see one with --diff.")
        return Outcome(ExitCode.CHECK, attempts=attempts)
    passed = candidates[attempts[-1].candidate]
    _show(job, passed, cost_line(job.document.snapshot, passed, result))
    return Outcome(ExitCode.CHANGED, result.candidates.index(passed), attempts)


def _ask(job: Job, file: SourceFile, result: EditResult, search: Search) -> Outcome:
    text = job.document.snapshot

    def show(index: int, known: Sequence[Candidate]) -> None:
        if len(known) > 1:
            say(f"Candidate {index + 1} of {len(known)}:")
        is_best = known[index] is result.best
        _show(job, known[index], cost_line(text, known[index], result) if is_best else change_line(text, known[index]))

    def more() -> Sequence[Candidate]:
        try:
            return search()
        except Cancelled:
            raise
        except CopyspanError as error:  # what was found before is still there
            say(f"Warning: {error}")
            return ()

    changed = [candidate for candidate in result.candidates if candidate.changed]
    chosen = choose(changed, show, more)
    if chosen is None:
        say("Nothing was written.")
        return Outcome(ExitCode.UNCHANGED)
    write_file(file, job.document.encode(chosen.text))
    return Outcome(ExitCode.CHANGED)


def _show(job: Job, candidate: Candidate, summary: str) -> None:
    """The candidate as the wish's form has it (JSON comes later, and whole), and a line about it."""
    wish = job.wish
    if wish.form == "diff":
        put(job.diff(candidate))
    elif wish.form == "view" and job.file is None:
        put(job.document.mark + candidate.text)
    elif wish.form == "view":
        diff = job.diff(candidate)
        put(for_terminal(diff, colour=has_colour(sys.stdout)) if sys.stdout.isatty() else diff)
    if wish.shows_program:
        program = format_program(candidate.program)
        if wish.form == "view" and job.file is not None:
            put(program)
        else:
            say(program, end="")
    say(summary)
