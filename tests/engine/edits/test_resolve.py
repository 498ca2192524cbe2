"""Laws 1, 2, 3 and 5, and the cases that editors get wrong."""

from itertools import combinations, pairwise

import pytest
from documents import (
    check_trimmed,
    grapheme_borders,
    is_inside_crlf,
    marked,
    program,
    programs,
    scopes,
    snapshots,
    texts,
    token_programs,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from copyspan.edits.edit import EditList
from copyspan.edits.program import CopyLines, CopyTokens, Gen, Program
from copyspan.edits.resolve import render, resolve
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import ProgramRangeError

laws = settings(deadline=None, max_examples=100)


def weight_of_heaviest_chain(ops, snapshot: Snapshot) -> int:
    """Over single lines, by comparing every pair."""
    lines = [i for op in ops if isinstance(op, CopyLines) for i in range(op.start, op.stop)]
    best: list[int] = []
    for place, line in enumerate(lines):
        before = (best[j] for j in range(place) if lines[j] < line)
        best.append(max(before, default=0) + len(snapshot.line(line)))
    return max(best, default=0)


def untouched_lines(snapshot: Snapshot, edits: EditList, scope: LineRange) -> list[int]:
    """Lines of which no edit covers a character, and into which none inserts anything."""
    spans = {i: snapshot.span(LineRange(i, i + 1)) for i in scope}
    return [i for i, (start, stop) in spans.items() if all(e.stop <= start or stop <= e.start for e in edits)]


@given(st.data())
@laws
def test_edits_of_line_programs_obey_the_laws(data):
    snapshot = data.draw(snapshots)
    scope = data.draw(scopes(snapshot))
    written = data.draw(programs(scope))
    edits = resolve(written, snapshot, scope).edits
    assert edits.apply(snapshot.text) == render(written, snapshot, scope)
    check_trimmed(snapshot.text, edits)
    start, stop = snapshot.span(scope)
    for edit in edits:
        assert start <= edit.start <= edit.stop <= stop
        assert not is_inside_crlf(snapshot.text, edit.start)
        assert not is_inside_crlf(snapshot.text, edit.stop)
    kept = sum(len(snapshot.line(i)) for i in untouched_lines(snapshot, edits, scope))
    assert kept >= weight_of_heaviest_chain(written.ops, snapshot)


@given(st.data())
@laws
def test_edits_of_token_programs_obey_the_laws(data):
    snapshot = data.draw(snapshots)
    scope = data.draw(scopes(snapshot))
    written, borders = data.draw(token_programs(snapshot, scope))
    edits = resolve(written, snapshot, scope, borders).edits
    assert edits.apply(snapshot.text) == render(written, snapshot, scope, borders)
    check_trimmed(snapshot.text, edits)
    start, stop = snapshot.span(scope)
    old_borders, new_borders = grapheme_borders(snapshot.text), grapheme_borders(edits.apply(snapshot.text))
    shift = 0
    for edit in edits:
        assert start <= edit.start <= edit.stop <= stop
        assert {edit.start, edit.stop} <= set(old_borders)
        assert edit.start in snapshot.starts or edit.start + shift in new_borders
        shift += edit.growth
        assert edit.stop in snapshot.starts or edit.stop + shift in new_borders


@given(st.data())
@laws
def test_hunks_are_lines_and_can_be_accepted_one_by_one(data):
    snapshot = data.draw(snapshots)
    written, borders = data.draw(token_programs(snapshot, snapshot.all_lines))
    resolution = resolve(written, snapshot, None, borders)
    hunks = resolution.hunks
    assert [edit for hunk in hunks for edit in hunk.edits] == list(resolution.edits)
    for left, right in pairwise(hunks):
        assert left.lines.stop < right.lines.start
    for hunk in hunks:
        start, stop = snapshot.span(hunk.lines)
        assert hunk.old == snapshot.text[start:stop] != hunk.new
        for line in hunk.lines:
            first, last = snapshot.span(LineRange(line, line + 1))
            assert any(edit.start <= last and first <= edit.stop for edit in hunk.edits)
        alone = snapshot.text[:start] + hunk.new + snapshot.text[stop:]
        assert EditList(hunk.edits).apply(snapshot.text) == alone


def test_any_choice_of_hunks_fits_together():
    snapshot = Snapshot("a\nb\nc\nd\ne\nf\n")
    hunks = resolve(program("+A\n 2-3 +X\nD\n 5"), snapshot).hunks
    assert [(hunk.old, hunk.new) for hunk in hunks] == [("a\n", "A\n"), ("d\n", "X\nD\n"), ("f\n", "")]
    for count in range(4):
        for chosen in combinations(hunks, count):
            lines = ["a\n", "b\n", "c\n", "d\n", "e\n", "f\n"]
            for hunk in chosen:
                lines[hunk.lines.start : hunk.lines.stop] = [hunk.new] + [""] * (len(hunk.lines) - 1)
            accepted = EditList(tuple(edit for hunk in chosen for edit in hunk.edits))
            assert accepted.apply(snapshot.text) == "".join(lines)


@pytest.mark.parametrize(
    ("text", "ops", "shown"),
    [
        ("a\nb\nc\n", "1-3", "a\nb\nc\n"),
        ("a\nb\nc\n", "1 +x\n 2-3", "a\n[>x\n]b\nc\n"),
        ("a\nb\nc\n", "1 +x\n 3", "a\n[b>x]\nc\n"),
        ("a\nb\nc\n", "1 3", "a\n[b\n>]c\n"),
        ("a\nb\nc\n", "1-2 2-3", "a\nb\n[>b\n]c\n"),  # repeated
        ("a\nb\nc\n", "1-3 1-3", "a\nb\nc\n[>a\nb\nc\n]"),
        ("aa\nb\nc\n", "2-3 1", "[aa\n>]b\nc\n[>aa\n]"),
        ("aaaaa\nb\nc\n", "2-3 1", "[>b\nc\n]aaaaa\n[b\nc\n>]"),  # the heaviest stays
        ("a\nb\nc\nd\n", "1-3 2-4", "a\nb\nc\n[>b\nc\n]d\n"),  # overlapping
        ("x\nx\n", "2 1", "x\nx\n"),  # nothing changes
        ("", "+x\n", "[>x\n]"),
        ("", "", ""),
        ("a\n", "", "[a\n>]"),
        ("a\nb", "1-2 +\nc", "a\nb[>\nc]"),  # after an open last line
        ("a\nb", "1 +c", "a\n[b>c]"),
        ("a\nb", "+a", "a[\nb>]"),
        ("a\r\nb\r\n", "1 +x\r\n 2", "a\r\n[>x\r\n]b\r\n"),
        ("a\r\nb\r\n", "+a\r 2", "[a\r\n>a\r]b\r\n"),
        ("\n", "+x\r 1", "[>x\r]\n"),  # the CR joins the LF of a line that stays
        ("a\r\nb", "+a\n 2", "a[\r\n>\n]b"),
        ("x\x0cy\u2028z\n", "+x\x0cY\u2028z\n", "x\x0c[y>Y]\u2028z\n"),
        ("😀\t👨\u200d👩\n", "+😀\t👨\u200d👧\n", "😀\t[👨\u200d👩>👨\u200d👧]\n"),
    ],
)
def test_resolve(text, ops, shown):
    assert marked(text, resolve(program(ops), Snapshot(text)).edits) == shown


@pytest.mark.parametrize(
    ("text", "ops", "borders", "shown"),
    [
        ("one two three\n", "t1 +2 t3-4", [0, 4, 8, 13, 14], "one [two >2]three\n"),
        ("one two\n", "t1-2 +\u0301 t3", [0, 4, 7, 8], "one tw[o>o\u0301]\n"),  # a kept `o` would be half a grapheme
        ("a\r\nb\n", "t1 +\n t3", [0, 2, 3, 5], "a\r\nb\n"),
        ("a\r\nb\n", "t1 +x\n t3", [0, 2, 3, 5], "a[\r\n>\rx\n]b\n"),  # nothing inside the CRLF
        ("a👩\n", "+👨\u200d t2", [0, 1, 3], "[a👩>👨\u200d👩]\n"),  # what was whole before is half a grapheme after
        ("aa\nb\nc\n", "t2 t1 t3", [0, 1, 2, 5, 7], "aa\nb\n[c\n>]"),  # the hunk of `aa` would change nothing
        ("ab\ncd\nef\n", "t1 +B t3", [0, 1, 2, 9], "a[b>B]\ncd\nef\n"),
    ],
)
def test_copied_tokens_stay_where_they_are_whole(text, ops, borders, shown):
    assert marked(text, resolve(program(ops), Snapshot(text), None, borders).edits) == shown


@pytest.mark.parametrize(
    ("text", "ops", "hunks"),
    [
        ("a\nb\nc\n", "1 +x\n 2-3", [(1, 1, "", "x\n")]),
        ("a\nb\nc\n", "+a2\n +b2\n 3", [(0, 2, "a\nb\n", "a2\nb2\n")]),
        ("ab\ncd\n", "+abcd\n", [(0, 2, "ab\ncd\n", "abcd\n")]),  # joined lines
        ("abcd\n", "+ab\ncd\n", [(0, 1, "abcd\n", "ab\ncd\n")]),
        ("a\nb", "1-2 +\nc", [(2, 2, "", "\nc")]),  # the last line is copied, hence not in the hunk
        ("a\nb", "1 +bb", [(1, 2, "b", "bb")]),
        ("a\nb", "+a", [(0, 2, "a\nb", "a")]),
        ("a\nb\n", "+\ta\n 2", [(0, 1, "a\n", "\ta\n")]),
    ],
)
def test_a_hunk_holds_the_lines_that_change(text, ops, hunks):
    found = resolve(program(ops), Snapshot(text)).hunks
    assert [(hunk.lines.start, hunk.lines.stop, hunk.old, hunk.new) for hunk in found] == hunks


def test_first_and_last_line_of_forty_are_two_hunks():
    snapshot = Snapshot("".join(f"line {i}\r\n" for i in range(60)))
    scope = LineRange(10, 50)
    written = Program((Gen("first\r\n"), CopyLines(11, 49), Gen("last\r\n")))
    assert [hunk.lines for hunk in resolve(written, snapshot, scope).hunks] == [LineRange(10, 11), LineRange(49, 50)]


def test_everything_outside_the_scope_stays():
    snapshot, scope = Snapshot("a\nb\nc\n"), LineRange(1, 2)
    assert render(Program((Gen("x"),)), snapshot, scope) == "a\nxc\n"
    assert marked(snapshot.text, resolve(Program(), snapshot, scope).edits) == "a\n[b\n>]c\n"
    assert marked(snapshot.text, resolve(Program((Gen("x\n"),)), snapshot, LineRange(2, 2)).edits) == "a\nb\n[>x\n]c\n"


@pytest.mark.parametrize(
    ("ops", "scope", "borders"),
    [
        ("1", LineRange(1, 3), ()),
        ("2-4", LineRange(1, 3), ()),
        ("4", None, ()),
        ("t1", None, ()),
        ("t2", None, (0, 6)),
        ("t1", LineRange(1, 2), (0, 1, 6)),
        ("t2", LineRange(1, 2), (0, 3, 6)),
        ("", LineRange(2, 4), ()),
    ],
)
def test_what_lies_outside_is_refused(ops, scope, borders):
    for function in (render, resolve):
        with pytest.raises(ProgramRangeError):
            function(program(ops), Snapshot("a\nb\nc\n"), scope, borders)


@given(texts, texts)
@example("\na\n\n", "\na\r\r\n")
@settings(deadline=None)
def test_a_text_written_anew_is_trimmed(old, new):
    edits = resolve(Program((Gen(new),)), Snapshot(old)).edits
    assert edits.apply(old) == new
    check_trimmed(old, edits)


@pytest.mark.timeout(20)
def test_thousands_of_lines_in_any_order():
    size = 8_000
    snapshot = Snapshot("".join(f"{i:05}\n" for i in range(size)))
    backwards = Program(tuple(CopyLines(i, i + 1) for i in reversed(range(size))))
    resolution = resolve(backwards, snapshot)
    assert len(resolution.edits) == 2
    assert resolution.edits.apply(snapshot.text) == render(backwards, snapshot)
    shifted = Program((CopyLines(size // 2, size), *(CopyLines(i, i + 3) for i in range(size // 2))))
    assert resolve(shifted, snapshot).edits.apply(snapshot.text) == render(shifted, snapshot)


def test_long_copies_stay_whole():
    snapshot = Snapshot("x\n" * 100_000)
    assert resolve(Program((CopyLines(0, 100_000),)), snapshot).edits == EditList()
    moved = Program((CopyLines(50_000, 100_000), CopyLines(0, 50_000), CopyTokens(0, 1)))
    assert [len(hunk.lines) for hunk in resolve(moved, snapshot, None, (0, 1)).hunks] == [50_000, 0]
