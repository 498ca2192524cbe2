"""What a vocabulary refuses, and how it states sets of tokens."""

import re
from collections.abc import Callable

import pytest
from vocabularies import Tokens

from copyspan.errors import ModelUnusable, ProgramSyntaxError
from copyspan.grammar.automaton import ProgramAutomaton
from copyspan.grammar.vocab import Vocabulary

ALL_BYTES = [bytes([byte]) for byte in range(256)]
ASCII = ALL_BYTES[:128]


@pytest.mark.parametrize("missing", [*b'<>/\n"=- 0123456789aceg', *b"ilmnoprsy"])
def test_a_vocabulary_that_cannot_spell_a_tag_is_refused(missing: int) -> None:
    with pytest.raises(ModelUnusable, match=re.escape(repr(bytes([missing])))):
        Vocabulary([token for token in ASCII if token[0] != missing])


@pytest.mark.parametrize("missing", [0x80, 0x90, 0xA0])
def test_parts_of_characters_need_bytes_that_complete_them(missing: int) -> None:
    with pytest.raises(ModelUnusable):
        Vocabulary([token for token in ALL_BYTES if token[0] != missing])


def test_a_vocabulary_of_whole_characters_needs_no_continuation_bytes() -> None:
    automaton = ProgramAutomaton(Vocabulary([*ASCII, "é".encode()]), 1, 1)
    assert 128 in automaton.allowed(automaton.advance_bytes(automaton.start, b"<program>\n<gen>\n"))


def test_other_bytes_may_be_missing() -> None:
    """Bytes that no text needs for its end, such as the unused leads 0xc0 and 0xf5..0xff."""
    assert (
        len(Vocabulary([token for token in ALL_BYTES if token not in (b"\xc0", b"\xf1", b"\xff", b"Q", b"\\")])) == 251
    )


def test_tokens_without_text_are_allowed_nowhere() -> None:
    vocabulary = Vocabulary([None, b"", *ALL_BYTES, None])
    automaton = ProgramAutomaton(vocabulary, 1, 9)
    for text in (b"", b"<program>\n", b'<program>\n<copy lines="', b"<program>\n<gen>\n", b"<program>\n<gen>\nx\xe2"):
        allowed = automaton.allowed(automaton.advance_bytes(automaton.start, text))
        assert not {0, 1, len(vocabulary) - 1} & {token for token in range(len(vocabulary)) if token in allowed}


def test_the_shorter_list_is_stated() -> None:
    vocabulary = Vocabulary([None, *ALL_BYTES])
    automaton = ProgramAutomaton(vocabulary, 1, 9)
    in_body = automaton.allowed(automaton.advance_bytes(automaton.start, b"<program>\n<gen>\n"))
    forbidden = [0x00, 0x0D, *range(0x80, 0xC2), *range(0xF5, 0x100)]
    assert in_body.complement
    assert in_body.ids == (0, *(byte + 1 for byte in forbidden))
    in_tag = automaton.allowed(automaton.advance_bytes(automaton.start, b"<program>\n<"))
    assert not in_tag.complement
    assert in_tag.ids == tuple(byte + 1 for byte in b"/cg")


@pytest.mark.parametrize("token", [-1, 0, 1, 258, 10**9])
def test_ids_without_text_cannot_be_fed(token: int) -> None:
    vocabulary = Vocabulary([None, b"", *ALL_BYTES])
    automaton = ProgramAutomaton(vocabulary, 1, 9)
    with pytest.raises(ProgramSyntaxError, match=f"Token {token}"):
        automaton.advance(automaton.start, token)


def test_an_error_names_the_byte_and_leaves_the_state(tokens_of: Callable[[str], Tokens]) -> None:
    automaton = ProgramAutomaton(tokens_of("bytes").vocabulary, 1, 9)
    state = automaton.advance_bytes(automaton.start, b"<program>\n<gen>\n")
    with pytest.raises(ProgramSyntaxError, match=r"0x0d \(byte 3 of 4\)"):
        automaton.advance_bytes(state, b"ab\r\n")
    assert automaton.advance_bytes(state, b"ab").at == automaton.advance_bytes(state, b"xy").at


def test_where_a_state_stands(tokens_of: Callable[[str], Tokens]) -> None:
    automaton = ProgramAutomaton(tokens_of("bytes").vocabulary, 1, 9)
    for text, in_body, final in [
        (b"<program>\n", False, False),
        (b"<program>\n<gen>", False, False),
        (b"<program>\n<gen>\n", True, False),
        (b"<program>\n<gen>\na\n</gen", True, False),
        (b"<program>\n<gen>\na\n</gen>", False, False),
        (b"<program>\n</program", False, False),
        (b"<program>\n</program>", False, True),
        (b"<program>\n</program>\n", False, True),
    ]:
        state = automaton.advance_bytes(automaton.start, text)
        assert (automaton.in_body(state), automaton.is_final(state)) == (in_body, final), text
    assert automaton.allowed(state).ids == ()
