"""Getting a prompt into a model's context, and how many forwards and tokens that took."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from copyspan.edits.prefix import common_prefix
from copyspan.errors import ContextTooLong
from copyspan.models.protocol import LanguageModel, Scores
from copyspan.strategies.events import Event, PromptRead

ANSWER_MARGIN = 64
"""Tokens that an answer may have more than the text that it copies, at the least."""
_CHUNK_PER_DRAFT = 2


@dataclass(slots=True)
class Meter:
    """Counts what a model was asked for. One meter an edit."""

    forwards: int = 0
    """Sequential forwards: model calls that waited for one another."""
    prompt_forwards: int = 0
    """Those of them that only read the prompt."""
    prompt_tokens: int = 0
    """Prompt tokens that the model read in this edit."""
    reused_tokens: int = 0
    """Prompt tokens that were in the context already."""


@dataclass(frozen=True, slots=True)
class Run:
    """What every step of one edit needs: the model, the caller's wishes, and the meter."""

    model: LanguageModel
    cancelled: Callable[[], bool]
    emit: Callable[[Event], None]
    meter: Meter
    max_new_tokens: int

    @property
    def chunk(self) -> int:
        """The most tokens of known text for one forward; a longer one would only make progress coarser."""
        return _CHUNK_PER_DRAFT * self.model.draft_limit

    def extend(self, tokens: Sequence[int], **wanted: object) -> Scores:
        """`LanguageModel.extend`, counted and cancellable."""
        scores = self.model.extend(tokens, cancelled=self.cancelled, **wanted)  # type: ignore[arg-type]  # passed on
        self.meter.forwards += scores.forwards
        return scores


def read_prompt(run: Run, ids: Sequence[int], answer_tokens: int) -> list[int]:
    """Bring the context to `ids`, all but a rest that is returned for the caller's first forward (at least one token).

    What the context shares with `ids` from its start is kept. `answer_tokens` is the length of the expected answer.
    Raises ContextTooLong before any work where prompt and answer cannot fit.
    """
    needed = len(ids) + answer_tokens
    if needed > run.model.context_size:
        raise ContextTooLong(needed, run.model.context_size)
    shared = min(common_prefix(run.model.tokens, ids), len(ids) - 1)
    run.model.rollback(shared)
    run.meter.reused_tokens += shared
    run.meter.prompt_tokens += len(ids) - shared
    done = shared
    while len(ids) - done > run.chunk:
        run.emit(PromptRead(done, len(ids)))
        run.meter.prompt_forwards += run.extend(ids[done : done + run.chunk], scored=0).forwards
        done += run.chunk
    run.emit(PromptRead(done, len(ids)))
    return list(ids[done:])


def warm(run: Run, ids: Sequence[int]) -> None:
    """Read ids into the context ahead of a prompt that starts with them. Raises ContextTooLong and Cancelled."""
    if common_prefix(run.model.tokens, ids) < len(ids):
        rest = read_prompt(run, ids, 0)
        run.extend(rest, scored=0)
