"""A trie of byte strings, and the walk that runs an automaton over all of them at once. Knows no grammar.

The trie is a sorted list: the strings with a common prefix lie side by side, so a node is a range of the list and its
children are found by bisection. For 152,000 tokens that takes a tenth of the memory of nested dictionaries.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple, TypeVar

StateT = TypeVar("StateT")


class Node(NamedTuple):
    """The strings start..stop (half-open) of the sorted list; they have their first `depth` bytes in common."""

    start: int
    stop: int
    depth: int


@dataclass(frozen=True, slots=True)
class Walk:
    """What became of the strings below a node: ranges (half-open) of the list, and nodes where the walk stopped."""

    accepted: tuple[tuple[int, int], ...] = ()
    rejected: tuple[tuple[int, int], ...] = ()
    stopped: tuple[Node, ...] = ()

    def joined(self, others: Sequence["Walk"]) -> "Walk":
        """This walk and those that went on from where it stopped."""
        return Walk(
            accepted=self.accepted + tuple(run for other in others for run in other.accepted),
            rejected=self.rejected + tuple(run for other in others for run in other.rejected),
            stopped=tuple(node for other in others for node in other.stopped),
        )


@dataclass(frozen=True)
class Trie:
    """Non-empty byte strings in ascending order (equal ones may repeat)."""

    strings: Sequence[bytes]
    is_plain: Callable[[bytes], bool]
    """Strings of which a whole range may be accepted at once, where the automaton says so (`walk`, `takes_plain`)."""
    _num_special: Sequence[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        special = (not self.is_plain(string) for string in self.strings)
        object.__setattr__(self, "_num_special", tuple(accumulate(special, initial=0)))

    @property
    def root(self) -> Node:
        return Node(0, len(self.strings), 0)

    def walk(
        self,
        node: Node,
        state: StateT,
        step: Callable[[StateT, int], StateT | None],
        takes_plain: Callable[[StateT], bool],
        stops: Callable[[StateT], bool] = lambda _: False,
    ) -> Walk:
        """Run the automaton from `state` over what the strings below `node` hold after their first `node.depth` bytes.

        `step` answers None where a string cannot go on. `takes_plain` says that every plain string is accepted from a
        state, which spares the walk below it. Nothing is decided below a node reached in a state that `stops`.
        """
        accepted, rejected, stopped = list[tuple[int, int]](), list[tuple[int, int]](), list[Node]()
        stack = [(node, state)]
        while stack:
            node, state = stack.pop()
            if stops(state):
                stopped.append(node)
            elif takes_plain(state) and self._all_plain(node):
                accepted.append((node.start, node.stop))
            else:
                ended = self._end_of_shortest(node)
                if ended > node.start:
                    accepted.append((node.start, ended))
                for byte, child in self._children(node, ended):
                    following = step(state, byte)
                    if following is None:
                        rejected.append((child.start, child.stop))
                    else:
                        stack.append((child, following))
        return Walk(tuple(accepted), tuple(rejected), tuple(stopped))

    def _all_plain(self, node: Node) -> bool:
        return self._num_special[node.start] == self._num_special[node.stop]

    def _end_of_shortest(self, node: Node) -> int:
        """Where the strings end that hold nothing after the common prefix; being the shortest, they come first."""
        position = node.start
        while position < node.stop and len(self.strings[position]) == node.depth:
            position += 1
        return position

    def _children(self, node: Node, start: int) -> Iterator[tuple[int, Node]]:
        strings, depth = self.strings, node.depth
        while start < node.stop:
            byte = strings[start][depth]
            stop = start + 1
            if stop < node.stop and strings[stop][depth] == byte:
                after = strings[start][:depth] + bytes([byte + 1]) if byte < 0xFF else None
                stop = bisect_left(strings, after, stop, node.stop) if after is not None else node.stop
            yield byte, Node(start, stop, depth + 1)
            start = stop
