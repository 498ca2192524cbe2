"""Program decoding, the paper's mechanism: the model writes a program under the automaton's mask.

Fixed parts of tags are never sampled: they ride along with the next forward. So do the copied lines, which are put into
the context after their tag, as the model would have written them. Strict by construction: what comes out parses.
(Copy-as-Decode, arXiv 2604.18170 v1, reportedly withdrawn.) A model that was not trained for it chooses spans badly.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from copyspan.edits.lines import LineOp, NewLines, refine
from copyspan.edits.program import CopyLines, CopyTokens, Program, parse_program, unescape
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import OutputTruncated
from copyspan.grammar.automaton import ProgramAutomaton, State
from copyspan.grammar.vocab import Vocabulary
from copyspan.models.prompt import NumberedPrompt, numbered_prompt
from copyspan.strategies.answer import Answer
from copyspan.strategies.context import Run, read_prompt
from copyspan.strategies.events import AnswerStarted, LinesCopied, TextGenerated
from copyspan.strategies.guard import check_answer, check_repetition

_ANSWER_MARGIN = 64


def write_program(run: Run, snapshot: Snapshot, scope: LineRange, instruction: str, name: str | None) -> Answer:
    """One program over the scope, decoded greedily, as an answer. Raises OutputRejected, ContextTooLong, Cancelled."""
    prompt = numbered_prompt(run.model.tokenizer, snapshot, scope, instruction, name)
    automaton = ProgramAutomaton(_vocabulary(tuple(run.model.tokenizer.vocabulary)), scope.start + 1, scope.stop)
    decoder = _ProgramDecoder(run, prompt, automaton, scope.start)
    decoder.decode()
    program = parse_program(decoder.written.decode(), num_lines=snapshot.num_lines)
    ops = refine(_line_ops(program), snapshot, scope)
    check_answer(ops, snapshot, scope, instruction)
    return Answer(ops, decoder.log_likelihood, "program", decoder.num_copied, decoder.num_written)


@dataclass(slots=True)
class _ProgramDecoder:
    """Writes one program. `first_line` is the document's number (from 0) of the prompt's first line."""

    run: Run
    prompt: NumberedPrompt
    automaton: ProgramAutomaton
    first_line: int
    written: bytearray = field(default_factory=bytearray)
    """The program in surface form, without the copied lines."""
    log_likelihood: float = 0.0
    num_copied: int = 0
    num_written: int = 0
    _pending: list[int] = field(default_factory=list)
    _chosen: list[int] = field(default_factory=list)
    _body_line: bytearray = field(default_factory=bytearray)

    def decode(self) -> None:
        answer_tokens = sum(map(len, self.prompt.line_ids)) + _ANSWER_MARGIN
        self._pending = read_prompt(self.run, self.prompt.ids, answer_tokens)
        self.run.emit(AnswerStarted("program"))
        state = self._feed_forced(self.automaton.start)
        while not self.automaton.is_final(state):
            state = self._feed_forced(self._choose(state))
            self._check()

    def _choose(self, state: State) -> State:
        """Let the model choose one token of those that the grammar allows: one forward."""
        scores = self.run.extend(self._pending, scored=1, allowed=self.automaton.allowed(state))
        token = scores.best[0]
        self.log_likelihood += scores.best_logprob[0]
        self._pending = [token]
        self._chosen.append(token)
        return self._take(state, self.run.model.tokenizer.vocabulary[token] or b"", num_tokens=1)

    def _feed_forced(self, state: State) -> State:
        """Append what must follow, as far as there is no choice; it goes into the next forward."""
        while forced := self.automaton.forced(state):
            ids = self.run.model.tokenizer.encode(forced.decode())
            self._pending += ids
            state = self._take(state, forced, num_tokens=len(ids))
        return state

    def _take(self, state: State, data: bytes, num_tokens: int) -> State:
        """Note written bytes, and put the lines of the copies that they complete into the context."""
        was_in_body = self.automaton.in_body(state)
        self.written += data
        self.num_written += num_tokens
        state = self.automaton.advance_bytes(state, data)
        for copy in state.copies:
            self._splice(copy)
        if was_in_body:
            self._tell_body(data)
        if not self.automaton.in_body(state):
            self._body_line = bytearray()
        return state

    def _splice(self, copy: CopyLines) -> None:
        lines = self.prompt.line_ids[copy.start - self.first_line : copy.stop - self.first_line]
        for ids in lines:
            self._pending += ids
            self.num_copied += len(ids)
        self.run.emit(LinesCopied(LineRange(copy.start, copy.stop)))

    def _tell_body(self, data: bytes) -> None:
        """Announce the lines of a body that are complete; the line of its end tag is none of them."""
        *complete, rest = (self._body_line + data).split(b"\n")
        self._body_line = rest
        text = b"".join(line + b"\n" for line in complete if not line.startswith(b"</gen>"))
        if text:
            self.run.emit(TextGenerated(unescape(text.decode())))

    def _check(self) -> None:
        room = self.run.model.context_size - len(self.run.model.tokens) - len(self._pending)
        if self.num_written > self.run.max_new_tokens or room < 1:
            raise OutputTruncated(
                f"The program was cut after {self.num_written} tokens (limit {self.run.max_new_tokens}; context "
                f"{self.run.model.context_size}); nothing was changed. Select fewer lines, or raise max_new_tokens."
            )
        check_repetition(self._chosen[-600:])


@lru_cache(maxsize=2)
def _vocabulary(token_bytes: tuple[bytes | None, ...]) -> Vocabulary:
    """Building the trie of a large vocabulary takes a second; a process rarely uses more than one."""
    return Vocabulary(token_bytes)


def _line_ops(program: Program) -> list[LineOp]:
    """The operations line by line; the automaton lets no token copies pass."""
    return [
        op if isinstance(op, CopyLines) else NewLines.of(op.text)
        for op in program.ops
        if not isinstance(op, CopyTokens)
    ]
