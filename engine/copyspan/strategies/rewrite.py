"""The default strategy: rewrite the scope by verified copying, and search for departures where that changes nothing."""

from collections.abc import Sequence
from contextlib import suppress

from copyspan.edits.lines import LineOp, refine
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import OutputRejected, SweepingDeletion
from copyspan.models.prompt import rewrite_prompt, shown
from copyspan.strategies.answer import Answer, Origin
from copyspan.strategies.context import Run
from copyspan.strategies.depart import search
from copyspan.strategies.guard import check_deletions, check_placeholders, lost_tail
from copyspan.strategies.transcript import Transcript, line_ops
from copyspan.strategies.verify import VerifiedDecoder


def rewrite(
    run: Run,
    snapshot: Snapshot,
    scope: LineRange,
    instruction: str,
    name: str | None,
    *,
    num_candidates: int,
    width: int,
) -> list[Answer]:
    """Answers, best first. More than one candidate, or a first answer of no use, makes `width` departures.

    Of no use is what changes nothing, and what is refused for what it leaves out. An answer that changes nothing comes
    last, so that it is first only where nothing else was found. Raises what speaks against the first answer where it is
    refused and nothing else was found, ContextTooLong and Cancelled.
    """
    prompt = rewrite_prompt(run.model.tokenizer, snapshot, scope, instruction, name)
    decoder = VerifiedDecoder(run, prompt, scope)

    def lines_of(transcript: Transcript) -> Sequence[LineOp]:
        return refine(line_ops(transcript, decoder.source_map, scope.start), snapshot, scope)

    def answer(transcript: Transcript, origin: Origin) -> Answer | OutputRejected:
        ops = lines_of(transcript)
        try:
            check_placeholders(ops, [snapshot.content(i) for i in scope])
            check_deletions(ops, scope, instruction)
        except OutputRejected as refusal:
            return refusal
        num_copied = transcript.num_copied
        return Answer(ops, transcript.log_likelihood, origin, num_copied, len(transcript.steps) - num_copied)

    greedy = decoder.greedy()
    first = answer(greedy, "greedy")
    tail = lost_tail(lines_of(greedy), scope, instruction) if isinstance(first, SweepingDeletion) else None
    if tail is not None:
        with suppress(OutputRejected):  # what speaks against the shorter answer then stands
            greedy = decoder.completed(greedy, tail - scope.start)
            first = answer(greedy, "completed")
    source = shown(snapshot, scope)
    is_unchanged = greedy.body() == source
    if isinstance(first, Answer) and num_candidates == 1 and not is_unchanged:
        return [first]
    branches = search(run, decoder, greedy, source, max(width, num_candidates - 1))
    answers = (answer(branch, "departure") for branch in branches)
    found = [other for other in answers if isinstance(other, Answer)]
    if isinstance(first, Answer):
        return [*found, first] if is_unchanged else [first, *found]
    if not found:
        raise first
    return found
