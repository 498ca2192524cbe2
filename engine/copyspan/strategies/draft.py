"""Where in the source the output stands, and what it will probably say next. Knows token ids only, no text, no model.

A wrong guess costs little: the forward that checks it had to run anyway, and short drafts are nearly free.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from copyspan.strategies.recall import Recall, Substitution, Substitutions

# Lengths of drafts, chosen on training pairs (LOG.md): at the start, after the source was left, and where nothing fits.
_FIRST_DRAFT = 32
_LOST_DRAFT = 16
_LEAST_DRAFT = 3
_SURE_MATCH = 3
_NEAR = 32
_LONGEST_MATCH = 24


@dataclass(frozen=True, slots=True)
class Guess:
    """One drafted token."""

    token: int
    source: int | None
    """Its index in the source; None for a token that is new."""
    start: int
    """Where in the source the text begins that it belongs to."""
    then: int
    """The index of the source token that is expected after it: `start` where that text is not complete yet."""
    substitution: Substitution | None = None
    """What it was drafted by, where that replaces something."""


class Drafter:
    """Cuts drafts from the source, and from what the output made of it; learns from what the model accepts."""

    def __init__(
        self,
        source: Sequence[int],
        line_starts: Sequence[int],
        ends_line: Callable[[int], bool],
        draft_limit: int,
        output: Sequence[int] = (),
    ) -> None:
        """`line_starts`: where the tokens of each line start, and of the end mark; `ends_line` says of a token whether
        it is the last one of a line; `draft_limit` as the model says; `output`: what was written before this drafter
        came."""
        self._source = source
        self._line_starts = line_starts
        self._ends_line = ends_line
        self._limit = draft_limit
        self._length = max(min(_FIRST_DRAFT, draft_limit), draft_limit // 4)
        self._positions: dict[int, list[int]] = {}
        for index, token in enumerate(source):
            self._positions.setdefault(token, []).append(index)
        self._recall = Recall(output)
        self._substitutions = Substitutions()
        self._draft: list[Guess] = []
        self._accepted = _SURE_MATCH
        """How much of the newest draft; at first, as if it had been enough."""
        self._gap: tuple[int, list[int]] | None = None
        """Where the output left the source, and what it has written since."""
        self._is_lost = False
        self._sure_line = 0
        self._lines_since = 0
        self.position = 0
        """The index of the source token that is expected next; len(source) where nothing is."""

    def seek(self, position: int) -> None:
        """Stand at `position`, where the output is known to have followed the source."""
        self.position = position
        self._sure_line = self._line_of(position)
        self._lines_since = 0
        self._gap = None

    def propose(self, room: int) -> Sequence[Guess]:
        """The next draft, of at most `room` tokens; may be empty at the end of the source."""
        draft = self._from_output() if self._is_lost else []
        self._draft = (draft or self._from_source())[: max(0, room)]
        return self._draft

    def accept(self, num_tokens: int) -> None:
        """The model agreed with the first `num_tokens` of the draft; `follow` or `depart` says what came next."""
        self._accepted = num_tokens
        if not num_tokens:
            return
        if num_tokens == len(self._draft):
            self._length = min(2 * max(self._length, _LOST_DRAFT), self._limit)
        accepted = self._draft[:num_tokens]
        for guess in accepted:
            self._recall.append(guess.token)
        loose = 0
        while loose < num_tokens and accepted[-1 - loose].then == accepted[-1 - loose].start:
            loose += 1
        self._is_lost = False
        self._go_on(accepted[: num_tokens - loose])
        self._write([guess.token for guess in accepted[num_tokens - loose :]])
        if loose and self._ends_line(accepted[-1].token):
            self.position = self._next_line()

    def follow(self) -> int:
        """The model's own next token is the source's: step over it, and return its index."""
        rejected = self._draft[self._accepted].substitution if self._accepted < len(self._draft) else None
        if rejected is not None:
            self._substitutions.refute(rejected)
        index = self.position
        self._recall.append(self._source[index])
        self._is_lost = False
        self._go_on([Guess(self._source[index], index, index, index + 1)])
        return index

    def expects(self, token: int) -> bool:
        """Whether `token` is what the source says next."""
        return self.position < len(self._source) and self._source[self.position] == token

    def depart(self, token: int) -> None:
        """The model wrote something else: find the source again.

        First by the longest recent match of tokens; else by lines: a finished line took the place of one, so the next
        line of the source comes; else, inside a line, one token stood for one.
        """
        self._recall.append(token)
        if self._accepted >= _SURE_MATCH:
            self._length = min(_LOST_DRAFT, self._limit)
        elif not self._accepted:
            self._length = max(_LEAST_DRAFT, min(self._length, _LOST_DRAFT) // 2)
        self._write([token])
        length, found = self._match()
        self._is_lost = length < 2
        if self._ends_line(token) and length < _SURE_MATCH:
            self.position = self._next_line()
        elif length:
            self.position = found
        else:
            last_of_line = self._start_of(self._line_of(self.position) + 1) - 1
            self.position = min(self.position + 1, max(self.position, last_of_line))

    def _from_output(self) -> list[Guess]:
        """What the output said before in such a place, to the end of the line: what comes then, its lines say better.

        As long as the source says the same, it is the source's.
        """
        draft: list[Guess] = []
        position, agrees = self.position, True
        for token in self._recall.next(self._length):
            agrees = agrees and position < len(self._source) and self._source[position] == token
            draft.append(Guess(token, position if agrees else None, position, position + agrees))
            position += agrees
            if self._ends_line(token):
                break
        return draft

    def _from_source(self) -> list[Guess]:
        """What the source says next, with the substitutions seen so far; the last of them whole."""
        draft: list[Guess] = []
        position = self.position
        while len(draft) < self._length and position < len(self._source):
            found = self._substitutions.at(self._source, position)
            if found is None:
                draft.append(Guess(self._source[position], position, position, position + 1))
                position += 1
                continue
            draft += [Guess(token, None, position, position, found) for token in found.new[:-1]]
            draft.append(Guess(found.new[-1], None, position, position + len(found.old), found))
            position += len(found.old)
        return draft

    def _go_on(self, guesses: Sequence[Guess]) -> None:
        """Step over accepted guesses. A few may end lines (a blank one is a single token), but prove little."""
        if not guesses:
            return
        if len(guesses) >= _SURE_MATCH and any(guess.source is not None for guess in guesses):
            if self._gap is not None:
                start, written = self._gap
                self._substitutions.learn(self._source[start : guesses[0].start], written)
            self.seek(guesses[-1].then)
            return
        if self._gap is not None:
            self._gap[1].extend(guess.token for guess in guesses)
        line = self._line_of(self.position)
        self.position = guesses[-1].then
        self._lines_since += self._line_of(self.position) - line

    def _write(self, tokens: Sequence[int]) -> None:
        """Tokens that the source does not have here."""
        if tokens:
            if self._gap is None:
                self._gap = (self.position, [])
            self._gap[1].extend(tokens)
            self._lines_since += sum(map(self._ends_line, tokens))

    def _next_line(self) -> int:
        """Where the source goes on if every line that was written took the place of one."""
        return self._start_of(self._sure_line + self._lines_since)

    def _match(self) -> tuple[int, int]:
        """The position after the source tokens that the output ends with, and how many they are; (0, 0) for none.

        A short match counts only a little ahead of the pointer, a long one anywhere.
        """
        best = (0, 0, -1)
        for index in self._positions.get(self._recall.output[-1], ()):
            length = self._common_suffix(index)
            distance = index + 1 - self.position
            # Going back means writing again what is there already: rarer than going on.
            rank = (length, -distance if distance >= 0 else 3 * distance, index)
            if (length >= _SURE_MATCH or 0 <= distance <= _NEAR) and rank > best:
                best = rank
        return best[0], best[2] + 1

    def _common_suffix(self, index: int) -> int:
        output, length = self._recall.output, 0
        while length < _LONGEST_MATCH and length <= index and length < len(output):
            if self._source[index - length] != output[-1 - length]:
                break
            length += 1
        return length

    def _line_of(self, position: int) -> int:
        return max(0, bisect_right(self._line_starts, position) - 1)

    def _start_of(self, line: int) -> int:
        return self._line_starts[min(line, len(self._line_starts) - 1)]
