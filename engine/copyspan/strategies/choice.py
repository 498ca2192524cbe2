"""Which strategy an edit gets where nobody has chosen one. Pure; what is known of either is in LOG.md."""

from dataclasses import dataclass

from copyspan.config import StrategyName


@dataclass(frozen=True, slots=True)
class Situation:
    """What the choice depends on."""

    has_adapter: bool
    """Whether the model was taught to write programs."""
    prompt_tokens: int
    """Of the prompt for rewriting."""
    answer_tokens: int
    """Of the rewritten scope, with what it may have more."""
    context_size: int


def choose(situation: Situation) -> StrategyName:
    """The strategy that suits.

    Rewriting needs room for the scope twice, in the prompt and in the answer; a program names what it copies. So a
    model that knows how to write programs writes one where a rewritten answer would not fit.
    """
    fits = situation.prompt_tokens + situation.answer_tokens <= situation.context_size
    return "verified" if fits or not situation.has_adapter else "program"
