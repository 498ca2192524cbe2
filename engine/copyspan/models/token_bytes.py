"""The bytes that every token of a tokenizer stands for. Knows the `tokenizers` package and no model.

A vocabulary spells text in one of two alphabets, and its decoder says which: the byte-level one (GPT-2, Qwen, Llama 3),
where a printable character stands for each byte, and the SentencePiece one (Llama 2, Gemma), where "▁" stands for a
space and "<0xNN>" for a byte that no other token covers.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from tokenizers import Tokenizer

from copyspan.errors import ModelUnusable

_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def token_bytes(tokenizer: Tokenizer) -> tuple[bytes | None, ...]:
    """The bytes of every token id, by index; None where an id has no token or stands for no text.

    None are the special added tokens, the ids without a token below the highest one, and the fillers "[PAD<id>]" that
    GGUF files put there. An added token that is not special is its own text.

    Law, for a tokenizer that neither normalises text nor prepends a space, and a text that names no special token:
    b"".join(token_bytes(k)[i] for i in k.encode(text, add_special_tokens=False).ids) == text.encode()

    Raises ModelUnusable where the decoder is of a kind whose tokens have no bytes of their own (WordPiece, for one).
    """
    steps = _decoder_steps(tokenizer)
    added = tokenizer.get_added_tokens_decoder()
    vocabulary = tokenizer.get_vocab(with_added_tokens=True)
    table: list[bytes | None] = [None] * (max(vocabulary.values(), default=-1) + 1)
    for text, index in vocabulary.items():
        if index in added:
            table[index] = None if added[index].special else added[index].content.encode()
        elif text != f"[PAD{index}]":
            table[index] = _spell(text, steps)
    return tuple(table)


def _decoder_steps(tokenizer: Tokenizer) -> tuple[Mapping[str, Any], ...]:
    """The decoder's steps that rewrite single tokens, as its own JSON states them."""
    decoder = tokenizer.decoder
    state = json.loads(decoder.__getstate__()) if decoder is not None else {"type": "none"}
    steps = tuple(state["decoders"]) if state["type"] == "Sequence" else (state,)
    # Strip and Fuse act on the whole text: the space that the tokenizer prepended, the pieces joined.
    rewriting = tuple(step for step in steps if step["type"] not in ("Fuse", "Strip"))
    for step in rewriting:
        is_text_replace = step["type"] == "Replace" and "String" in step["pattern"]
        if not is_text_replace and step["type"] not in ("ByteLevel", "ByteFallback", "Metaspace"):
            raise ModelUnusable(
                f'The tokenizer decodes by "{step["type"]}", and the bytes of its tokens cannot be told. '
                "Take a model with a byte-level or SentencePiece tokenizer."
            )
    return rewriting


def _spell(text: str, steps: tuple[Mapping[str, Any], ...]) -> bytes:
    """The bytes of one token that the vocabulary writes as `text`."""
    for step in steps:
        if step["type"] == "ByteLevel":
            return _byte_level(text)
        if step["type"] == "ByteFallback":
            match = _BYTE_TOKEN.fullmatch(text)
            if match:
                return bytes([int(match[1], 16)])
        elif step["type"] == "Metaspace":
            text = text.replace(step["replacement"], " ")
        else:
            text = text.replace(step["pattern"]["String"], step["content"])
    return text.encode()


def _byte_level(text: str) -> bytes:
    table = _byte_of_character()
    try:
        return bytes(map(table.__getitem__, text))
    except KeyError:
        # Tokens that were added by hand hold plain text; the decoder passes such a token through as a whole.
        return text.encode()


@cache
def _byte_of_character() -> dict[str, int]:
    """GPT-2's alphabet: printable Latin-1 bytes stand for themselves, the other 68 for U+0100 and the following."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}
