"""Decoding one program under the automaton's mask, and others that leave it at one of its choices.

Fixed parts of tags are never sampled: they ride along with the next forward. So do the copied lines where the model
was trained to see them: they are put into the context after their tag, as the model would have written them. Strict by
construction: what comes out parses.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from copyspan.errors import OutputTruncated
from copyspan.grammar.automaton import ProgramAutomaton, State
from copyspan.models.prompt import NumberedPrompt
from copyspan.strategies.context import ANSWER_MARGIN, Run, read_prompt
from copyspan.strategies.events import AnswerStarted
from copyspan.strategies.guard import check_repetition
from copyspan.strategies.narrate import ProgramNarrator

_OPTIONS = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """A place where the grammar let the model choose a token."""

    options: tuple[tuple[int, float], ...]
    """The likeliest allowed tokens with their log-probabilities among the allowed ones; the first was taken."""
    context_length: int
    """How many tokens the context held."""
    progress: "Progress"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a program has come."""

    state: State
    num_bytes: int = 0
    num_chosen: int = 0
    log_likelihood: float = 0.0
    num_copied: int = 0
    num_written: int = 0


@dataclass(slots=True)
class WrittenProgram:
    """A program in surface form, and how it came about."""

    progress: Progress
    text: bytearray = field(default_factory=bytearray)
    """Without the copied lines."""
    chosen: list[int] = field(default_factory=list)
    """The tokens that the model chose."""
    choices: list[Choice] = field(default_factory=list)

    def up_to(self, choice: Choice) -> "WrittenProgram":
        """The same program as it was before a choice."""
        before = choice.progress
        return WrittenProgram(
            before, self.text[: before.num_bytes], self.chosen[: before.num_chosen], self.choices[: before.num_chosen]
        )

    def departures(self) -> Iterator[tuple[Choice, int, float]]:
        """Every choice with a token that was not taken there, and that token's log-probability."""
        for choice in self.choices:
            for token, logprob in choice.options[1:]:
                if logprob > float("-inf"):
                    yield choice, token, logprob


class ProgramDecoder:
    """Decodes programs for one prompt. The context holds the prompt and a part of the newest program."""

    def __init__(
        self, run: Run, prompt: NumberedPrompt, automaton: ProgramAutomaton, first_line: int, splice: bool
    ) -> None:
        """`first_line`: the document's number (from 0) of the prompt's first line; `splice`: whether copied lines are
        put into the context after their tag."""
        self._run = run
        self._prompt = prompt
        self._automaton = automaton
        self._first_line = first_line
        self._splice = splice
        self._program = WrittenProgram(Progress(automaton.start))
        self._pending: list[int] = []
        """Tokens that the context lacks."""
        self._narrator = ProgramNarrator(run.emit)

    def greedy(self) -> WrittenProgram:
        """The likeliest program, choice by choice. Raises OutputRejected, ContextTooLong and Cancelled."""
        copied = sum(map(len, self._prompt.line_ids)) if self._splice else 0
        self._begin(WrittenProgram(Progress(self._automaton.start)))
        self._pending = read_prompt(self._run, self._prompt.ids, copied + ANSWER_MARGIN)
        self._run.emit(AnswerStarted("program"))
        return self._finished()

    def branch(self, trunk: WrittenProgram, choice: Choice, token: int, logprob: float) -> WrittenProgram:
        """The program that equals `trunk` before `choice`, takes `token` there, and goes on greedily.

        The context must hold `trunk` up to the choice: branch from the last choice to the first.
        """
        self._run.model.rollback(choice.context_length)
        self._run.emit(AnswerStarted("departure"))
        self._begin(trunk.up_to(choice))
        self._take_token(token, logprob, choice)
        return self._finished()

    def _begin(self, program: WrittenProgram) -> None:
        self._program = program
        self._pending = []
        self._narrator = ProgramNarrator(self._run.emit)
        self._narrator.tell(bytes(program.text))

    def _finished(self) -> WrittenProgram:
        self._feed_forced()
        while not self._automaton.is_final(self._program.progress.state):
            self._choose()
            self._feed_forced()
            self._check()
        return self._program

    def _choose(self) -> None:
        """Let the model choose one token of those that the grammar allows: one forward."""
        progress = self._program.progress
        allowed = self._automaton.allowed(progress.state)
        [options] = self._run.extend(self._pending, scored=1, top=_OPTIONS, allowed=allowed).options
        self._pending = []
        self._take_token(*options[0], Choice(options, len(self._run.model.tokens), progress))

    def _take_token(self, token: int, logprob: float, choice: Choice) -> None:
        program = self._program
        program.choices.append(choice)
        program.chosen.append(token)
        program.progress = replace(
            program.progress,
            num_chosen=len(program.chosen),
            log_likelihood=program.progress.log_likelihood + logprob,
        )
        self._pending.append(token)
        self._take(self._run.model.tokenizer.vocabulary[token] or b"", num_tokens=1)

    def _feed_forced(self) -> None:
        """Append what must follow, as far as there is no choice; it goes into the next forward."""
        while forced := self._automaton.forced(self._program.progress.state):
            ids = self._run.model.tokenizer.encode(forced.decode())
            self._pending += ids
            self._take(forced, num_tokens=len(ids))

    def _take(self, data: bytes, num_tokens: int) -> None:
        """Note written bytes, and the copies that they complete; where lines are spliced, put them into the context."""
        program, before = self._program, self._program.progress
        state = self._automaton.advance_bytes(before.state, data)
        num_copied = before.num_copied
        for copy in state.copies:
            for ids in self._prompt.line_ids[copy.start - self._first_line : copy.stop - self._first_line]:
                num_copied += len(ids)
                if self._splice:
                    self._pending += ids
        program.text += data
        program.progress = replace(
            before,
            state=state,
            num_bytes=len(program.text),
            num_copied=num_copied,
            num_written=before.num_written + num_tokens,
        )
        self._narrator.tell(data)

    def _check(self) -> None:
        num_written = self._program.progress.num_written
        room = self._run.model.context_size - len(self._run.model.tokens) - len(self._pending)
        if num_written > self._run.max_new_tokens or room < 1:
            raise OutputTruncated(
                f"The program was cut after {num_written} tokens (limit {self._run.max_new_tokens}; context "
                f"{self._run.model.context_size}); nothing was changed. Select fewer lines, or raise max_new_tokens."
            )
        check_repetition(self._program.chosen[-600:])
