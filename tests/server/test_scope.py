"""Which lines an edit may change."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import UsageError
from copyspan_lsp.languages import language
from copyspan_lsp.scope import Scope, choose_scope

_TEXT = "if a:\n    b\n    if c:\n        d\n\ne\n"  # six lines


def _scope(
    text: str = _TEXT, selection: tuple[int, int] | None = None, cursor: int | None = None, max_lines: int = 99
) -> Scope:
    return choose_scope(Snapshot(text), language("plaintext"), selection, cursor, max_lines)


@pytest.mark.parametrize(
    ("selection", "lines", "title"),
    [
        ((0, 1), LineRange(0, 1), "line 1"),
        ((3, 7), LineRange(0, 2), "lines 1-2"),
        ((0, 6), LineRange(0, 1), "line 1"),
        ((5, 6), LineRange(0, 1), "line 1"),
        ((7, 3), LineRange(0, 2), "lines 1-2"),
        ((0, len(_TEXT)), LineRange(0, 6), "lines 1-6"),
    ],
)
def test_a_selection_takes_the_lines_that_it_covers(selection: tuple[int, int], lines: LineRange, title: str) -> None:
    assert _scope(selection=selection) == Scope(lines, "selection", title)


def test_a_selection_may_be_longer_than_what_is_taken_unasked() -> None:
    assert _scope(selection=(0, 20), max_lines=1).lines == LineRange(0, 3)


def test_a_selection_that_ends_inside_crlf_ends_on_its_line() -> None:
    assert _scope("a\r\nb\r\n", selection=(0, 2)).lines == LineRange(0, 1)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (_TEXT, "the whole document (6 lines)"),
        ("a", "the whole document (1 line)"),
        ("", "the whole document (0 lines)"),
    ],
)
@pytest.mark.parametrize("selection", [None, (0, 0)])
def test_without_a_selection_a_short_document_is_taken_whole(
    text: str, title: str, selection: tuple[int, int] | None
) -> None:
    assert _scope(text, selection, 0, 6) == Scope(Snapshot(text).all_lines, "document", title)


def test_of_a_long_document_the_largest_block_that_is_short_enough_is_taken() -> None:
    inmost = _TEXT.index("d")
    assert _scope(cursor=inmost, max_lines=5) == Scope(LineRange(0, 4), "block", "if a (lines 1-4)")
    assert _scope(cursor=inmost, max_lines=3) == Scope(LineRange(2, 4), "block", "if c (lines 3-4)")


def test_an_empty_selection_is_a_cursor() -> None:
    inmost = _TEXT.index("d")
    assert _scope(selection=(inmost, inmost), max_lines=3).lines == LineRange(2, 4)


def test_a_cursor_below_the_last_line_is_on_it() -> None:
    text = "x\n" * 5 + "if a:\n    b\n"
    assert _scope(text, cursor=len(text), max_lines=2).lines == LineRange(5, 7)


@pytest.mark.parametrize(
    ("cursor", "max_lines", "cause"),
    [
        (None, 5, "at most 5 are edited at once. Select"),
        (_TEXT.index("e"), 5, "line 6 is in no block. Select"),
        (_TEXT.index("d"), 1, "the smallest block around line 4 has 2. Select"),
    ],
)
def test_where_nothing_fits_the_numbers_are_told(cursor: int | None, max_lines: int, cause: str) -> None:
    with pytest.raises(UsageError, match=re.escape(cause)) as caught:
        _scope(cursor=cursor, max_lines=max_lines)
    assert str(caught.value).startswith(f"The document has 6 lines; without a selection at most {max_lines}")


@given(st.text(alphabet="ab \n\r", min_size=1, max_size=30), st.data())
def test_a_selection_is_covered_by_the_fewest_whole_lines(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    stop = data.draw(st.integers(start + 1, len(text)))
    snapshot = Snapshot(text)
    lines = choose_scope(snapshot, language("c"), (start, stop), None, 1).lines
    touched = [i for i in snapshot.all_lines if snapshot.starts[i] < stop and start < snapshot.starts[i + 1]]
    assert list(lines) == touched
