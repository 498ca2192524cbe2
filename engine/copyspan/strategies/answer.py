"""What every strategy returns: the edit line by line, and what it took."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from copyspan.edits.lines import LineOp
from copyspan.edits.program import CopyLines
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import OutputRejected
from copyspan.models.prompt import shown

Origin = Literal["greedy", "completed", "departure", "program"]
"""Greedy decoding; the same, but made to go on where it stopped before the scope's end; a departure; a program."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One complete answer of a model to one request."""

    ops: Sequence[LineOp]
    """The scope after the edit; lines numbered as in the document."""
    log_likelihood: float
    """Natural logarithm of the answer's probability; of an ensemble the sum of both."""
    origin: Origin
    copied_tokens: int
    generated_tokens: int

    def text(self, snapshot: Snapshot) -> str:
        """The scope after the edit, as models write it: every line ended by LF."""
        parts = (
            shown(snapshot, LineRange(op.start, op.stop))
            if isinstance(op, CopyLines)
            else "".join(line + "\n" for line in op.lines)
            for op in self.ops
        )
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class Rewrites:
    """What was found so far."""

    answers: tuple[Answer, ...]
    """Best first."""
    searched: int
    """How many departures were tried, from the likeliest on."""
    is_doubtful: bool = False
    """Whether the strategy finds its best answer unlikely."""

    @classmethod
    def of(
        cls, first: Answer | OutputRejected, found: Sequence[Answer], searched: int, *, is_of_use: bool
    ) -> "Rewrites":
        """A first answer before those that a search found, where it is of use, and after them where it changes nothing.

        Raises `first` where it is a refusal and nothing was found.
        """
        if isinstance(first, Answer):
            return cls((first, *found) if is_of_use else (*found, first), searched)
        if not found:
            raise first
        return cls(tuple(found), searched)
