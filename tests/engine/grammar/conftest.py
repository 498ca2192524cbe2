"""Fixtures: the vocabularies of `vocabularies`, and those of real tokenizers, each built once."""

from collections.abc import Callable
from functools import cache

import pytest
from tokenizers import Tokenizer
from vocabularies import ALL_BYTES, CROSSING_TOKENS, PARTIAL_TOKENS, Tokens, longest_match, train_grouping_digits

from copyspan.grammar.vocab import Vocabulary
from copyspan.models.token_bytes import token_bytes


@pytest.fixture(scope="session")
def tokens_of(request: pytest.FixtureRequest) -> Callable[[str], Tokens]:
    """By name: "bytes", "crossing", "digits", "qwen", "smollm". Each is built once; the last two may skip the test."""

    @cache
    def build(name: str) -> Tokens:
        if name == "bytes":
            return longest_match(ALL_BYTES)
        if name == "crossing":
            return longest_match([*ALL_BYTES, *map(str.encode, CROSSING_TOKENS), *PARTIAL_TOKENS, b"<", b"\n"])
        tokenizer = train_grouping_digits() if name == "digits" else _load(request, name)
        vocabulary = Vocabulary(token_bytes(tokenizer))
        return Tokens(vocabulary, lambda text: tokenizer.encode(text, add_special_tokens=False).ids)

    return build


def _load(request: pytest.FixtureRequest, name: str) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(request.getfixturevalue(f"{name}_tokenizer_file")))
    tokenizer.encode_special_tokens = True  # read "<|im_end|>" in a text as text
    return tokenizer
