"""Rewriting and programs together: where there is doubt, each proposes an edit, and both judge all of them.

The two see the same model in two states, without its adapter and with it, and under two prompts: what seems likely to
one of them alone is mostly wrong (LOG.md).
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import ContextTooLong, OutputRejected
from copyspan.models.prompt import shown
from copyspan.models.protocol import LanguageModel
from copyspan.strategies.answer import Answer, Rewrites
from copyspan.strategies.program import ProgramWriter
from copyspan.strategies.rewrite import Rewriter


class Ensemble:
    """Edits of one scope by one instruction."""

    def __init__(
        self, model: LanguageModel, snapshot: Snapshot, scope: LineRange, rewriter: Rewriter, writer: ProgramWriter
    ) -> None:
        """`rewriter` and `writer` are for this scope and the same instruction. The adapter is off between calls."""
        self._model = model
        self._snapshot = snapshot
        self._scope = scope
        self._rewriter = rewriter
        self._writer = writer

    def write(self, num_candidates: int, width: int) -> Rewrites:
        """What rewriting gives; where it had to search, or more candidates are wanted, with a program's edit among
        them, in the order of what both find likely.

        Raises what speaks against rewriting where a program gives nothing either, ContextTooLong and Cancelled.
        """
        try:
            found = self._rewriter.rewrite(num_candidates, width)
        except OutputRejected:
            answers = self._ranked((), [])
            if not answers:
                raise
            return Rewrites(answers, 0)
        if not found.searched:
            return found
        return Rewrites(self._ranked(found.answers, []), found.searched)

    def more(self, known: Iterable[str], searched: int, width: int) -> Rewrites:
        """Answers of the next `width` departures after the first `searched`, and of a program, those that equal none
        of `known`.

        `known` are answers as the model would write them: lines ended by LF.
        """
        texts = list(known)
        found = self._rewriter.more(texts, searched, width)
        return Rewrites(self._ranked(found.answers, texts), found.searched)

    def _ranked(self, rewritten: Sequence[Answer], known: Sequence[str]) -> tuple[Answer, ...]:
        """The answers and that of a program, unless it is known: what both find likely first, what changes nothing
        last. In the order that they have where a program's prompt does not fit."""
        source = shown(self._snapshot, self._scope)
        changed = [answer for answer in rewritten if answer.text(self._snapshot) != source]
        unchanged = [answer for answer in rewritten if answer.text(self._snapshot) == source]
        with suppress(ContextTooLong):
            changed = self._judged(changed, known)
        return (*changed, *unchanged)

    def _judged(self, rewritten: Sequence[Answer], known: Sequence[str]) -> list[Answer]:
        seen = {*known, *(answer.text(self._snapshot) for answer in rewritten)}
        self._model.use_adapter(True)
        try:
            proposal = self._writer.proposal()
            if proposal is not None and proposal.text(self._snapshot) in seen:
                proposal = None
            answers = [*rewritten, *([proposal] if proposal else [])]
            as_programs = [self._writer.log_likelihood(answer) for answer in answers]
        finally:
            self._model.use_adapter(False)
        as_texts = [answer.log_likelihood for answer in rewritten]
        if proposal is not None:
            as_texts.append(self._rewriter.log_likelihood(proposal))
        judged = [
            replace(answer, log_likelihood=text + program)
            for answer, text, program in zip(answers, as_texts, as_programs, strict=True)
        ]
        return sorted(judged, key=lambda answer: answer.log_likelihood, reverse=True)
