"""Decoding one program under the automaton's mask, and others that leave it at one of its choices.

Fixed parts of tags are never sampled: they ride along with the next forward. So do the copied lines where the model
was trained to see them: they are put into the context after their tag, as the model would have written them. So does a
guess of what comes next, which is kept as far as the model would have written it. Strict by construction: what comes
out parses.

Law: the program is the same, choice by choice, whatever is guessed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from copyspan.edits.program import CopyLines
from copyspan.errors import OutputTruncated
from copyspan.grammar.automaton import ProgramAutomaton, State
from copyspan.models.prompt import NumberedPrompt
from copyspan.strategies.context import ANSWER_MARGIN, Run, read_prompt
from copyspan.strategies.events import AnswerStarted
from copyspan.strategies.guard import check_repetition
from copyspan.strategies.narrate import ProgramNarrator
from copyspan.strategies.program_draft import ProgramDrafter
from copyspan.tokens import EVERYTHING, TokenSet

_OPTIONS = 4
_DRAFT_LIMIT = 32
"""Tokens. Most guesses go wrong earlier; a longer one costs a CPU more than it saves."""
_DEPARTURE_SLACK = 256
"""Tokens that a departure may write beyond twice its trunk's: one that left for good can write for a minute."""


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


@dataclass(frozen=True, slots=True)
class _Drafted:
    """Tokens of a guess: one that the model would have to choose, text that must come, or lines that a copy brings."""

    ids: Sequence[int]
    after: State
    data: bytes = b""
    chosen_at: State | None = None


class ProgramDecoder:
    """Decodes programs for one prompt. The context holds the prompt and a part of the newest program."""

    def __init__(
        self,
        run: Run,
        prompt: NumberedPrompt,
        automaton: ProgramAutomaton,
        first_line: int,
        splice: bool,
        drafter: ProgramDrafter | None = None,
    ) -> None:
        """`first_line`: the document's number (from 0) of the prompt's first line; `splice`: whether copied lines are
        put into the context after their tag; `drafter`: what guesses, if anything does."""
        self._run = run
        self._prompt = prompt
        self._automaton = automaton
        self._first_line = first_line
        self._splice = splice
        self._drafter = drafter
        self._program = WrittenProgram(Progress(automaton.start))
        self._pending: list[int] = []
        """Tokens that the context lacks."""
        self._limit = run.max_new_tokens
        self._narrator = ProgramNarrator(run.emit)

    def greedy(self) -> WrittenProgram:
        """The likeliest program, choice by choice. Raises OutputRejected, ContextTooLong and Cancelled."""
        copied = sum(map(len, self._prompt.line_ids)) if self._splice else 0
        self._begin(WrittenProgram(Progress(self._automaton.start)), self._run.max_new_tokens)
        self._pending = read_prompt(self._run, self._prompt.ids, copied + ANSWER_MARGIN)
        self._run.emit(AnswerStarted("program"))
        return self._finished()

    def branch(self, trunk: WrittenProgram, choice: Choice, token: int, logprob: float) -> WrittenProgram:
        """The program that equals `trunk` before `choice`, takes `token` there, and goes on greedily.

        The context must hold `trunk` up to the choice: branch from the last choice to the first. Raises what `greedy`
        raises.
        """
        self._run.model.rollback(choice.context_length)
        self._run.emit(AnswerStarted("departure"))
        limit = 2 * trunk.progress.num_written + _DEPARTURE_SLACK
        self._begin(trunk.up_to(choice), min(self._run.max_new_tokens, limit))
        self._take_token(token, logprob, choice)
        return self._finished()

    def _begin(self, program: WrittenProgram, limit: int) -> None:
        """Go on with a program, which may have `limit` tokens that are no copies."""
        self._program = program
        self._limit = limit
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
        """Let the model choose one token of those that the grammar allows, and those of a guess that it would have
        chosen before: one forward."""
        draft = self._drafted()
        ids = [token for part in draft for token in part.ids]
        scores = self._run.extend(
            [*self._pending, *ids], scored=len(ids) + 1, top=_OPTIONS, allowed=self._masks(draft), is_draft=bool(ids)
        )
        start = len(self._run.model.tokens) - len(ids)
        self._pending = []
        done = 0
        for part in draft:
            if part.chosen_at is not None:
                if not self._take_best(scores.options[done], start + done, part.ids[0]):
                    return
            elif part.data:
                self._take(part.data, num_tokens=len(part.ids))
            self._pending = []  # all of it is in the context
            done += len(part.ids)
        if self._is_choice(self._program.progress.state):
            self._take_best(scores.options[done], start + done)

    def _take_best(self, options: tuple[tuple[int, float], ...], length: int, guess: int | None = None) -> bool:
        """Take the model's choice after the first `length` tokens of the context; whether it is the guess.

        Where it is not, the rest of the context is cut off.
        """
        choice = Choice(options, length, self._program.progress)
        is_guess = options[0][0] == guess
        if not is_guess:
            self._run.model.rollback(length)
        self._take_token(*options[0], choice)
        return is_guess

    def _drafted(self) -> list[_Drafted]:
        """A guess of what comes, as this decoder would bring it into the context."""
        draft: list[_Drafted] = []
        if self._drafter is None or self._run.model.looks_ahead:
            return draft
        state = self._program.progress.state
        limit = min(_DRAFT_LIMIT, self._run.model.draft_limit, self._room - len(self._pending) - 1)
        parts = self._drafter.guess(self._program.text.decode(errors="replace"))
        for text in parts:
            size = 0
            for piece in self._automaton.pieces(state, text, self._run.model.tokenizer.encode):
                after = State(piece.after)
                chosen_at = None if piece.chosen_at is None else State(piece.chosen_at)
                found = [_Drafted(piece.ids, after, piece.data, chosen_at)]
                if self._splice:
                    found += [_Drafted(lines, after) for copy in piece.copies for lines in self._lines(copy)]
                limit -= sum(len(part.ids) for part in found)
                if limit < 0:
                    return draft
                draft += found
                state, size = after, size + len(piece.data)
            if size < len(text.encode()):
                break
        return draft

    def _masks(self, draft: Sequence[_Drafted]) -> list[TokenSet]:
        """What may follow the pending tokens, and each token of the draft, where it is the model that chooses."""
        state = self._program.progress.state
        masks = [self._automaton.allowed(state)]
        for part in draft:
            if part.chosen_at is not None:
                masks[-1] = self._automaton.allowed(part.chosen_at)
            masks += [EVERYTHING] * len(part.ids)
            state = part.after
        if self._is_choice(state):
            masks[-1] = self._automaton.allowed(state)
        return masks

    def _is_choice(self, state: State) -> bool:
        return not self._automaton.forced(state) and not self._automaton.is_final(state)

    def _lines(self, copy: CopyLines) -> Sequence[Sequence[int]]:
        """The tokens of the lines that a copy brings."""
        return self._prompt.line_ids[copy.start - self._first_line : copy.stop - self._first_line]

    @property
    def _room(self) -> int:
        return self._run.model.context_size - len(self._run.model.tokens)

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
            for ids in self._lines(copy):
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
        if num_written > self._limit or self._room - len(self._pending) < 1:
            raise OutputTruncated(
                f"The program was cut after {num_written} tokens (limit {self._limit}; context "
                f"{self._run.model.context_size}); nothing was changed. Select fewer lines, or raise max_new_tokens."
            )
        check_repetition(self._program.chosen[-600:])
