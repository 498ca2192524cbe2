"""What is stored of an edit that was made in several ways."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict

from copyspan.bench.cases import Framing
from copyspan.bench.results import Record

Way = Literal["plain", "lookup", "verified", "search", "program", "program-search", "ensemble", "adapted"]
"""How an edit was made; `ways` says what each means."""


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Difference = Literal["none", "ends", "missing", "elsewhere", "unchanged", "fallback"]
"""How the places where a program departs from the document differ from an oracle's: not at all; each is met, with other
ends; some are met; one is elsewhere; there are none. "fallback": there is no program."""


class ProgramRecord(_Value):
    """A program beside the one that an oracle would have written."""

    copies: int
    """The oracle's; a copy is a maximal run of lines that stay."""
    starts_right: int
    """How many of them begin where one of the program's does."""
    ends_right: int
    difference: Difference


class CandidateRecord(_Value):
    """One answer, as it would be put into the document."""

    origin: str
    changed: bool
    exact: bool
    """Whether it is the reference, byte for byte."""
    passed: bool | None
    """Whether the record's tests pass with it; None where there are none, or the reference fails them."""
    log_likelihood: float | None
    """None where tokens were decoded elsewhere: plain decoding and prompt lookup."""
    difference: Difference | None = None
    """How the places that it changes differ from those of the reference."""
    lost_lines: int | None = None
    """Lines that the reference keeps, and that this answer takes away without new ones in their place."""


class WayRecord(_Value):
    """What one way gave."""

    seconds: float
    """The median over the trials."""
    trials: list[float]
    """Seconds, in the order in which they were run."""
    phases: dict[str, float]
    """Seconds of the trial that took the median time."""
    forwards: int
    """Sequential ones, those that read the prompt included; 0 where the way failed and does not tell."""
    tokens: int
    is_complete: bool
    """Whether an answer came to its end, be it refused afterwards."""
    error: str | None
    candidates: list[CandidateRecord]
    """Best first."""
    program: ProgramRecord | None = None
    """Of the first candidate, where the way writes programs."""
    fallback: str | None = None
    """Why the way gave nothing, in a sentence, where another one stepped in."""
    is_doubtful: bool = False
    """Whether the way says that its first candidate is unlikely to be right."""

    @property
    def alone(self) -> Self:
        """Without what another way gave in its place: a refused program is wrong, whatever rewriting gave then."""
        return self.model_copy(update={"candidates": [], "error": "rewritten"}) if self.fallback else self


class Flip(_Value):
    """Where two ways that should write the same tokens part."""

    position: int | None
    """The first token that differs, counted from 0; None where all are the same."""
    compared: int
    """How many tokens both ways wrote."""
    gap: float | None = None
    """How much likelier the first way's token is than the other's there, as a difference of logits."""


class EditRecord(Record):
    """One case in all ways."""

    kind: Literal["edit"] = "edit"
    framing: Framing
    lang: str
    num_lines: int
    """Of the document before the edit."""
    source_tokens: int
    prompt_tokens: int
    has_tests: bool
    """Whether the record's tests were run, and the reference passes them."""
    load: float | None = None
    """The machine's load average afterwards, where the system tells it: beyond its cores, times are others' as well."""
    ways: dict[Way, WayRecord]
    flips: dict[Way, Flip]
    """Plain decoding against each other way that should write what it writes."""
