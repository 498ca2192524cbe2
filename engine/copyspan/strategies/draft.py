"""Where in the source the output stands, and what it will probably say next. Knows token ids only, no text, no model.

A wrong guess costs little: the forward that checks it had to run anyway, and short drafts are nearly free.
"""

from bisect import bisect_right
from collections.abc import Sequence

_FIRST_DRAFT = 16
_LOST_DRAFT = 8
_SURE_MATCH = 3
_NEAR = 32
_LONGEST_MATCH = 24


class Drafter:
    """Cuts drafts from the source; learns from what was accepted and from what the model wrote instead."""

    def __init__(self, source: Sequence[int], line_starts: Sequence[int], draft_limit: int) -> None:
        """`line_starts`: where the tokens of each line start, and of the end mark; `draft_limit` as the model says."""
        self._source = source
        self._line_starts = line_starts
        self._limit = draft_limit
        self._length = min(_FIRST_DRAFT, draft_limit)
        self._positions: dict[int, list[int]] = {}
        for index, token in enumerate(source):
            self._positions.setdefault(token, []).append(index)
        self._sure_line = 0
        self._lines_since = 0
        self.position = 0
        """The index of the source token that is expected next; len(source) where nothing is."""

    def seek(self, position: int) -> None:
        """Stand at `position`, where the output is known to have followed the source."""
        self.position = position
        self._sure_line = self._line_of(position)
        self._lines_since = 0

    def propose(self) -> Sequence[int]:
        """The next draft; may be empty at the end of the source."""
        return self._source[self.position : self.position + self._length]

    def accept(self, num_tokens: int) -> None:
        """The model agreed with the first `num_tokens` of the draft; `follow` or `depart` says what came next."""
        if num_tokens and num_tokens == len(self.propose()):
            self._length = min(2 * max(self._length, _LOST_DRAFT), self._limit)
        if num_tokens >= _SURE_MATCH:
            self.seek(self.position + num_tokens)
        else:
            self._step(num_tokens)

    def follow(self) -> int:
        """The model's own next token is the source's: step over it, and return its index."""
        self._step(1)
        return self.position - 1

    def expects(self, token: int) -> bool:
        """Whether `token` is what the source says next."""
        return self.position < len(self._source) and self._source[self.position] == token

    def depart(self, output: Sequence[int], ends_line: bool) -> None:
        """The model wrote something else: `output` ends with it. Find the source again.

        First by the longest recent match of tokens; else by lines: a finished line took the place of one, so the next
        line of the source comes; else, inside a line, one token stood for one.
        """
        self._length = min(_LOST_DRAFT, self._limit)
        self._lines_since += ends_line
        length, found = self._match(output)
        if ends_line and length < _SURE_MATCH:
            self.position = self._start_of(self._sure_line + self._lines_since)
        elif length:
            self.position = found
        else:
            last_of_line = self._start_of(self._line_of(self.position) + 1) - 1
            self.position = min(self.position + 1, max(self.position, last_of_line))

    def _step(self, num_tokens: int) -> None:
        """Go on over a few tokens, which may end lines (a blank one is a single token), but prove little."""
        line = self._line_of(self.position)
        self.position += num_tokens
        self._lines_since += self._line_of(self.position) - line

    def _match(self, output: Sequence[int]) -> tuple[int, int]:
        """The position after the source tokens that the output ends with, and how many they are; (0, 0) for none.

        A short match counts only a little ahead of the pointer, a long one anywhere.
        """
        best = (0, 0, -1)
        for index in self._positions.get(output[-1], ()):
            length = self._common_suffix(index, output)
            distance = index + 1 - self.position
            # Going back means writing again what is there already: rarer than going on.
            rank = (length, -distance if distance >= 0 else 3 * distance, index)
            if (length >= _SURE_MATCH or 0 <= distance <= _NEAR) and rank > best:
                best = rank
        return best[0], best[2] + 1

    def _common_suffix(self, index: int, output: Sequence[int]) -> int:
        length = 0
        while length < _LONGEST_MATCH and length <= index and length < len(output):
            if self._source[index - length] != output[-1 - length]:
                break
            length += 1
        return length

    def _line_of(self, position: int) -> int:
        return max(0, bisect_right(self._line_starts, position) - 1)

    def _start_of(self, line: int) -> int:
        return self._line_starts[min(line, len(self._line_starts) - 1)]
