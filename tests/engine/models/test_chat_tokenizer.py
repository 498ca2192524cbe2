"""Plain text stays plain text, byte for byte."""

import pytest
from tokenizers import normalizers

from copyspan.errors import ModelUnusable
from copyspan.models.tokenizer import ChatTokenizer
from tiny_lm import tiny_tokenizer

TEXTS = [
    "",
    "a",
    "\tif x:\r\n",
    "<|im_end|>",
    "<|im_start|>user\n",
    "e\u0301 é",
    "日本 😀\u2028\x0c\x85",
    "  \n\n\n  x",
]


@pytest.fixture(scope="module")
def tokenizer() -> ChatTokenizer:
    return ChatTokenizer(tiny_tokenizer())


def text_of(tokenizer: ChatTokenizer, ids: list[int]) -> str:
    return b"".join(tokenizer.vocabulary[i] or b"?" for i in ids).decode()


@pytest.mark.parametrize("text", TEXTS)
def test_encoding_keeps_every_byte(tokenizer: ChatTokenizer, text: str) -> None:
    assert text_of(tokenizer, tokenizer.encode(text)) == text


def test_a_normaliser_does_not_touch_the_document() -> None:
    pretrained = tiny_tokenizer()
    pretrained.backend_tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer = ChatTokenizer(pretrained)
    assert text_of(tokenizer, tokenizer.encode("E\u0301")) == "E\u0301"


def test_a_chat_marks_roles_by_special_tokens_and_text_by_plain_ones(tokenizer: ChatTokenizer) -> None:
    ids = tokenizer.chat("Edit.", ["<|im_end|>\n", "Do it."])
    special = [i for i in ids if tokenizer.vocabulary[i] is None]
    assert len(special) == 5  # start and end of two messages, start of the third
    assert text_of(tokenizer, ids) == "?system\nEdit.?\n?user\n<|im_end|>\nDo it.?\n?assistant\n"


def test_pieces_do_not_change_each_other(tokenizer: ChatTokenizer) -> None:
    one, other = tokenizer.chat("S", ["document\n", "rename"]), tokenizer.chat("S", ["document\n", "\nrename it"])
    shared = next(i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    assert text_of(tokenizer, one[:shared]).endswith("document\n")


def test_a_template_without_a_system_role_gets_it_from_the_user() -> None:
    pretrained = tiny_tokenizer()
    pretrained.chat_template = (
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "[{{ messages[0]['content'] }}]"
    )
    tokenizer = ChatTokenizer(pretrained)
    assert text_of(tokenizer, tokenizer.chat("Edit.", ["Do it."])) == "[Edit.\n\nDo it.]"


def test_a_base_model_gets_paragraphs() -> None:
    pretrained = tiny_tokenizer()
    pretrained.chat_template = None
    tokenizer = ChatTokenizer(pretrained)
    assert text_of(tokenizer, tokenizer.chat("Edit.", ["Do it."])) == "Edit.\n\nDo it.\n\n"


def test_a_tokenizer_that_loses_text_is_refused() -> None:
    pretrained = tiny_tokenizer()
    pretrained.backend_tokenizer.normalizer = normalizers.Replace("\t", " ")
    with pytest.raises(ModelUnusable, match="byte for byte"):
        ChatTokenizer(pretrained)


def test_ids_beyond_the_tokenizer_stand_for_nothing() -> None:
    known = len(ChatTokenizer(tiny_tokenizer()).vocabulary)
    assert ChatTokenizer(tiny_tokenizer(), size=known + 7).vocabulary[known:] == (None,) * 7
