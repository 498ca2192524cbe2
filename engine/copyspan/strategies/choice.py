"""Which strategy an edit gets where nobody has chosen one. Pure; what is known of each is in LOG.md."""

from dataclasses import dataclass

from copyspan.config import StrategyName


@dataclass(frozen=True, slots=True)
class Situation:
    """What the choice depends on."""

    has_adapter: bool
    """Whether the model was taught to write programs."""
    is_served: bool
    """Whether a server runs it, to which every further judgement sends the document once more."""
    prompt_tokens: int
    """Of the prompt for rewriting."""
    answer_tokens: int
    """Of the rewritten scope, with what it may have more."""
    context_size: int


def choose(situation: Situation) -> StrategyName:
    """The strategy that suits.

    Rewriting needs room for the scope twice, in the prompt and in the answer; a program names what it copies. So a
    model that knows how to write programs writes one where a rewritten answer would not fit. Where it does, programs
    are asked where rewriting is in doubt.
    """
    fits = situation.prompt_tokens + situation.answer_tokens <= situation.context_size
    if not situation.has_adapter:
        return "verified"
    if not fits:
        return "program"
    return "verified" if situation.is_served else "ensemble"
