"""A model's tokens as bytes, and everything about them that holds for every document. Knows no model.

Inside a body what may follow does not depend on the document, so the masks of bodies are kept with the vocabulary:
build it once for a model.
"""

from collections.abc import Callable, Sequence

from copyspan.errors import ModelUnusable
from copyspan.grammar import body
from copyspan.grammar.trie import Node, Trie, Walk
from copyspan.tokens import TokenSet

_TAG_BYTES = frozenset(b'<program>\n<copy lines="0123456789-"/>\n<gen>\n</gen>\n</program>')
_CONTINUATION_BYTES = frozenset(b"\x80\x90\xa0")


class Vocabulary:
    """The bytes of every token id, by index; None (or no bytes) for ids that no grammar may allow.

    There must be an entry for every id that the model scores: masks of free text name the forbidden ids, and an id
    beyond the end would be allowed by them.

    A program can be finished from every state byte by byte, so it can be finished with tokens where each byte that this
    takes is a token by itself: those of the tags and digits, and, where tokens hold parts of characters, a continuation
    byte for each kind of lead byte. Given these, "some tokens lead to the end" and "some bytes lead to the end" are the
    same. A vocabulary without one of them could run into a dead end and raises ModelUnusable. Any other byte may be
    missing: text that needs it cannot be written, and no mask leads there.
    """

    def __init__(self, token_bytes: Sequence[bytes | None]) -> None:
        self.token_bytes = tuple(token_bytes)
        spelled = sorted((text, token) for token, text in enumerate(self.token_bytes) if text)
        self._ids = tuple(token for _, token in spelled)
        self._never = tuple(token for token, text in enumerate(self.token_bytes) if not text)
        self._trie = Trie(tuple(text for text, _ in spelled), body.is_plain)
        self._body_walks: dict[bytes, Walk] = {}
        self._body_sets: dict[tuple[bytes, tuple[Walk, ...]], TokenSet] = {}
        _check_spelling([text for text, _ in spelled])

    def __len__(self) -> int:
        return len(self.token_bytes)

    @property
    def trie(self) -> Trie:
        return self._trie

    def tokens_in_body(self, tail: bytes, resume: Callable[[Node], Walk]) -> TokenSet:
        """The tokens that may follow inside a body. `resume` goes on from the `</gen>` that closes it."""
        if tail not in self._body_walks:
            self._body_walks[tail] = self._trie.walk(
                self._trie.root, tail, body.step, takes_plain=body.is_open, stops=lambda reached: reached == body.CLOSED
            )
        inside = self._body_walks[tail]
        outside = tuple(resume(node) for node in inside.stopped)
        key = (tail, outside)
        if key not in self._body_sets:
            self._body_sets[key] = self.tokens(inside.joined(outside))
        return self._body_sets[key]

    def tokens(self, walk: Walk) -> TokenSet:
        """The tokens that a walk from the trie's root has accepted, in the shorter of the two ways to say it."""
        num_accepted = sum(stop - start for start, stop in walk.accepted)
        if 2 * num_accepted <= len(self._ids):
            return TokenSet(tuple(sorted(self._ids_in(walk.accepted))))
        return TokenSet(tuple(sorted([*self._never, *self._ids_in(walk.rejected)])), complement=True)

    def _ids_in(self, runs: Sequence[tuple[int, int]]) -> list[int]:
        return [token for start, stop in runs for token in self._ids[start:stop]]


def _check_spelling(tokens: Sequence[bytes]) -> None:
    single = {token[0] for token in tokens if len(token) == 1}
    has_parts = not all(map(body.is_utf8, tokens))
    missing = sorted((_TAG_BYTES | _CONTINUATION_BYTES if has_parts else _TAG_BYTES) - single)
    if missing:
        raise ModelUnusable(
            f"The model's vocabulary has no token for the bytes {bytes(missing)!r}, so it cannot write edit programs. "
            'Take the strategy "verified", which needs none, or another model.'
        )
