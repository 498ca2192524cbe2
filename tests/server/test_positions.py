import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_positions import ENCODINGS, encodings, is_inside_crlf, slow_offset, slow_position, texts

from copyspan.edits.text import Snapshot
from copyspan_lsp.positions import LineTable

laws = settings(deadline=None, max_examples=100)


def table(text: str, encoding: str = "utf-16") -> LineTable:
    return LineTable(Snapshot(text), encoding)


@pytest.mark.parametrize(
    ("encoding", "characters"),
    [
        ("utf-8", [0, 1, 3, 6, 10, 11]),
        ("utf-16", [0, 1, 2, 3, 5, 6]),
        ("utf-32", [0, 1, 2, 3, 4, 5]),
    ],
)
def test_a_character_is_as_many_units_as_its_encoding_takes(encoding, characters):
    positions = table("x\naä€😀b\n", encoding)
    assert [positions.position(2 + i) for i in range(6)] == [(1, character) for character in characters]
    assert [positions.offset(1, character) for character in characters] == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("encoding", "offsets"),
    [
        ("utf-8", [0, 0, 1, 1, 1, 1, 2, 3, 3]),
        ("utf-16", [0, 1, 1, 2, 3, 3]),
        ("utf-32", [0, 1, 2, 3, 3]),
    ],
)
def test_a_position_inside_a_code_point_means_its_start(encoding, offsets):
    assert [table("ä😀b\n", encoding).offset(0, character) for character in range(len(offsets))] == offsets


@pytest.mark.parametrize(("encoding", "size"), [("utf-8", 3), ("utf-16", 1), ("utf-32", 1)])
def test_a_lone_surrogate_is_a_character(encoding, size):
    text = "\ud83dx\ude00\ud83d\ude00"  # at the end a high and a low one, which are two characters here
    positions = table(text, encoding)
    starts = [0, size, size + 1, 2 * size + 1, 3 * size + 1, 4 * size + 1]
    assert [positions.position(i) for i in range(6)] == [(0, start) for start in starts]
    assert [positions.offset(0, start) for start in starts] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("text", ["a\nb\n", "a\r\nb\r\n", "a\rb\r"])
def test_beyond_a_line_is_its_end_and_beyond_the_last_line_the_end_of_the_text(text):
    positions = table(text)
    assert positions.offset(0, 99) == 1
    assert positions.offset(1, 99) == text.index("b") + 1
    assert positions.offset(2, 0) == positions.offset(2, 7) == positions.offset(99, 3) == len(text)
    assert positions.position(len(text)) == (2, 0)


def test_the_last_line_may_end_with_the_text():
    assert table("a\nbc").position(4) == (1, 2)
    assert table("a\nbc").offset(1, 9) == table("a\nbc").offset(2, 0) == 4
    assert table("").position(0) == (0, 0)
    assert table("").offset(0, 0) == table("").offset(0, 4) == table("").offset(3, 0) == 0


def test_only_line_feed_and_carriage_return_end_lines():
    text = "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g"
    assert table(text).position(len(text)) == (0, 13)
    assert table(text).offset(1, 0) == len(text)


def test_between_carriage_return_and_line_feed_there_is_no_position():
    assert table("ab\r\nc").position(3) == (0, 2)
    assert table("ab\n\rc").position(3) == (1, 0)


def test_values_out_of_range_are_refused():
    for line, character in [(-1, 0), (0, -1)]:
        with pytest.raises(ValueError, match=f"not {line} and {character}"):
            table("a").offset(line, character)
    for offset in (-1, 2):
        with pytest.raises(IndexError, match=f"position {offset}"):
            table("a").position(offset)


@given(texts, encodings)
@laws
def test_offsets_come_back_from_positions(text, encoding):
    positions = table(text, encoding)
    for offset in range(len(text) + 1):
        if is_inside_crlf(text, offset):
            assert positions.position(offset) == positions.position(offset - 1)
        else:
            assert positions.position(offset) == slow_position(text, encoding, offset)
            assert positions.offset(*positions.position(offset)) == offset


@given(texts, encodings, st.integers(0, 12), st.integers(0, 30))
@laws
def test_any_position_is_where_the_slow_way_finds_it(text, encoding, line, character):
    assert table(text, encoding).offset(line, character) == slow_offset(text, encoding, line, character)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_long_line_is_like_a_short_one(encoding):
    text = "aä😀" * 5000
    positions = table(text, encoding)
    for offset in (0, 1, 7000, 14999, 15000):
        assert positions.position(offset) == slow_position(text, encoding, offset)
        assert positions.offset(*positions.position(offset)) == offset
