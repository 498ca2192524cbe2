"""Rewriting and programs together: where rewriting is in doubt, each proposes edits, and both judge all of them.

The two see the same model in two states, without its adapter and with it, and under two prompts. What only one of them
finds likely is mostly wrong, and what both do mostly right (LOG.md); so no search follows where they agree.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from copyspan.edits.text import Snapshot
from copyspan.errors import ContextTooLong, OutputRejected
from copyspan.strategies.answer import Answer, Rewrites
from copyspan.strategies.context import Run
from copyspan.strategies.events import DepartureTried, SearchStarted
from copyspan.strategies.program import ProgramWriter
from copyspan.strategies.rewrite import First, Rewriter

_AGREED = -7.0
"""Nats: how likely an edit is to both together, from where on it is not worth a search for others. Chosen by functions
that nothing is reported on (LOG.md)."""


class Ensemble:
    """Edits of one scope by one instruction."""

    def __init__(self, run: Run, snapshot: Snapshot, rewriter: Rewriter, writer: ProgramWriter) -> None:
        """`rewriter` and `writer` are for the same scope and instruction. The adapter is off between calls."""
        self._model = run.model
        self._emit = run.emit
        self._snapshot = snapshot
        self._rewriter = rewriter
        self._writer = writer
        self._has_programs = True
        """Whether the prompt for programs fits, as far as is known."""

    def write(self, num_candidates: int, width: int) -> Rewrites:
        """The greedy answer; where more than one is wanted or it is of no use, that of a program as well, and where
        rewriting finds that one unlikely the answers of `width` departures: what both find likely first.

        The greedy answer comes before all others where it is of use, and after them where it changes nothing; one that
        is odd is judged as the others are. Raises what speaks against it where nothing else was found, ContextTooLong
        and Cancelled.
        """
        first = self._first()
        greedy, useful = (first.answer, first.useful) if isinstance(first, First) else (first, None)
        odd = useful if useful and self._rewriter.is_odd(useful) else None
        taken = None if odd else useful
        if taken and num_candidates == 1:
            return Rewrites((taken,), 0)
        others = self._program([self._text(useful)] if useful else [])
        if odd:
            others = self._with_more(others, [odd])
        searched = 0
        if isinstance(first, First) and not (num_candidates == 1 and self._is_agreed(others)):
            found, searched = self._rewriter.departures(first, max(width, num_candidates - 1))
            others = self._with_more(others, found)
        is_doubtful = self._has_programs and taken is None and bool(others) and not self._is_agreed(others)
        if odd:
            return Rewrites(tuple(others), searched, is_doubtful)
        return replace(Rewrites.of(greedy, others, searched, is_of_use=taken is not None), is_doubtful=is_doubtful)

    def more(self, known: Iterable[str], searched: int, width: int) -> Rewrites:
        """Answers of the next `width` departures after the first `searched`, and of a program, those that equal none
        of `known`.

        `known` are answers as the model would write them: lines ended by LF.
        """
        texts = set(known)
        # A program was asked for at the latest when the first departures were.
        others = [] if searched else self._program(texts)
        found = self._rewriter.more(texts, searched, width)
        return Rewrites(tuple(self._with_more(others, found.answers)), found.searched)

    def _first(self) -> First | OutputRejected:
        try:
            return self._rewriter.first()
        except OutputRejected as refusal:
            return refusal

    def _is_agreed(self, answers: Sequence[Answer]) -> bool:
        """Whether both find the best of judged answers likely."""
        return self._has_programs and bool(answers) and answers[0].log_likelihood >= _AGREED

    def _program(self, known: Iterable[str]) -> list[Answer]:
        """The answer of a program, judged, where there is one and it is not known."""
        self._emit(SearchStarted(1))
        self._model.use_adapter(True)
        try:
            proposal = self._writer.proposal()
            if proposal is None or self._text(proposal) in known:
                return []
            as_program = _likelihood(self._writer, proposal)
        except ContextTooLong:
            self._has_programs = False
            return []
        finally:
            self._model.use_adapter(False)
            self._emit(DepartureTried(1, 1))
        return [replace(proposal, log_likelihood=as_program + _likelihood(self._rewriter, proposal))]

    def _with_more(self, answers: Sequence[Answer], rewritten: Sequence[Answer]) -> list[Answer]:
        """Judged answers, and others that are to be judged."""
        seen = {self._text(answer) for answer in answers}
        new = [answer for answer in rewritten if self._text(answer) not in seen]
        if not self._has_programs:
            return [*answers, *new]
        self._model.use_adapter(True)
        try:
            new = [replace(a, log_likelihood=a.log_likelihood + _likelihood(self._writer, a)) for a in new]
        finally:
            self._model.use_adapter(False)
        return _ordered((*answers, *new))

    def _text(self, answer: Answer) -> str:
        return answer.text(self._snapshot)


def _likelihood(judge: Rewriter | ProgramWriter, answer: Answer) -> float:
    try:
        return judge.log_likelihood(answer)
    except ContextTooLong:  # an answer much longer than its source
        return -math.inf


def _ordered(answers: Iterable[Answer]) -> list[Answer]:
    return sorted(answers, key=lambda answer: answer.log_likelihood, reverse=True)
