"""Departure search: what a small model needs that would rather copy everything, bug included.

One verified pass over the unchanged document gives, at every position, the probability of the best token that differs
from the source's. The search takes the positions where it is highest, cuts the context back to each, forces the other
token, and finishes by verified copying. Completed answers are ranked by the likelihood of the whole sequence.
"""

from collections.abc import Iterable

from copyspan.errors import OutputRejected
from copyspan.strategies.context import Run
from copyspan.strategies.events import DepartureTried, SearchStarted
from copyspan.strategies.transcript import Transcript
from copyspan.strategies.verify import VerifiedDecoder


def search(
    run: Run, decoder: VerifiedDecoder, trunk: Transcript, known: Iterable[str], positions: list[int]
) -> list[Transcript]:
    """The answers that leave `trunk`, the unchanged document, at `positions`; the likeliest first.

    The context must hold `trunk`. Left out are answers that are refused, that equal another one or a text of `known`,
    or differ from it by spacing alone: to a model that is asked for anything, a blank line more is likely.
    """
    run.emit(SearchStarted(len(positions)))
    seen = {_substance(text) for text in known}
    found: list[Transcript] = []
    # From the last to the first, so that the context still holds the trunk up to the next position.
    for done, position in enumerate(sorted(positions, reverse=True), start=1):
        try:
            branch = decoder.branch(trunk, position)
            body = _substance(branch.body())
        except OutputRejected:
            continue
        finally:
            run.emit(DepartureTried(done, len(positions)))
        if body not in seen:
            seen.add(body)
            found.append(branch)
    return sorted(found, key=lambda branch: branch.log_likelihood, reverse=True)


def likeliest_departures(trunk: Transcript) -> list[int]:
    """The positions of copied tokens, before the closing fence, those with the likeliest alternative first."""
    assert trunk.end is not None
    steps = trunk.steps[: trunk.num_body_steps]
    inside = [i for i, step in enumerate(steps) if step.source is not None and step.alternative >= 0]
    return sorted(inside, key=lambda i: trunk.steps[i].alternative_logprob, reverse=True)


def _substance(text: str) -> tuple[tuple[int, str], ...]:
    """The text without blank lines and without space inside lines. Indentation counts: it can be the bug."""
    lines = (line for line in text.split("\n") if line.strip())
    return tuple((len(line) - len(line.lstrip()), "".join(line.split())) for line in lines)
