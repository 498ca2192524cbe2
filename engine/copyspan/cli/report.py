"""The JSON that `--json` prints. Its schema has a number, which changes when something is renamed or removed."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from copyspan.cli.check import Attempt
from copyspan.cli.exit_codes import exit_code_of
from copyspan.edits.program import format_program
from copyspan.engine import Candidate, Cost, EditResult
from copyspan.errors import CopyspanError

SCHEMA_VERSION: Literal[1] = 1


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EditReport(_Model):
    """Replace the characters start..stop-1 by `text`."""

    start: int
    """In code points of the document, without a byte order mark."""
    stop: int
    text: str


class HunkReport(_Model):
    """The lines that change, as one piece to accept or reject."""

    line: int
    """The first old line, counted from 1; where num_lines is 0, the line before which `new` is inserted."""
    num_lines: int
    old: str
    new: str


class CandidateReport(_Model):
    changed: bool
    origin: str
    log_likelihood: float
    edits: list[EditReport]
    hunks: list[HunkReport]
    program: str
    """The surface form."""

    @classmethod
    def of(cls, candidate: Candidate) -> "CandidateReport":
        hunks = candidate.hunks
        return cls(
            changed=candidate.changed,
            origin=candidate.origin,
            log_likelihood=candidate.log_likelihood,
            edits=[EditReport(start=edit.start, stop=edit.stop, text=edit.text) for edit in candidate.edits],
            hunks=[HunkReport(line=h.lines.start + 1, num_lines=len(h.lines), old=h.old, new=h.new) for h in hunks],
            program=format_program(candidate.program),
        )


class CostReport(_Model):
    """Lines and tokens of the best candidate; forwards and seconds of the whole edit."""

    copied_lines: int
    generated_lines: int
    copied_tokens: int
    generated_tokens: int
    forwards: int
    plain_forwards: int
    prompt_tokens: int
    reused_tokens: int
    seconds: dict[str, float]

    @classmethod
    def of(cls, cost: Cost) -> "CostReport":
        return cls(**{name: getattr(cost, name) for name in cls.model_fields})


class AttemptReport(_Model):
    candidate: int
    exit_code: int | None
    seconds: float


class CheckReport(_Model):
    command: str
    passed: bool
    attempts: list[AttemptReport]

    @classmethod
    def of(cls, command: str, attempts: tuple[Attempt, ...]) -> "CheckReport":
        reports = [AttemptReport(candidate=a.candidate, exit_code=a.exit_code, seconds=a.seconds) for a in attempts]
        return cls(command=command, passed=bool(attempts) and attempts[-1].passed, attempts=reports)


class Report(_Model):
    """One edit. `written` is the index of the candidate that the file holds now, or None."""

    schema_version: Literal[1] = SCHEMA_VERSION
    file: str | None
    changed: bool
    written: int | None
    strategy: str
    model: str
    device: str
    dtype: str
    candidates: list[CandidateReport]
    cost: CostReport
    check: CheckReport | None = None
    warnings: list[str] = Field(default_factory=list)

    @classmethod
    def of(
        cls,
        result: EditResult,
        *,
        file: str | None,
        written: int | None,
        check: CheckReport | None,
        warnings: list[str],
    ) -> "Report":
        return cls(
            file=file,
            changed=result.best.changed,
            written=written,
            strategy=result.strategy,
            model=result.model,
            device=result.device,
            dtype=result.dtype,
            candidates=[CandidateReport.of(candidate) for candidate in result.candidates],
            cost=CostReport.of(result.cost),
            check=check,
            warnings=warnings,
        )


class ErrorReport(_Model):
    """An edit that could not be carried out."""

    schema_version: Literal[1] = SCHEMA_VERSION
    error: str
    """The kind of error, such as ContextTooLong."""
    message: str
    exit_code: int

    @classmethod
    def of(cls, error: CopyspanError) -> "ErrorReport":
        return cls(error=type(error).__name__, message=str(error), exit_code=exit_code_of(error))
