import pytest
from documents import program, scopes, snapshots, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.edits.align import Generated, align_lines, align_tokens, token_program
from copyspan.edits.program import CopyTokens
from copyspan.edits.resolve import render, resolve
from copyspan.edits.text import LineRange, Snapshot

tokens = st.lists(st.integers(0, 2), max_size=20)


def longest_match(before, after, place) -> tuple[int, int]:
    """The first of the longest runs of `before` that start after[place:], and its length, by trying all."""
    best = (0, 0)
    for start in range(len(before)):
        length = 0
        while before[start + length : start + length + 1] == after[place + length : place + length + 1] != []:
            length += 1
        if length > best[1]:
            best = (start, length)
    return best


@given(st.data())
@settings(deadline=None)
def test_a_line_program_rebuilds_the_text(data):
    snapshot, after = data.draw(snapshots), data.draw(texts)
    scope = data.draw(scopes(snapshot))
    start, stop = snapshot.span(scope)
    written = align_lines(snapshot, after, scope)
    assert render(written, snapshot, scope) == snapshot.text[:start] + after + snapshot.text[stop:]


@pytest.mark.parametrize(
    ("before", "after", "ops"),
    [
        ("a\nb\nc\n", "a\nx\nc\n", "1 +x\n 3"),
        ("a\nb\n", "a\nb\n", "1-2"),
        ("a\r\nb", "a\nb", "+a\n 2"),
        ("a\nb", "a\nb\n", "1 +b\n"),
        ("", "a\n", "+a\n"),
        ("a\n", "", ""),
    ],
)
def test_align_lines(before, after, ops):
    assert align_lines(Snapshot(before), after) == program(ops)


def test_a_changed_first_and_last_line_are_two_hunks():
    snapshot = Snapshot("".join(f"{i}\n" for i in range(40)))
    after = "x\n" + snapshot.text[2:-3] + "y\n"
    hunks = resolve(align_lines(snapshot, after), snapshot).hunks
    assert [(hunk.lines, hunk.new) for hunk in hunks] == [(LineRange(0, 1), "x\n"), (LineRange(39, 40), "y\n")]


@given(tokens, tokens, st.integers(1, 4))
@settings(deadline=None)
def test_tokens_are_matched_greedily(before, after, min_span):
    place, written = 0, []
    for span in align_tokens(before, after, min_span):
        if isinstance(span, CopyTokens):
            assert (span.start, len(span)) == longest_match(before, after, place)
            assert len(span) >= min_span
            written += before[span.start : span.stop]
        else:
            assert span.start == place
            assert all(longest_match(before, after, i)[1] < min_span for i in range(span.start, span.stop))
            written += after[span.start : span.stop]
        place += len(span)
    assert written == after


@pytest.mark.parametrize(
    ("before", "after", "min_span", "spans"),
    [
        ("abcdefgh", "abcdefgh", 8, [CopyTokens(0, 8)]),
        ("abcdefgh", "abcdefgX", 8, [Generated(0, 8)]),
        ("abcabcd", "xabcd", 2, [Generated(0, 1), CopyTokens(3, 7)]),
        ("abab", "ab", 2, [CopyTokens(0, 2)]),  # the first of equals
        ("abc", "cab", 1, [CopyTokens(2, 3), CopyTokens(0, 2)]),
        ("abc", "", 1, []),
        ("", "ab", 1, [Generated(0, 2)]),
    ],
)
def test_align_tokens(before, after, min_span, spans):
    assert list(align_tokens([ord(c) for c in before], [ord(c) for c in after], min_span)) == spans


def test_a_span_holds_at_least_one_token():
    with pytest.raises(ValueError, match="not 0"):
        align_tokens([1], [1], 0)


@pytest.mark.timeout(20)
def test_long_and_repetitive_sequences_take_linear_time():
    assert align_tokens([7] * 50_000, [7] * 49_999 + [8]) == (CopyTokens(0, 49_999), Generated(49_999, 50_000))


def byte_borders(text: str) -> list[int]:
    """Borders of tokens that are single bytes; inside a character, the position of the character."""
    data = text.encode()
    return [len(data[:end].decode(errors="ignore")) for end in range(len(data) + 1)]


@given(texts, texts)
@settings(deadline=None)
def test_a_token_program_rebuilds_the_text_even_where_tokens_are_bytes(before, after):
    borders = byte_borders(before)
    spans = align_tokens(before.encode(), after.encode(), 2)
    written = token_program(spans, before, borders, after, byte_borders(after))
    assert render(written, Snapshot(before), None, borders) == after
    assert resolve(written, Snapshot(before), None, borders).edits.apply(before) == after


@pytest.mark.parametrize(
    ("before", "after", "ops"),
    [
        ("abcdef", "abXef", "t1-2 +X t5-6"),
        ("äb", "¤b", "+¤b"),  # the common last byte of ä and ¤, copied together with b, would be an ä
        ("aäb", "aöb", "t1-2 +öb"),  # the common first byte of ä and ö is no character
        ("x\n", "y\nx\n", "+y\n t1-2"),
    ],
)
def test_token_program(before, after, ops):
    spans = align_tokens(before.encode(), after.encode(), 2)
    assert token_program(spans, before, byte_borders(before), after, byte_borders(after)) == program(ops)
