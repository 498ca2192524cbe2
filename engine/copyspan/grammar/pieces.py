"""Programs as tokens: how a decoder brings a text into its context, token by token or as text that must come.

Where the grammar leaves a choice the model writes tokens of its own; what must come between two choices is encoded by
itself. So the same program can be many token sequences, and this is the one of a model that chooses, everywhere, the
token that its tokenizer would write. Knows no model.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from copyspan.edits.program import CopyLines
from copyspan.grammar.surface import Border, ByteState, Surface


@dataclass(frozen=True, slots=True)
class Piece:
    """One token that was chosen, or the tokens of text that must come."""

    ids: tuple[int, ...]
    data: bytes
    chosen_at: ByteState | None
    """Where the choice was; None where there was none."""
    after: ByteState
    copies: tuple[CopyLines, ...]
    """The copies whose tag it completes."""


@dataclass(frozen=True, slots=True)
class PieceWriter:
    """Cuts texts of one grammar and one tokenizer into pieces."""

    surface: Surface
    encode: Callable[[str], Sequence[int]]
    token_bytes: Sequence[bytes | None]
    """The bytes of every token id."""

    def pieces(self, at: ByteState, text: str) -> Iterator[Piece]:
        """The pieces of one operation, of the rest of one, or of the end tag, from state `at`.

        They end where the text does, or where it is no program any more. The last one may hold more than the text,
        where more must come.
        """
        data = text.encode()
        while data:
            done = 0
            for piece in self._run(at, data):
                rest = data[done:]
                if not (piece.data.startswith(rest) or rest.startswith(piece.data)):
                    return
                yield piece
                at, done = piece.after, done + len(piece.data)
            if not done:
                return
            data = data[done:]

    def _run(self, at: ByteState, data: bytes) -> Iterator[Piece]:
        """What must come, or tokens as long as there is a choice."""
        if forced := self.surface.forced(at):
            if found := self._piece(at, tuple(self.encode(forced.decode())), forced, is_chosen=False):
                yield found
            return
        for token in self.encode(data.decode()):
            found = self._piece(at, (token,), self.token_bytes[token] or b"", is_chosen=True)
            if found is None:
                return
            yield found
            at = found.after
            if self.surface.forced(at) or isinstance(at, Border):
                return  # what follows is encoded by itself

    def _piece(self, at: ByteState, ids: tuple[int, ...], data: bytes, *, is_chosen: bool) -> Piece | None:
        """None where the grammar does not go on with these bytes."""
        after, copies = at, list[CopyLines]()
        for byte in data:
            following = self.surface.step(after, byte)
            if following is None:
                return None
            after = following
            if isinstance(after, Border) and after.copied is not None:
                copies.append(after.copied)
        return Piece(ids, data, at if is_chosen else None, after, tuple(copies))
