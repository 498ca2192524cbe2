"""The default strategy: rewrite the scope by verified copying, and search for departures where that changes nothing."""

from copyspan.edits.lines import refine
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import PlaceholderFound
from copyspan.models.prompt import rewrite_prompt, shown
from copyspan.strategies.answer import Answer, Origin
from copyspan.strategies.context import Run
from copyspan.strategies.depart import search
from copyspan.strategies.guard import check_placeholders
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
    """Answers, best first. More than one candidate, or a first answer that changes nothing, makes `width` departures.

    An answer that changes nothing comes last, so that it is first only where nothing else was found.
    """
    prompt = rewrite_prompt(run.model.tokenizer, snapshot, scope, instruction, name)
    decoder = VerifiedDecoder(run, prompt, scope)

    def answer(transcript: Transcript, origin: Origin) -> Answer:
        ops = refine(line_ops(transcript, decoder.source_map, scope.start), snapshot, scope)
        check_placeholders(ops, [snapshot.content(i) for i in scope])
        num_copied = transcript.num_copied
        return Answer(ops, transcript.log_likelihood, origin, num_copied, len(transcript.steps) - num_copied)

    greedy = decoder.greedy()
    source = shown(snapshot, scope)
    is_unchanged = greedy.body() == source
    if num_candidates == 1 and not is_unchanged:
        return [answer(greedy, "greedy")]
    found: list[Answer] = []
    for branch in search(run, decoder, greedy, source, max(width, num_candidates - 1)):
        try:
            found.append(answer(branch, "departure"))
        except PlaceholderFound:
            continue
    first = answer(greedy, "greedy")
    return [*found, first] if is_unchanged else [first, *found]
