"""What the output itself says about how it will go on. Knows token ids only.

`Substitutions` are runs of the source that the output has replaced: a rename is drafted renamed from its second place
on.
`Recall` finds what followed the last two tokens when the output wrote them before: new text repeats itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

_LONGEST_RUN = 8


@dataclass(frozen=True, slots=True)
class Substitution:
    """A run of source tokens, and what the output has in its place; neither is empty."""

    old: tuple[int, ...]
    new: tuple[int, ...]


class Substitutions:
    """The substitutions that were seen, and have not been contradicted since."""

    def __init__(self) -> None:
        self._known: dict[int, list[Substitution]] = {}
        self._refuted: set[Substitution] = set()

    def learn(self, old: Sequence[int], new: Sequence[int]) -> None:
        """The output wrote `new` where the source says `old`. Insertions, deletions and long runs are left out."""
        end = 0
        while end < min(len(old), len(new)) and old[-1 - end] == new[-1 - end]:
            end += 1
        seen = Substitution(tuple(old[: len(old) - end]), tuple(new[: len(new) - end]))
        if not 0 < len(seen.old) <= _LONGEST_RUN or not 0 < len(seen.new) <= _LONGEST_RUN or seen in self._refuted:
            return
        alike = [other for other in self._known.get(seen.old[0], ()) if other.old != seen.old]
        self._known[seen.old[0]] = sorted([*alike, seen], key=lambda other: -len(other.old))

    def refute(self, substitution: Substitution) -> None:
        """The output kept the old run in a place where this was drafted: do not draft it again."""
        self._refuted.add(substitution)
        known = self._known[substitution.old[0]]
        self._known[substitution.old[0]] = [other for other in known if other != substitution]

    def at(self, source: Sequence[int], position: int) -> Substitution | None:
        """The substitution of the longest known run that the source has at `position`."""
        for known in self._known.get(source[position], ()):
            if tuple(source[position : position + len(known.old)]) == known.old:
                return known
        return None


class Recall:
    """The output so far, by its pairs of tokens."""

    def __init__(self, output: Sequence[int] = ()) -> None:
        self.output: list[int] = []
        self._after: dict[tuple[int, int], int] = {}
        for token in output:
            self.append(token)

    def append(self, token: int) -> None:
        if len(self.output) >= 2:
            self._after[self.output[-2], self.output[-1]] = len(self.output)
        self.output.append(token)

    def next(self, length: int) -> Sequence[int]:
        """Up to `length` tokens that followed the last two when they were written before; empty where they were not."""
        if len(self.output) < 2:
            return ()
        start = self._after.get((self.output[-2], self.output[-1]))
        return () if start is None else self.output[start : start + length]
