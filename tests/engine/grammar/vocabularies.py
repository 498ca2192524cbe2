"""Vocabularies to try the grammar with: bytes, and toys whose tokens cross every border or group digits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from copyspan.grammar.vocab import Vocabulary

ALL_BYTES = tuple(bytes([byte]) for byte in range(256))
CROSSING_TOKENS = (
    "<program>\n<", "</", "<c", "<g", "<copy", "<\\copy", 'copy lines="1', 'opy lines="', "gen>\n\n", "en>", ">\n",
    ">\n<", '"/>\n', '"/>\n<', '"/>\n<gen>\n', '1-1"/>\n<copy lines="2-', '-2"/>', "10", "12", "99", "100", "0-1",
    "\n</gen>\n", '\n</gen>\n<copy lines="', '\n</gen>\n<copy lines="2-2', "\n</gen>\n<gen>\n</gen>\n</program>",
    "</gen>", "</gen>\n", "a</gen>", "</program>", "</program>\n", "</program>\n\n",
    "\\", "\\\\<", "gen", "/gen>", "y>", "\n\n", "q\r\n", "z\x00", "é", "€<",
)  # fmt: skip
PARTIAL_TOKENS = (b"\xe2\x82", b"\x82\xac", b"\xac\n</gen>\n", b"a\xf0\x9f", b"\xa0\x80", b"\x80\r", b"<\xc3")


@dataclass(frozen=True)
class Tokens:
    """A vocabulary with the way its tokenizer splits a text."""

    vocabulary: Vocabulary
    encode: Callable[[str], list[int]]


def longest_match(tokens: Sequence[bytes]) -> Tokens:
    """Special and unused ids first and last; equal tokens occur; a text is split by the longest token at each place."""
    vocabulary = Vocabulary([None, *tokens, b"", None])
    index = {text: token for token, text in enumerate(vocabulary.token_bytes) if text}
    by_length = sorted(index, key=len, reverse=True)

    def encode(text: str) -> list[int]:
        data, ids = text.encode(), list[int]()
        while data:
            token = next(token for token in by_length if data.startswith(token))
            ids.append(index[token])
            data = data[len(token) :]
        return ids

    return Tokens(vocabulary, encode)


def train_grouping_digits() -> Tokenizer:
    """A byte-level tokenizer that groups up to three digits in one token, as those of Llama 3 and GPT-4 do."""
    tokenizer = Tokenizer(models.BPE())
    groups = pre_tokenizers.Split(Regex(r"\p{N}{1,3}|[^\p{N}]"), behavior="isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([groups, pre_tokenizers.ByteLevel(False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1400,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|end|>"],
    )
    tokenizer.train_from_iterator([f'<copy lines="{i}-{i + 1}"/>\n' for i in range(1, 1000)] * 2, trainer)
    assert {"12", "123", "100"} <= tokenizer.get_vocab().keys()
    return tokenizer
