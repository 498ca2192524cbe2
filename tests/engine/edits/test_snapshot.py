import pytest
from documents import snapshots, texts
from hypothesis import given, settings

from copyspan.edits.text import LineRange, Snapshot, split_lines, strip_terminator


def slow_lines(text: str) -> list[str]:
    """One character after the other."""
    lines, line = [], ""
    for i, character in enumerate(text):
        line += character
        if character == "\n" or (character == "\r" and text[i + 1 : i + 2] != "\n"):
            lines.append(line)
            line = ""
    return [*lines, line] if line else lines


@given(texts)
@settings(deadline=None)
def test_lines_end_where_an_editor_ends_them(text):
    snapshot = Snapshot(text)
    lines = [snapshot.line(i) for i in snapshot.all_lines]
    assert lines == split_lines(text) == slow_lines(text)
    assert [snapshot.content(i) + snapshot.terminator(i) for i in snapshot.all_lines] == lines
    assert all(snapshot.terminator(i) in ("\n", "\r\n", "\r") for i in range(snapshot.num_lines - 1))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", ["\n"]),
        ("a", ["a"]),
        ("a\r\rb\r\n\nc", ["a\r", "\r", "b\r\n", "\n", "c"]),
        ("a\x0bb\x0cc\x85d\u2028e\u2029f\x1cg\n", ["a\x0bb\x0cc\x85d\u2028e\u2029f\x1cg\n"]),
    ],
)
def test_split_lines(text, lines):
    assert split_lines(text) == lines


@given(snapshots)
@settings(deadline=None)
def test_line_at_finds_the_line_of_every_position(snapshot):
    for i in snapshot.all_lines:
        start, stop = snapshot.span(LineRange(i, i + 1))
        assert {snapshot.line_at(offset) for offset in range(start, stop)} == {i}
    last = snapshot.num_lines - 1 if snapshot.ends_open else snapshot.num_lines
    assert snapshot.line_at(len(snapshot.text)) == last


@pytest.mark.parametrize(
    ("text", "place", "terminator"),
    [
        ("", 0, "\n"),
        ("a", 0, "\n"),
        ("a", 1, "\n"),
        ("a\rb\r\n", 0, "\r"),  # nothing above: the line below
        ("a\rb\r\n", 1, "\r"),
        ("a\rb\r\n", 2, "\r\n"),
        ("a\nb\nc\r\nd", 4, "\r\n"),  # the line above has none: the nearest that has
    ],
)
def test_newline_near(text, place, terminator):
    assert Snapshot(text).newline_near(place) == terminator


def test_strip_terminator_takes_one():
    assert [strip_terminator(line) for line in ("a\r\n", "a\n", "a\r", "a", "\n\r\n", "\x85")] == [
        "a", "a", "a", "a", "\n", "\x85",
    ]  # fmt: skip


def test_ranges_are_checked_and_empty_ones_are_places():
    with pytest.raises(ValueError, match="2 and 1"):
        LineRange(2, 1)
    with pytest.raises(ValueError, match="-1 and 1"):
        LineRange(-1, 1)
    empty = LineRange(3, 3)
    assert bool(empty)
    assert (len(empty), list(empty), 3 in empty) == (0, [], False)
    assert LineRange(2, 5).contains(empty)
    assert LineRange(2, 3).contains(empty)
    assert not LineRange(4, 5).contains(empty)


@pytest.mark.parametrize(
    "ask", [lambda s: s.line(-1), lambda s: s.line(2), lambda s: s.line_at(5), lambda s: s.line_at(-1)]
)
def test_places_beyond_the_document_are_refused(ask):
    with pytest.raises(IndexError):
        ask(Snapshot("a\nb\n"))


def test_spans_beyond_the_document_are_refused():
    with pytest.raises(IndexError, match="of 2 lines"):
        Snapshot("a\nb\n").span(LineRange(1, 3))


@pytest.mark.parametrize(
    ("text", "lines", "expected"),
    [
        ("\n \na\n\nb\n\t\n", LineRange(0, 6), LineRange(2, 5)),
        ("a\nb\n", LineRange(0, 2), LineRange(0, 2)),
        ("a\n\n\nb\n", LineRange(1, 3), LineRange(1, 3)),
        ("\n\n", LineRange(0, 2), LineRange(0, 2)),
        ("", LineRange(0, 0), LineRange(0, 0)),
    ],
)
def test_blank_edges(text: str, lines: LineRange, expected: LineRange) -> None:
    assert Snapshot(text).without_blank_edges(lines) == expected
