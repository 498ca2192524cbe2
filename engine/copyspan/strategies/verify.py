"""Verified copying: the model rewrites the scope, and the source is the draft of its every forward.

Each forward carries the last token and the next tokens of the source; the longest prefix that equals the model's own
choice is accepted, and the first other token is the model's own. The result is the greedy decoding of the same prompt,
token for token; only the number of forwards differs. (Speculative decoding with the document as the draft; Leviathan et
al., arXiv 2211.17192, in its greedy form.)
"""

from collections.abc import Sequence
from functools import cached_property

from copyspan.edits.text import LineRange
from copyspan.errors import OutputRejected, OutputRepeats, OutputTruncated
from copyspan.models.prompt import RewritePrompt
from copyspan.models.protocol import Scores
from copyspan.strategies.answer import Origin
from copyspan.strategies.context import ANSWER_MARGIN, Run, read_prompt, warm
from copyspan.strategies.draft import Drafter, Guess
from copyspan.strategies.events import AnswerStarted
from copyspan.strategies.guard import check_repetition, repeats
from copyspan.strategies.likelihood import scores_of
from copyspan.strategies.narrate import Narrator
from copyspan.strategies.transcript import SourceMap, Step, Transcript

_DEPARTURE_TOKENS = 512
"""What a departure may write anew, or half of the source where that is more: one that rambles on is not the edit that
was meant, and a search tries several."""


