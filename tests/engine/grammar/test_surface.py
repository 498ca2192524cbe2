"""The byte automaton: numbers, bodies, and forced text, each against a slow and obvious way to say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.grammar import body
from copyspan.grammar.surface import Border, ByteState, Ended, FirstLine, Surface

WINDOWS = [(1, 1), (1, 9), (1, 12), (5, 7), (8, 11), (10, 19), (95, 130), (98, 101), (7, 23), (999, 1002)]


def run(surface: Surface, text: bytes) -> ByteState | None:
    state: ByteState | None = surface.start
    for byte in text:
        state = surface.step(state, byte) if state is not None else None
    return state


def next_bytes(surface: Surface, state: ByteState) -> set[int]:
    return {byte for byte in range(256) if surface.step(state, byte) is not None}


@pytest.mark.parametrize(("lo", "hi"), WINDOWS)
def test_numbers_go_on_exactly_where_some_range_does(lo: int, hi: int) -> None:
    surface = Surface(lo, hi)
    ranges = [f'{i}-{j}"'.encode() for i in range(lo, hi + 1) for j in range(i, hi + 1)]
    after = dict[bytes, set[int]]()
    for text in ranges:
        for end in range(len(text)):
            after.setdefault(text[:end], set()).add(text[end])
    for prefix, expected in after.items():
        state: ByteState | None = FirstLine(lo)
        for byte in prefix:
            assert state is not None
            state = surface.step(state, byte)
        assert state is not None
        assert {byte for byte in b'0123456789-"\n<x' if surface.step(state, byte) is not None} == expected, prefix


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(1, 2 * 10**6))
def test_a_large_number_can_be_typed_exactly_when_it_is_in_range(lo: int, length: int, number: int) -> None:
    surface, hi = Surface(lo, lo + length), lo + length
    typed = run(surface, b'<program>\n<copy lines="%d-' % number)
    assert (typed is not None) == (lo <= number <= hi)


@pytest.mark.parametrize(("lo", "hi"), [(0, 3), (-1, 1), (5, 3), (1, -1)])
def test_impossible_lines_are_refused(lo: int, hi: int) -> None:
    with pytest.raises(ValueError, match="not a range"):
        Surface(lo, hi)


def test_no_copy_is_offered_where_no_line_is_left() -> None:
    opened = b"<program>\n<"
    assert next_bytes(Surface(1, 0), run(Surface(1, 0), opened)) == set(b"g/")
    after = b'<program>\n<copy lines="3-7"/>\n<'
    assert next_bytes(Surface(3, 7), run(Surface(3, 7), after)) == set(b"g/")
    assert next_bytes(Surface(3, 8), run(Surface(3, 8), after)) == set(b"cg/")
    assert next_bytes(Surface(3, 7, monotone=False), run(Surface(3, 7, monotone=False), after)) == set(b"cg/")


@given(st.integers(0, 0x10FFFF))
def test_a_body_takes_every_character_but_the_two_forbidden_ones(code_point: int) -> None:
    tail: bytes | None = body.START
    for byte in chr(code_point).encode("utf-8", "surrogatepass"):
        tail = body.step(tail, byte) if tail is not None else None
    assert (tail is not None) == (chr(code_point) not in "\r\x00" and not 0xD800 <= code_point < 0xE000)


@given(
    st.lists(
        st.sampled_from([*range(0x7E, 0x82), *range(0x8F, 0x92), *range(0x9F, 0xA1), *range(0xBF, 256)]), max_size=8
    )
)
def test_a_body_is_never_more_than_one_character_away_from_utf8(data: list[int]) -> None:
    """Bytes are accepted exactly as far as they begin valid UTF-8, by Python's own incremental decoder."""
    tail: bytes | None = body.START
    for end, byte in enumerate(data, start=1):
        tail = body.step(tail, byte)
        assert (tail is not None) == begins_utf8(bytes(data[:end]))
        if tail is None:
            return


def begins_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


FORCED = [
    ("", "<program>\n"),
    ("<pro", "gram>\n"),
    ("<program>\n", ""),
    ("<program>\n<", ""),
    ("<program>\n<c", 'opy lines="'),
    ("<program>\n<g", "en>\n"),
    ("<program>\n</", "program>"),
    ("<program>\n</program>", ""),
    ('<program>\n<copy lines="', ""),
    ('<program>\n<copy lines="8', ""),  # 8 or 80..85
    ('<program>\n<copy lines="86', '-86"/>\n'),
    ('<program>\n<copy lines="9', "-"),
    ('<program>\n<copy lines="9-', ""),
    ('<program>\n<copy lines="80', "-8"),  # 80..86
    ('<program>\n<copy lines="80-83', '"/>\n'),
    ('<program>\n<copy lines="80-83"/>\n', ""),  # the copied lines come here
    ('<program>\n<copy lines="80-85"/>\n<c', 'opy lines="86-86"/>\n'),
    ("<program>\n<gen>\n", ""),
    ("<program>\n<gen>\n</gen", ""),
    ("<program>\n<gen>\n</gen>", "\n"),
    ("<program>\n<gen>\nx</gen", ""),
    ("<program>\n<gen>\n\u00e9"[:-1] + "<", ""),
]


@pytest.mark.parametrize(("written", "forced"), FORCED)
def test_forced_text(written: str, forced: str) -> None:
    surface = Surface(8, 86)
    state = run(surface, written.encode())
    assert state is not None
    assert surface.forced(state) == forced.encode()
    for byte in forced.encode():
        assert next_bytes(surface, state) == {byte}
        state = surface.step(state, byte)
        assert state is not None
    assert isinstance(state, Border | Ended) or len(next_bytes(surface, state)) > 1


def test_states_are_values() -> None:
    surface = Surface(1, 9)
    for text in (b"<pro", b'<program>\n<copy lines="3', b"<program>\n<gen>\nabc\xe2"):
        assert run(surface, text) == run(Surface(1, 9), text)
        assert hash(run(surface, text)) == hash(run(Surface(1, 9), text))
    assert run(surface, b"<program>\n<gen>\nab") == run(surface, b"<program>\n<gen>\n<<x\nab"), (
        "what is past leaves no trace"
    )
