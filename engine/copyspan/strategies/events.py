"""What a strategy says while it works. Positions are lines of the snapshot."""

from dataclasses import dataclass

from copyspan.edits.resolve import Hunk
from copyspan.edits.text import LineRange
from copyspan.strategies.answer import Origin


@dataclass(frozen=True, slots=True)
class PromptRead:
    """`done` of `total` prompt tokens are in the model's context."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class AnswerStarted:
    """The model begins an answer, from the start of the scope. What was told of an earlier answer is over."""

    origin: Origin


@dataclass(frozen=True, slots=True)
class LinesCopied:
    """The model took over these lines of the snapshot as they are."""

    lines: LineRange


@dataclass(frozen=True, slots=True)
class TextGenerated:
    """The model wrote this text, in place of source or beside it. Pieces follow one another."""

    text: str


@dataclass(frozen=True, slots=True)
class HunkReady:
    """The answer has left this place: the hunk is complete, unless the answer as a whole is refused.

    A hunk that ends the scope is not told; it comes with the result.
    """

    hunk: Hunk


@dataclass(frozen=True, slots=True)
class SearchStarted:
    """A search for other candidates begins; `total` departures will be tried, or programs asked for once."""

    total: int


@dataclass(frozen=True, slots=True)
class DepartureTried:
    """`done` of `total` departures are complete."""

    done: int
    total: int


Event = PromptRead | AnswerStarted | LinesCopied | TextGenerated | HunkReady | SearchStarted | DepartureTried
