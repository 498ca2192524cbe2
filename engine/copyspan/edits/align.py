"""Programs from two versions of a text: the oracle that shows how much could be copied. Knows no model."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from copyspan.edits.program import CopyLines, CopyTokens, Gen, Op, Program
from copyspan.edits.text import LineRange, Snapshot, split_lines


@dataclass(frozen=True, slots=True)
class Generated:
    """Tokens start..stop-1 of the new version, found nowhere in the old one in a long enough run."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


def align_lines(before: Snapshot, after: str, scope: LineRange | None = None) -> Program:
    """The program that puts `after` in the place of the scope and copies every line that `difflib` finds again.

    Law: render(align_lines(s, after, scope), s, scope) is the document with the scope's text replaced by `after`.
    Lines are compared with their terminators.
    """
    scope = scope or before.all_lines
    olds = [before.line(i) for i in scope]
    news = split_lines(after)
    ops: list[Op] = []
    for tag, old_start, old_stop, start, stop in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if tag == "equal":
            ops.append(CopyLines(scope.start + old_start, scope.start + old_stop))
        elif start < stop:
            ops.append(Gen("".join(news[start:stop])))
    return Program(tuple(ops))


def align_tokens(before: Sequence[int], after: Sequence[int], min_span: int = 8) -> tuple[CopyTokens | Generated, ...]:
    """Where each token of `after` comes from: from left to right, the longest match of at least `min_span` tokens.

    Of equal matches the first in `before` is taken. The spans cover `after` in order, without gaps. O(n) dictionary
    steps for n tokens together, times `min_span`. Raises ValueError unless min_span >= 1.
    """
    if min_span < 1:
        raise ValueError(f"a copied span holds at least 1 token, not {min_span}")
    index = _SubstringIndex(before)
    spans: list[CopyTokens | Generated] = []
    place = written = 0
    while place < len(after):
        start, length = index.longest(after, place)
        if length < min_span:
            place += 1
            continue
        if written < place:
            spans.append(Generated(written, place))
        spans.append(CopyTokens(start, start + length))
        place = written = place + length
    if written < place:
        spans.append(Generated(written, place))
    return tuple(spans)


def token_program(
    spans: Sequence[CopyTokens | Generated],
    before: str,
    before_borders: Sequence[int],
    after: str,
    after_borders: Sequence[int],
) -> Program:
    """The program of `align_tokens` spans; the borders are positions of token borders in the two texts.

    Law: render(token_program(spans, ...), Snapshot(before), token_borders=before_borders) == after. A border inside a
    character (tokens are bytes) has the position of that character; a copy that thereby has another text than its
    tokens in `after` becomes new text.
    """
    ops: list[Op] = []
    place = 0
    for span in spans:
        text = after[after_borders[place] : after_borders[place + len(span)]]
        place += len(span)
        if isinstance(span, CopyTokens) and before[before_borders[span.start] : before_borders[span.stop]] == text:
            ops.append(span)
        elif ops and isinstance(ops[-1], Gen):
            ops[-1] = Gen(ops[-1].text + text)
        else:
            ops.append(Gen(text))
    return Program(tuple(ops))


class _SubstringIndex:
    """A suffix automaton: every run of tokens that occurs in a sequence, and where it occurs first."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._next: list[dict[int, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        self._end = [0]  # where the state's runs end for the first time
        last = 0
        for i, token in enumerate(tokens):
            last = self._append(last, token, i + 1)

    def longest(self, tokens: Sequence[int], start: int) -> tuple[int, int]:
        """The start in the indexed sequence, and the length, of the longest run that tokens[start:] begins with."""
        state = length = 0
        while start + length < len(tokens):
            following = self._next[state].get(tokens[start + length])
            if following is None:
                break
            state, length = following, length + 1
        return self._end[state] - length, length

    def _append(self, last: int, token: int, end: int) -> int:
        new = self._add({}, self._length[last] + 1, end)
        state = last
        while state >= 0 and token not in self._next[state]:
            self._next[state][token] = new
            state = self._link[state]
        if state < 0:
            self._link[new] = 0
            return new
        following = self._next[state][token]
        if self._length[following] == self._length[state] + 1:
            self._link[new] = following
            return new
        clone = self._add(dict(self._next[following]), self._length[state] + 1, self._end[following])
        self._link[clone] = self._link[following]
        self._link[following] = self._link[new] = clone
        while state >= 0 and self._next[state].get(token) == following:
            self._next[state][token] = clone
            state = self._link[state]
        return new

    def _add(self, transitions: dict[int, int], length: int, end: int) -> int:
        self._next.append(transitions)
        self._link.append(-1)
        self._length.append(length)
        self._end.append(end)
        return len(self._next) - 1