class VerifiedDecoder:
    """Decodes answers to one prompt. The context holds the prompt and a prefix of the newest answer."""

    def __init__(self, run: Run, prompt: RewritePrompt, scope: LineRange) -> None:
        self._run = run
        self._scope = scope
        self._prompt = prompt
        self._vocabulary = run.model.tokenizer.vocabulary
        self._ends = run.model.tokenizer.end_tokens
        self.source_map = SourceMap.of([self.bytes_of(t) for t in prompt.source], prompt.source_text, len(scope))
        self._line_tokens = _tokens_at(self.source_map)
        self._has_read = False

    def greedy(self) -> Transcript:
        """The model's most likely answer, token by token. Raises OutputRejected, ContextTooLong, Cancelled."""
        rest = self._read_prompt()
        transcript = Transcript()
        self._decode(transcript, self._drafter(transcript), rest, "greedy")
        return transcript

    def unchanged(self) -> Transcript:
        """The answer that changes nothing, with the model's probabilities along it. Raises what `greedy` raises."""
        pending = self._read_prompt()
        transcript = Transcript()
        source = [*self._prompt.source[:-1], next(iter(self._ends))]
        for scores in scores_of(self._run, pending, source):
            for i, logprob in enumerate(scores.named_logprob):
                place = len(transcript.steps)
                self._append(transcript, _copied(scores, i, source[place], logprob, place))
        return transcript

    def completed(self, trunk: Transcript, line: int) -> Transcript:
        """The answer that equals `trunk` up to its closing fence, which came too early, and goes on from the scope's
        line `line` (counted from 0). The context must hold `trunk`."""
        transcript = self._cut_back(trunk, trunk.num_body_steps)
        start = self._line_tokens[line]
        # A token can hold the ends of several lines: what stands between the line and the first token after its start.
        missing = self._prompt.source_text[self.source_map.line_starts[line] : self.source_map.token_starts[start]]
        pending = self._run.model.tokenizer.encode(missing.decode())
        for token in pending:
            self._append(transcript, Step(token, 0.0, None))
        self._append(transcript, Step(self._prompt.source[start], 0.0, start))
        drafter = self._drafter(transcript)
        drafter.seek(start + 1)
        self._decode(transcript, drafter, [*pending, self._prompt.source[start]], "completed")
        return transcript

    def branch(self, trunk: Transcript, position: int) -> Transcript:
        """The answer that equals `trunk` before `position`, takes the alternative there, and goes on greedily.

        The context must hold `trunk` up to `position`: search from the last position to the first.
        """
        transcript = self._cut_back(trunk, position)
        step = trunk.steps[position]
        assert step.source is not None
        drafter = self._drafter(transcript)
        drafter.seek(step.source)
        self._write(transcript, drafter, step.alternative, step.alternative_logprob)
        limit = max(_DEPARTURE_TOKENS, len(self._prompt.source) // 2)
        self._decode(transcript, drafter, [step.alternative], "departure", limit)
        return transcript

    def hold(self, transcript: Transcript) -> None:
        """Bring the context to an answer that it held once, whatever was read meanwhile."""
        warm(self._run, [*self._prompt.ids, *(step.token for step in transcript.steps[:-1])])

    def bytes_of(self, token: int) -> bytes:
        """The text of a token; special tokens have none."""
        return self._vocabulary[token] or b""

    def _read_prompt(self) -> list[int]:
        """Bring the context to the prompt; returns the rest of it that goes into the next forward."""
        if self._has_read:
            self._run.model.rollback(len(self._prompt.ids) - 1)
            return [self._prompt.ids[-1]]
        self._has_read = True
        return read_prompt(self._run, self._prompt.ids, len(self._prompt.source) + ANSWER_MARGIN)

    def _cut_back(self, trunk: Transcript, num_steps: int) -> Transcript:
        """A new answer that starts with the first steps of `trunk`, and the context cut back to them."""
        transcript = Transcript()
        for step in trunk.steps[:num_steps]:
            self._append(transcript, step)
        self._run.model.rollback(len(self._prompt.ids) + num_steps)
        return transcript

    def _drafter(self, written: Transcript) -> Drafter:
        output = [step.token for step in written.steps]
        return Drafter(self._prompt.source, self._line_tokens, self._ends_line, self._run.model.draft_limit, output)

    def _ends_line(self, token: int) -> bool:
        return self.bytes_of(token).endswith(b"\n")

    def _decode(
        self, transcript: Transcript, drafter: Drafter, pending: list[int], origin: Origin, limit: int | None = None
    ) -> None:
        """Write until the answer is complete. `pending`: tokens that the context lacks, the newest last; `limit`: how
        many new tokens it may have, where that is fewer than the run's."""
        most = min(self._run.max_new_tokens, limit or self._run.max_new_tokens)
        self._run.emit(AnswerStarted(origin))
        narrator = Narrator(
            self._run.emit, self.source_map, self._prompt.source_text, self._prompt.fence, self._scope.start
        )
        while transcript.end is None:
            before = len(self._run.model.tokens)
            draft = drafter.propose(self._run.model.context_size - before - len(pending))
            tokens = [*pending, *(guess.token for guess in draft)]
            scores = self._run.extend(tokens, scored=len(draft) + 1, named=self._named(drafter, draft), is_draft=True)
            accepted = self._take_draft(transcript, drafter, draft, scores)
            self._run.model.rollback(before + len(pending) + accepted)
            if transcript.end is None:
                self._take_choice(transcript, drafter, scores, accepted)
                pending = [transcript.steps[-1].token]
                self._check(transcript, most)
            narrator.tell(transcript)

    def _take_draft(self, transcript: Transcript, drafter: Drafter, draft: Sequence[Guess], scores: Scores) -> int:
        """Append the accepted prefix of the draft, up to the end of the answer; returns its length."""
        accepted = 0
        for guess in draft:
            if scores.best[accepted] != guess.token or transcript.end is not None:
                break
            logprob = scores.best_logprob[accepted]
            if guess.source is None:
                self._append(transcript, Step(guess.token, logprob, None))
            else:
                self._append(transcript, _copied(scores, accepted, guess.token, logprob, guess.source))
            accepted += 1
        drafter.accept(accepted)
        return accepted

    def _take_choice(self, transcript: Transcript, drafter: Drafter, scores: Scores, index: int) -> None:
        """Append the model's own token after the accepted ones."""
        token = scores.best[index]
        if drafter.expects(token):
            self._append(transcript, _copied(scores, index, token, scores.best_logprob[index], drafter.follow()))
        else:
            self._write(transcript, drafter, token, scores.best_logprob[index])

    def _write(self, transcript: Transcript, drafter: Drafter, token: int, logprob: float) -> None:
        """Append a token that is not the source's, and let the drafter find the source again."""
        self._append(transcript, Step(token, logprob, None))
        drafter.depart(token)

    def _append(self, transcript: Transcript, step: Step) -> None:
        is_end = step.token in self._ends
        if self._vocabulary[step.token] is None and not is_end:
            raise OutputRejected(
                f"The model wrote a control token (number {step.token}) instead of text; nothing was changed. "
                "Word the instruction differently, or ask for another candidate."
            )
        old_length = len(transcript.text)
        transcript.append(step, self.bytes_of(step.token), self.source_map)
        transcript.end = self._find_end(transcript.text, old_length, is_end)
        if is_end and transcript.end is None:
            transcript.end = self._unfenced_end(transcript)
        if is_end and transcript.end is None:
            raise OutputTruncated(
                "The model ended its answer before it was complete; nothing was changed. "
                "Select fewer lines, or ask for another candidate."
            )

    def _find_end(self, text: bytearray, checked: int, is_over: bool) -> int | None:
        """Where the closing fence starts: alone on its line, and the line is over."""
        fence = self._prompt.fence.encode()
        at = text.find(fence, max(0, checked - len(fence)))
        while at >= 0:
            starts_line = at == 0 or text[at - 1 : at] == b"\n"
            after = text[at + len(fence) : at + len(fence) + 1]
            if starts_line and (after == b"\n" or (not after and is_over)):
                return at
            at = text.find(fence, at + 1)
        return None

    def _unfenced_end(self, transcript: Transcript) -> int | None:
        """Where an answer ends that lacks its fence, or has too short a one: after the scope's last line, if that was
        just copied. Any other answer without a fence could have been cut."""
        last = self.source_map.line_starts[-1] - 2  # the last character of the last line
        if transcript.origin and transcript.origin[-1] == last:
            transcript.text += b"\n"
            transcript.origin.append(last + 1)
            return len(transcript.text)
        stop = transcript.text.rfind(b"\n") + 1
        is_copied = stop > 1 and transcript.origin[stop - 2] == last
        return stop if is_copied and not transcript.text[stop:].strip(b"`") else None

    def _named(self, drafter: Drafter, draft: Sequence[Guess]) -> list[int]:
        """The token that is expected at every scored position; past the end of the source its last one, for want of
        another."""
        then = draft[-1].then if draft else drafter.position
        return [*(guess.token for guess in draft), self._prompt.source[min(then, len(self._prompt.source) - 1)]]

    @cached_property
    def _source_repeats(self) -> bool:
        return repeats(self._prompt.source)

    def _check(self, transcript: Transcript, most: int) -> None:
        num_new = len(transcript.steps) - transcript.num_copied
        room = self._run.model.context_size - len(self._run.model.tokens)
        if num_new > most or room <= 1:
            raise OutputTruncated(
                f"The answer was cut after {len(transcript.steps)} tokens ({num_new} of them new, limit "
                f"{most}; context {self._run.model.context_size}); nothing was changed. "
                "Select fewer lines, or raise max_new_tokens."
            )
        try:
            check_repetition([step.token for step in transcript.steps[-600:]])
        except OutputRepeats:
            # It may well be what the source has again and again, changed all along.
            if len(transcript.steps) > 2 * len(self._prompt.source) or not self._source_repeats:
                raise


def _copied(scores: Scores, index: int, token: int, logprob: float, source: int) -> Step:
    return Step(token, logprob, source, scores.alternative[index], scores.alternative_logprob[index])


def _tokens_at(source: SourceMap) -> list[int]:
    """For each line, and the fence, the first token that starts in it or later (one may hold the ends of several)."""
    result: list[int] = []
    token = 0
    for start in source.line_starts:
        while source.token_starts[token] < start:
            token += 1
        result.append(token)
    return result
