"""The surface form as an automaton over the tokens of one vocabulary: masks, advances, forced text. Knows no model.

A decoder asks for `forced` text first and feeds it, and lets the model choose among the `allowed` tokens where there is
a choice.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from copyspan.edits.program import CopyLines
from copyspan.errors import ProgramSyntaxError
from copyspan.grammar import body
from copyspan.grammar.pieces import Piece, PieceWriter
from copyspan.grammar.surface import Body, Border, ByteState, Ended, Surface
from copyspan.grammar.trie import Node, Walk
from copyspan.grammar.vocab import Vocabulary
from copyspan.tokens import TokenSet


@dataclass(frozen=True, slots=True)
class State:
    """Where a program stands, and what the last advance has completed."""

    at: ByteState
    copies: tuple[CopyLines, ...] = ()
    """The copies whose tag the LAST advance has completed, in order: 0-based and half-open."""


class ProgramAutomaton:
    """Programs over lines lo..hi (1-based, inclusive) of one document, as tokens of `vocabulary`.

    Law: `allowed(state)` holds a token exactly where some continuation of its bytes ends a program. Make one for each
    request; what does not depend on the document is kept in the vocabulary.
    """

    def __init__(self, vocabulary: Vocabulary, lo: int, hi: int, monotone: bool = True) -> None:
        self._vocabulary = vocabulary
        self._surface = Surface(lo, hi, monotone)
        self._masks: dict[ByteState, TokenSet] = {}

    def pieces(self, state: State, text: str, encode: Callable[[str], Sequence[int]]) -> Iterator[Piece]:
        """How one operation, the rest of one, or the end tag is written from here; see `pieces`."""
        return PieceWriter(self._surface, encode, self._vocabulary.token_bytes).pieces(state.at, text)

    @property
    def start(self) -> State:
        return State(self._surface.start)

    def allowed(self, state: State) -> TokenSet:
        """The tokens that may follow; none but for at most one final newline where the program is final."""
        if state.at not in self._masks:
            self._masks[state.at] = self._mask(state.at)
        return self._masks[state.at]

    def advance(self, state: State, token: int) -> State:
        """The state after one more token; ProgramSyntaxError where it is not allowed."""
        data = self._vocabulary.token_bytes[token] if 0 <= token < len(self._vocabulary) else None
        if not data:
            raise ProgramSyntaxError(f"Token {token} stands for no text; a program cannot hold it.")
        return self.advance_bytes(state, data)

    def advance_bytes(self, state: State, data: bytes) -> State:
        """The state after `data` (forced text, say); ProgramSyntaxError where a program cannot go on like this."""
        at, copies = state.at, list[CopyLines]()
        for offset, byte in enumerate(data):
            following = self._surface.step(at, byte)
            if following is None:
                raise ProgramSyntaxError(
                    f"A program cannot go on with byte {byte:#04x} (byte {offset + 1} of {len(data)})."
                )
            if isinstance(following, Border) and following.copied is not None:
                copies.append(following.copied)
            at = following
        return State(at, tuple(copies))

    def forced(self, state: State) -> bytes:
        """The bytes that must follow, up to the next choice or the operation's end; b"" where there is a choice."""
        return self._surface.forced(state.at)

    def is_final(self, state: State) -> bool:
        """Is the program complete?"""
        return isinstance(state.at, Ended)

    def in_body(self, state: State) -> bool:
        """Is this inside the body of a gen, or inside the tag that ends it?

        A line of the body is certain once its newline is written; what follows it may be the beginning of the end tag.
        """
        return isinstance(state.at, Body)

    def _mask(self, at: ByteState) -> TokenSet:
        vocabulary = self._vocabulary
        if isinstance(at, Body):
            closed = self._surface.after_body(at.floor)
            return vocabulary.tokens_in_body(at.tail, resume=lambda node: self._walk(node, closed))
        return vocabulary.tokens(self._walk(vocabulary.trie.root, at))

    def _walk(self, node: Node, at: ByteState) -> Walk:
        return self._vocabulary.trie.walk(node, at, self._surface.step, takes_plain=_takes_plain)


def _takes_plain(at: ByteState) -> bool:
    return isinstance(at, Body) and body.is_open(at.tail)
