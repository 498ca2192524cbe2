"""Program decoding, the paper's mechanism: the model writes a program under the automaton's mask.

Strict by construction: what comes out parses. (Copy-as-Decode, arXiv 2604.18170 v1, reportedly withdrawn.) A model that
was not trained for it chooses spans badly; one that was is right or wrong by a number, and the likeliest departures
from its program are other spans.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from copyspan.edits.align import align_lines
from copyspan.edits.lines import LineOp, NewLines, refine
from copyspan.edits.program import CopyLines, CopyTokens, Gen, Program, parse_program
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import OutputRejected
from copyspan.grammar.automaton import ProgramAutomaton
from copyspan.grammar.vocab import Vocabulary
from copyspan.models.prompt import NumberedPrompt, shown
from copyspan.strategies.answer import Answer, Origin, Rewrites
from copyspan.strategies.context import Run
from copyspan.strategies.events import DepartureTried, SearchStarted
from copyspan.strategies.guard import check_answer, check_program
from copyspan.strategies.likelihood import log_likelihood
from copyspan.strategies.program_decoder import Choice, ProgramDecoder, WrittenProgram
from copyspan.strategies.program_draft import ProgramDrafter
from copyspan.strategies.program_ids import program_ids

_SURE = -2.0
"""Nats: less likely programs are mostly wrong, and always were in long documents. Chosen by functions that nothing is
reported on (LOG.md)."""


class ProgramWriter:
    """Programs for one scope and one instruction."""

    def __init__(
        self,
        run: Run,
        snapshot: Snapshot,
        scope: LineRange,
        instruction: str,
        prompt: NumberedPrompt,
        *,
        splice: bool = True,
    ) -> None:
        """`prompt` asks for this scope and this instruction. `splice`: whether copied lines are put into the context
        after their tag."""
        self._run = run
        self._snapshot = snapshot
        self._scope = scope
        self._instruction = instruction
        self._prompt = prompt
        self._splice = splice
        vocabulary = _vocabulary(tuple(run.model.tokenizer.vocabulary))
        automaton = ProgramAutomaton(vocabulary, scope.start + 1, scope.stop)
        drafter = ProgramDrafter([snapshot.content(i) for i in scope], scope.start + 1)
        self._decoder = ProgramDecoder(run, prompt, automaton, scope.start, splice, drafter)

    def write(self, num_candidates: int, width: int) -> Rewrites:
        """The greedy program's answer; with it, where more than one is wanted or it is of no use, those of `width`
        departures from it.

        Of no use is what changes nothing, and what is refused. Raises what speaks against the greedy program where
        nothing else was found, ContextTooLong and Cancelled.
        """
        greedy, first = self._first()
        is_of_use = isinstance(first, Answer) and not self._changes_nothing(first)
        if isinstance(first, Answer) and is_of_use and num_candidates == 1:
            return Rewrites((first,), 0, _is_unlikely(first))
        known = [first.text(self._snapshot)] if isinstance(first, Answer) else []
        wanted = max(width, num_candidates - 1)
        found, searched = self._search(greedy, known, 0, wanted) if greedy is not None else ((), 0)
        rewrites = Rewrites.of(first, found, searched, is_of_use=is_of_use)
        return replace(rewrites, is_doubtful=(is_of_use or bool(found)) and _is_unlikely(rewrites.answers[0]))

    def more(self, known: Iterable[str], searched: int, width: int) -> Rewrites:
        """Answers of the next `width` departures after the first `searched`, those that equal none of `known`.

        `known` are scopes after an edit: lines ended by LF.
        """
        greedy, first = self._first()
        if greedy is None:
            assert not isinstance(first, Answer)
            raise first
        found, total = self._search(greedy, known, searched, width)
        return Rewrites(found, total)

    def proposal(self) -> Answer | None:
        """The greedy program's answer, where it is of use. Raises ContextTooLong and Cancelled."""
        _, first = self._first()
        return first if isinstance(first, Answer) and not self._changes_nothing(first) else None

    def log_likelihood(self, answer: Answer) -> float:
        """Natural logarithm of the probability of the program that an oracle would write for an answer.

        No program holds a NUL: the logarithm is minus infinity then. Raises ContextTooLong and Cancelled.
        """
        source = Snapshot(shown(self._snapshot, self._snapshot.all_lines))
        program = align_lines(source, answer.text(self._snapshot), self._scope)
        if any(isinstance(op, Gen) and "\0" in op.text for op in program.ops):
            return -math.inf
        tokenizer, prompt = self._run.model.tokenizer, self._prompt
        written = program_ids(tokenizer, program, self._scope, prompt.line_ids if self._splice else None)
        return log_likelihood(self._run, prompt.ids, written.ids, written.is_written)

    def _first(self) -> tuple[WrittenProgram | None, Answer | OutputRejected]:
        """The greedy program, where it came to its end, and its answer."""
        try:
            greedy = self._decoder.greedy()
        except OutputRejected as refusal:
            return None, refusal
        return greedy, self._answer(greedy, "program")

    def _search(
        self, trunk: WrittenProgram, known: Iterable[str], skip: int, width: int
    ) -> tuple[tuple[Answer, ...], int]:
        """The answers of the likeliest departures after the first `skip`, best first; how many were tried so far."""
        chosen = _likeliest(trunk)[skip : skip + width]
        self._run.emit(SearchStarted(len(chosen)))
        seen = {shown(self._snapshot, self._scope), *known}
        found: list[Answer] = []
        # From the last to the first, so that the context still holds the trunk up to the next choice.
        in_order = sorted(chosen, key=lambda departure: departure[0].context_length, reverse=True)
        for done, (choice, token, logprob) in enumerate(in_order, start=1):
            try:
                answer = self._answer(self._decoder.branch(trunk, choice, token, logprob), "departure")
            except OutputRejected as refusal:
                answer = refusal
            self._run.emit(DepartureTried(done, len(chosen)))
            if isinstance(answer, Answer) and (text := answer.text(self._snapshot)) not in seen:
                seen.add(text)
                found.append(answer)
        return tuple(sorted(found, key=lambda answer: answer.log_likelihood, reverse=True)), skip + len(chosen)

    def _answer(self, written: WrittenProgram, origin: Origin) -> Answer | OutputRejected:
        program = parse_program(written.text.decode(), num_lines=self._snapshot.num_lines)
        ops = refine(program_lines(program), self._snapshot, self._scope)
        try:
            check_answer(ops, self._snapshot, self._scope, self._instruction)
            check_program(ops, self._snapshot, self._scope, self._instruction)
        except OutputRejected as refusal:
            return refusal
        progress = written.progress
        return Answer(ops, progress.log_likelihood, origin, progress.num_copied, progress.num_written)

    def _changes_nothing(self, answer: Answer) -> bool:
        return answer.text(self._snapshot) == shown(self._snapshot, self._scope)


def _is_unlikely(answer: Answer) -> bool:
    return answer.log_likelihood < _SURE


def _likeliest(trunk: WrittenProgram) -> list[tuple[Choice, int, float]]:
    """The departures from a program, the likeliest first."""
    return sorted(trunk.departures(), key=lambda departure: departure[2], reverse=True)


@lru_cache(maxsize=2)
def _vocabulary(token_bytes: tuple[bytes | None, ...]) -> Vocabulary:
    """Building the trie of a large vocabulary takes a second; a process rarely uses more than one."""
    return Vocabulary(token_bytes)


def program_lines(program: Program) -> Sequence[LineOp]:
    """The operations line by line; the automaton lets no token copies pass."""
    return [
        op if isinstance(op, CopyLines) else NewLines.of(op.text)
        for op in program.ops
        if not isinstance(op, CopyTokens)
    ]
