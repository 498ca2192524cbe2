"""Departure search: what a small model needs that would rather copy everything, bug included.

One verified pass has given, at every position, the probability of the best token that differs from the source's. The
search takes the positions where it is highest, cuts the context back to each, forces the other token, and finishes by
verified copying. Completed answers are ranked by the likelihood of the whole sequence.
"""

from copyspan.errors import OutputRejected
from copyspan.strategies.context import Run
from copyspan.strategies.events import DepartureTried, SearchStarted
from copyspan.strategies.transcript import Transcript
from copyspan.strategies.verify import VerifiedDecoder


def search(run: Run, decoder: VerifiedDecoder, trunk: Transcript, width: int) -> list[Transcript]:
    """Up to `width` other answers, the likeliest first, each of its own text. Rejected answers are left out."""
    positions = likeliest_departures(trunk, width)
    run.emit(SearchStarted(len(positions)))
    found: dict[str, Transcript] = {}
    # From the last to the first, so that the context still holds the trunk up to the next position.
    for done, position in enumerate(sorted(positions, reverse=True), start=1):
        try:
            branch = decoder.branch(trunk, position)
        except OutputRejected:
            continue
        finally:
            run.emit(DepartureTried(done, len(positions)))
        if branch.body() != trunk.body():
            found.setdefault(branch.body(), branch)
    return sorted(found.values(), key=lambda branch: branch.log_likelihood, reverse=True)


def likeliest_departures(trunk: Transcript, width: int) -> list[int]:
    """The `width` positions of copied tokens, before the closing fence, whose alternative is likeliest."""
    assert trunk.end is not None
    inside = [i for i in range(trunk.num_body_steps) if trunk.steps[i].source is not None]
    return sorted(inside, key=lambda i: trunk.steps[i].alternative_logprob, reverse=True)[:width]
