"""A Hugging Face tokenizer as a strategy wants it: plain text is plain text, byte for byte."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from copyspan.errors import ModelUnusable
from copyspan.models.token_bytes import token_bytes

_PROBE = "\ta  b\r\n\n  ü e\u0301 日本 😀 <|im_end|> <s> 0123\n"
_USER_MARK = "@@user-message@@"
_LOSSY_NORMALIZERS = {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Strip", "StripAccents", "Prepend", "Nmt"}
_END_TOKENS = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<end_of_turn>", "</s>", "<|end|>")


class ChatTokenizer:
    """Implements `protocol.Tokenizer` over a `transformers` fast tokenizer.

    Raises ModelUnusable where the tokenizer cannot give every text back byte for byte.
    """

    def __init__(self, pretrained: Any, end_tokens: Sequence[int] = (), size: int = 0) -> None:
        """`size`: how many ids the model scores, where that is more than the tokenizer knows."""
        self._pretrained = pretrained
        backend: Tokenizer = pretrained.backend_tokenizer
        known = token_bytes(backend)
        self.vocabulary: tuple[bytes | None, ...] = known + (None,) * (size - len(known))
        added = {token.content: i for i, token in backend.get_added_tokens_decoder().items()}
        self.end_tokens = frozenset(end_tokens) | {added[token] for token in _END_TOKENS if token in added}
        self._plain = plain_text_tokenizer(backend)
        self._check()

    @property
    def end_token(self) -> int:
        """The one that ends a turn by the tokenizer's own account."""
        own: int = self._pretrained.eos_token_id  # None where there is none
        return own if own in self.end_tokens else min(self.end_tokens)

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._plain.encode(text, add_special_tokens=False).ids
        return ids

    def chat(self, system: str, user: Sequence[str]) -> list[int]:
        head, tail = self._template(system)
        ids = self._encode_template(head)
        for piece in user:
            ids += self.encode(piece)
        return ids + self._encode_template(tail)

    def _template(self, system: str) -> tuple[str, str]:
        """The chat template around the user's message. A base model without one gets plain paragraphs."""
        if not self._pretrained.chat_template:
            return f"{system}\n\n", "\n\n"
        as_message = [{"role": "system", "content": system}, {"role": "user", "content": _USER_MARK}]
        merged = [{"role": "user", "content": f"{system}\n\n{_USER_MARK}"}]
        try:
            text = self._render(as_message)
        except Exception:  # some templates raise on a system message, each an exception of its own
            text = self._render(merged)
        head, mark, tail = text.partition(_USER_MARK)
        if not mark:
            raise ModelUnusable("The model's chat template drops the user's message. Choose an instruct model.")
        return head, tail

    def _render(self, messages: list[dict[str, str]]) -> str:
        text: str = self._pretrained.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return text

    def _encode_template(self, text: str) -> list[int]:
        ids: list[int] = self._pretrained.encode(text, add_special_tokens=False)
        return ids

    def _check(self) -> None:
        parts = [self.vocabulary[i] for i in self.encode(_PROBE)]
        if b"".join(part or b"" for part in parts) != _PROBE.encode():
            raise ModelUnusable(
                "The model's tokenizer does not keep text byte for byte, so that copied lines could change. "
                "Choose a model with a byte-level tokenizer, such as Qwen2.5-Coder."
            )


def load_tokenizer(folder: Path, end_tokens: Sequence[int] = (), size: int = 0) -> ChatTokenizer:
    """The tokenizer that lies in a folder, with a model or without one; the rest as for `ChatTokenizer`.

    Raises ModelUnusable.
    """
    from transformers import AutoTokenizer  # takes a second

    try:
        pretrained = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise ModelUnusable(f"{folder} holds no tokenizer that transformers can load: {error}") from error
    return ChatTokenizer(pretrained, end_tokens, size)


def plain_text_tokenizer(backend: Tokenizer) -> Tokenizer:
    """A copy that reads no token out of the text's own words and normalises nothing.

    Every added token counts as special there, since special ones alone can be told not to match: a document that holds
    `<|im_end|>` or `<tool_call>` is edited like any other.
    """
    spec = json.loads(backend.to_str())
    spec["normalizer"] = _lossless(spec["normalizer"])
    for token in spec["added_tokens"]:
        token["special"] = True
    plain = Tokenizer.from_str(json.dumps(spec))
    plain.encode_special_tokens = True
    return plain


def _lossless(normalizer: dict[str, Any] | None) -> dict[str, Any] | None:
    """The normaliser without the steps that change text; kept are those that only spell it, such as " " to "▁"."""
    if normalizer is None or normalizer["type"] in _LOSSY_NORMALIZERS:
        return None
    if normalizer["type"] == "Sequence":
        steps = [step for step in map(_lossless, normalizer["normalizers"]) if step is not None]
        return {"type": "Sequence", "normalizers": steps}
    return normalizer
