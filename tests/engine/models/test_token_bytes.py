"""The bytes of tokens add up to the text, in both alphabets that tokenizers write their tokens in."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)

from copyspan.errors import ModelUnusable
from copyspan.models.token_bytes import token_bytes

TEXTS = [
    "",
    "plain words, and 12345 digits",
    "def f(x):\r\n\treturn  x\n\n\n    # \x0b\x0c\x85\u2028\n",
    "é ü 中文 日本語 \N{GRINNING FACE}\U0001f469\u200d\U0001f52c \ufeff\ufffd\U0010fffd",
    '<copy lines="1-2"/>\n<gen>\n<0x41> \u2581 \u0120 \u010a [PAD7]\n</gen>\n',
]
SAMPLE = ["the cat sat on the mat, and the dog did not; é 中 <copy lines> 123 456\n"] * 4


def spelled(tokenizer: Tokenizer, text: str) -> str:
    table = token_bytes(tokenizer)
    return b"".join(table[i] or b"?" for i in tokenizer.encode(text, add_special_tokens=False).ids).decode()


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<|end|>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(SAMPLE, trainer)
    return tokenizer


def byte_fallback() -> Tokenizer:
    """As Gemma's: spaces are written as U+2581, and characters outside the vocabulary as tokens <0x00>..<0xFF>."""
    vocabulary = {"<unk>": 0, **{f"<0x{byte:02X}>": byte + 1 for byte in range(256)}}
    vocabulary |= {text: 257 + i for i, text in enumerate(["\u2581", "a", "b", "é", "中", "\u2581a", "ab"])}
    merges = [("\u2581", "a"), ("a", "b")]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.add_special_tokens(["<unk>"])
    return tokenizer


@pytest.mark.parametrize("text", TEXTS)
def test_byte_level_tokens_add_up(text: str) -> None:
    assert spelled(byte_level(), text) == text


@pytest.mark.parametrize("text", [text.replace("\u2581", "") for text in TEXTS])
def test_byte_fallback_tokens_add_up(text: str) -> None:
    assert spelled(byte_fallback(), text) == text


BYTE_LEVEL, BYTE_FALLBACK = byte_level(), byte_fallback()


@settings(max_examples=100)
@given(st.text(max_size=20).filter(lambda text: "<|end|>" not in text and "<unk>" not in text))  # these have no bytes
def test_any_text_adds_up(text: str) -> None:
    assert spelled(BYTE_LEVEL, text) == text
    assert spelled(BYTE_FALLBACK, text.replace("\u2581", "")) == text.replace("\u2581", "")


@pytest.mark.parametrize("name", ["qwen", "smollm"])
def test_tokens_of_real_models_add_up(request: pytest.FixtureRequest, name: str) -> None:
    path: Path = request.getfixturevalue(f"{name}_tokenizer_file")
    tokenizer = Tokenizer.from_file(str(path))
    table = token_bytes(tokenizer)
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        assert b"".join(table[i] or b"?" for i in ids) == text.encode()


def test_metaspace_stands_for_a_space() -> None:
    tokenizer = Tokenizer(
        models.Unigram([("<unk>", 0.0), ("\u2581the", -1.0), ("\u2581", -2.0), ("cat", -2.0)], 0, False)
    )
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="never")
    assert token_bytes(tokenizer) == (b"<unk>", b" the", b" ", b"cat")


def test_every_byte_has_one_place_in_the_byte_level_alphabet() -> None:
    single = [data for data in token_bytes(byte_level()) if data and len(data) == 1]
    assert sorted(single) == [bytes([byte]) for byte in range(256)]


def test_special_tokens_have_no_bytes_and_other_added_tokens_are_their_text() -> None:
    tokenizer = byte_level()
    size = tokenizer.get_vocab_size()
    tokenizer.add_special_tokens(["<|im_end|>"])
    tokenizer.add_tokens([AddedToken("<tool_call>"), AddedToken("Ġé", normalized=False)])
    table = token_bytes(tokenizer)
    assert table[tokenizer.token_to_id("<|end|>")] is None
    assert table[size:] == (None, b"<tool_call>", "Ġé".encode())


def test_ids_without_a_token_and_fillers_have_no_bytes() -> None:
    vocabulary = {"a": 0, "b": 2, "[PAD3]": 3, "[PAD9]": 4, "[PAD]": 5}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.decoder = decoders.ByteLevel()
    assert token_bytes(tokenizer) == (b"a", None, b"b", None, b"[PAD9]", b"[PAD]")


def test_plain_text_in_a_byte_level_vocabulary_stays_as_it_is() -> None:
    """As the decoder does with a token that has a character outside the byte-level alphabet."""
    tokenizer = Tokenizer(models.BPE({"é中": 0, "é": 1}, []))
    tokenizer.decoder = decoders.ByteLevel()
    assert token_bytes(tokenizer) == ("é中".encode(), b"\xe9")
    assert tokenizer.decode([0]) == "é中"


def test_a_vocabulary_without_tokens() -> None:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.decoder = decoders.ByteLevel()
    assert token_bytes(tokenizer) == ()


@pytest.mark.parametrize(
    "decoder",
    [None, decoders.WordPiece(), decoders.BPEDecoder(), decoders.Replace(Regex("a+"), " "), decoders.CTC()],
)
def test_tokens_without_bytes_of_their_own_are_refused(decoder: decoders.Decoder | None) -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0}, []))
    if decoder is not None:
        tokenizer.decoder = decoder
    with pytest.raises(ModelUnusable, match="byte-level or SentencePiece"):
        token_bytes(tokenizer)
