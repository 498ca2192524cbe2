"""Text as the tokens of a model that is on disk. Knows its tokenizer.json and no torch."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from tokenizers import Tokenizer

from copyspan.models.token_bytes import token_bytes
from copyspan.models.tokenizer import plain_text_tokenizer
from copyspan.models.weights import require


class Tokens(Protocol):
    """What the benchmarks ask of a tokenizer. Text is text: no word in it counts as a special token."""

    def ids(self, text: str) -> list[int]:
        """The tokens of the text."""

    def borders(self, text: str) -> list[int]:
        """The num_tokens + 1 positions of token borders; inside a character, that character's position."""


class ModelTokens:
    """`Tokens` by the tokenizer of a model."""

    def __init__(self, backend: Tokenizer) -> None:
        self._plain = plain_text_tokenizer(backend)
        self._bytes = token_bytes(backend)

    @classmethod
    def of(cls, model: str) -> "ModelTokens":
        """Raises ModelMissing where the model is not on disk; never uses the network."""
        return cls(Tokenizer.from_file(str(require(model) / "tokenizer.json")))

    def ids(self, text: str) -> list[int]:
        ids: list[int] = self._plain.encode(text, add_special_tokens=False).ids
        return ids

    def borders(self, text: str) -> list[int]:
        ends = accumulate((len(self._bytes[i] or b"") for i in self.ids(text)), initial=0)
        character = _characters(text)
        return [character[end] for end in ends]


def _characters(text: str) -> Sequence[int]:
    """For every byte of the text in UTF-8, and its end, the position of the character that the byte belongs to."""
    if text.isascii():
        return range(len(text) + 1)
    places = [place for place, character in enumerate(text) for _ in range(len(character.encode()))]
    return [*places, len(text)]
