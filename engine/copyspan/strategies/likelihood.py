"""How likely a known answer is to a model: one forward, or a few where it is long."""

from collections.abc import Sequence

from copyspan.strategies.context import Run, read_prompt


def log_likelihood(
    run: Run, prompt: Sequence[int], answer: Sequence[int], is_written: Sequence[bool] | None = None
) -> float:
    """Natural logarithm of the probability that the model answers the prompt so; the context then holds both.

    Tokens that it did not write, where `is_written` is given, are read and do not count. Raises ContextTooLong and
    Cancelled.
    """
    counts = is_written if is_written is not None else [True] * len(answer)
    pending = read_prompt(run, prompt, len(answer))
    total = 0.0
    for start in range(0, len(answer), run.chunk):
        named = answer[start : start + run.chunk]
        scores = run.extend([*pending, *named[:-1]], scored=len(named), named=named)
        pending = [named[-1]]
        total += sum(
            logprob
            for logprob, is_counted in zip(scores.named_logprob, counts[start : start + run.chunk], strict=True)
            if is_counted
        )
    return total
