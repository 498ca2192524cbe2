"""What a strategy says while it works. Positions are lines of the snapshot."""

from dataclasses import dataclass

from copyspan.edits.text import LineRange


@dataclass(frozen=True, slots=True)
class PromptRead:
    """`done` of `total` prompt tokens are in the model's context."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class LinesCopied:
    """The model took over these lines of the snapshot as they are."""

    lines: LineRange


@dataclass(frozen=True, slots=True)
class TextGenerated:
    """The model wrote this text, in place of source or beside it. Pieces follow one another."""

    text: str


@dataclass(frozen=True, slots=True)
class SearchStarted:
    """A search for other candidates begins; `total` departures will be tried."""

    total: int


@dataclass(frozen=True, slots=True)
class DepartureTried:
    """`done` of `total` departures are complete."""

    done: int
    total: int


Event = PromptRead | LinesCopied | TextGenerated | SearchStarted | DepartureTried
