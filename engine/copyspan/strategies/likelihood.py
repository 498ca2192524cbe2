"""How likely a known answer is to a model: one forward, or a few where it is long."""

from collections.abc import Iterator, Sequence

from copyspan.models.protocol import Scores
from copyspan.strategies.context import Run, read_prompt


def log_likelihood(
    run: Run, prompt: Sequence[int], answer: Sequence[int], is_written: Sequence[bool] | None = None
) -> float:
    """Natural logarithm of the probability that the model answers the prompt so; the context then holds both.

    Tokens that it did not write, where `is_written` is given, are read and do not count. Raises ContextTooLong and
    Cancelled.
    """
    counts = is_written if is_written is not None else [True] * len(answer)
    logprobs = (
        logprob
        for scores in scores_of(run, read_prompt(run, prompt, len(answer)), answer)
        for logprob in scores.named_logprob
    )
    return sum((logprob for logprob, is_counted in zip(logprobs, counts, strict=True) if is_counted), 0.0)


def scores_of(run: Run, pending: Sequence[int], answer: Sequence[int]) -> Iterator[Scores]:
    """The scores of a known answer's tokens, forward by forward; `pending`: what the context lacks before it.

    The context then holds all but its last token. Raises ContextTooLong and Cancelled.
    """
    for start in range(0, len(answer), run.chunk):
        named = answer[start : start + run.chunk]
        yield run.extend([*pending, *named[:-1]], scored=len(named), named=named)
        pending = [named[-1]]
