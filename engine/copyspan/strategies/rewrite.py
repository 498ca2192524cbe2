"""The default strategy: rewrite the scope by verified copying, and search for departures where that changes nothing."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from copyspan.edits.lines import LineOp, refine
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import NotScored, OddProgram, OutputRejected, SweepingDeletion
from copyspan.models.prompt import RewritePrompt, shown
from copyspan.strategies.answer import Answer, Origin, Rewrites
from copyspan.strategies.context import Run
from copyspan.strategies.depart import likeliest_departures, search
from copyspan.strategies.guard import check_answer, check_program, lost_tail
from copyspan.strategies.likelihood import log_likelihood
from copyspan.strategies.transcript import Transcript, line_ops
from copyspan.strategies.verify import VerifiedDecoder


@dataclass(frozen=True, slots=True)
class First:
    """A greedy answer."""

    transcript: Transcript
    answer: Answer | OutputRejected
    is_unchanged: bool
    """Whether it is the source."""

    @property
    def useful(self) -> Answer | None:
        """The answer, where it changes something and is not refused."""
        return self.answer if isinstance(self.answer, Answer) and not self.is_unchanged else None


class Rewriter:
    """Rewrites of one scope by one instruction."""

    def __init__(
        self,
        run: Run,
        snapshot: Snapshot,
        scope: LineRange,
        instruction: str,
        prompt: RewritePrompt,
    ) -> None:
        """`prompt` asks for this scope and this instruction."""
        self._run = run
        self._snapshot = snapshot
        self._scope = scope
        self._instruction = instruction
        self._prompt = prompt
        self._decoder = VerifiedDecoder(run, prompt, scope)
        self._source = shown(snapshot, scope)

    def rewrite(self, num_candidates: int, width: int) -> Rewrites:
        """The greedy answer; with it, where more than one is wanted or it is of no use, those of `width` departures.

        Of no use is what changes nothing, and what is refused for what it leaves out. An answer that changes nothing
        comes last, so that it is first only where nothing else was found. Raises what speaks against the greedy answer
        where it is refused and nothing else was found, ContextTooLong and Cancelled.
        """
        first = self.first()
        if first.useful and num_candidates == 1:
            return Rewrites((first.useful,), 0)
        found, searched = self.departures(first, max(width, num_candidates - 1))
        return Rewrites.of(first.answer, found, searched, is_of_use=not first.is_unchanged)

    def first(self) -> First:
        """The greedy answer, made to go on where it lost the end of the scope. Raises as `rewrite`."""
        greedy = self._decoder.greedy()
        answer = self._answer(greedy, "greedy")
        if isinstance(answer, SweepingDeletion):
            tail = lost_tail(self._lines_of(greedy), self._scope, self._instruction)
            if tail is not None:
                with suppress(OutputRejected):  # what speaks against the shorter answer then stands
                    greedy = self._decoder.completed(greedy, tail - self._scope.start)
                    answer = self._answer(greedy, "completed")
        return First(greedy, answer, greedy.body() == self._source)

    def departures(self, first: First, wanted: int) -> tuple[tuple[Answer, ...], int]:
        """The answers of the likeliest departures from the unchanged document, and how many were tried."""
        try:
            trunk = first.transcript if first.is_unchanged else self._decoder.unchanged()
        except NotScored:  # then nothing tells where to depart
            return (), 0
        self._decoder.hold(trunk)
        # A greedy answer that changes something is itself a departure from the source, and no new answer.
        positions = likeliest_departures(trunk)[: wanted + (not first.is_unchanged)]
        return self._search(trunk, [first.transcript.body()], positions), len(positions)

    def more(self, known: Iterable[str], searched: int, width: int) -> Rewrites:
        """Answers of the next `width` departures after the first `searched`, those that equal none of `known`.

        `known` are answers as the model would write them: lines ended by LF.
        """
        trunk = self._decoder.unchanged()
        positions = likeliest_departures(trunk)[searched : searched + width]
        return Rewrites(self._search(trunk, known, positions), searched + len(positions))

    def is_odd(self, answer: Answer) -> bool:
        """Whether an answer has the marks for which a program would be refused."""
        try:
            check_program(answer.ops, self._snapshot, self._scope, self._instruction)
        except OddProgram:
            return True
        return False

    def log_likelihood(self, answer: Answer) -> float:
        """Natural logarithm of the probability of an answer, whoever wrote it, up to and with its closing fence.

        Raises ContextTooLong and Cancelled.
        """
        text = answer.text(self._snapshot) + self._prompt.fence
        return log_likelihood(self._run, self._prompt.ids, self._run.model.tokenizer.encode(text))

    def _search(self, trunk: Transcript, known: Iterable[str], positions: list[int]) -> tuple[Answer, ...]:
        branches = search(self._run, self._decoder, trunk, [self._source, *known], positions)
        answers = (self._answer(branch, "departure") for branch in branches)
        return tuple(answer for answer in answers if isinstance(answer, Answer))

    def _lines_of(self, transcript: Transcript) -> Sequence[LineOp]:
        return refine(line_ops(transcript, self._decoder.source_map, self._scope.start), self._snapshot, self._scope)

    def _answer(self, transcript: Transcript, origin: Origin) -> Answer | OutputRejected:
        ops = self._lines_of(transcript)
        try:
            check_answer(ops, self._snapshot, self._scope, self._instruction)
        except OutputRejected as refusal:
            return refusal
        num_copied = transcript.num_copied
        return Answer(ops, transcript.log_likelihood, origin, num_copied, len(transcript.steps) - num_copied)
