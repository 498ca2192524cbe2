"""Lines that a model decides, as exact programs: terminators (case 11) and the final newline (case 13)."""

import pytest
from documents import line_ops, marked, program, scopes, snapshots, some_line_ops
from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.edits.lines import NewLines, refine, settle
from copyspan.edits.program import CopyLines, Program
from copyspan.edits.resolve import render, resolve
from copyspan.edits.text import LineRange, Snapshot, split_lines, strip_terminator
from copyspan.errors import ProgramRangeError

laws = settings(deadline=None, max_examples=100)


def spell(ops, snapshot: Snapshot) -> list[str]:
    """The contents of the lines that the operations state."""
    lines: list[str] = []
    for op in ops:
        lines += op.lines if isinstance(op, NewLines) else [snapshot.content(i) for i in range(op.start, op.stop)]
    return lines


def copied_lines(ops) -> list[int]:
    return [i for op in ops if isinstance(op, CopyLines) for i in range(op.start, op.stop)]


def contents_of(text: str) -> list[str]:
    return [strip_terminator(line) for line in split_lines(text)]


@given(st.data())
@laws
def test_the_lines_are_those_that_were_decided(data):
    snapshot = data.draw(snapshots)
    scope = data.draw(scopes(snapshot))
    ops = data.draw(some_line_ops(scope))
    settled = settle(ops, snapshot, scope)
    text = render(settled, snapshot, scope)
    lines = spell(ops, snapshot)
    if snapshot.ends_open and scope.stop == snapshot.num_lines and lines and not lines[-1]:
        lines.pop()  # an empty line without a terminator is no line
    start, stop = snapshot.span(scope)
    assert contents_of(text) == contents_of(snapshot.text[:start]) + lines + contents_of(snapshot.text[stop:])
    assert resolve(settled, snapshot, scope).edits.apply(snapshot.text) == text


@given(st.data())
@laws
def test_the_final_newline_stays_as_it_is(data):
    snapshot = data.draw(snapshots.filter(lambda snapshot: snapshot.num_lines))
    scope = data.draw(scopes(snapshot))
    ops = data.draw(some_line_ops(scope))
    text = render(settle(ops, snapshot, scope), snapshot, scope)
    lines = spell(ops, snapshot)
    if scope.stop < snapshot.num_lines or (lines and lines[-1]):
        assert (text[-1] in "\r\n") == (not snapshot.ends_open)


@given(st.data())
@laws
def test_copies_stay_copies(data):
    snapshot = data.draw(snapshots)
    scope = data.draw(scopes(snapshot))
    ops = data.draw(some_line_ops(scope))
    copied = [i for op in ops if isinstance(op, CopyLines) for i in range(op.start, op.stop)]
    settled = [
        i for op in settle(ops, snapshot, scope).ops if isinstance(op, CopyLines) for i in range(op.start, op.stop)
    ]
    is_open = snapshot.ends_open and scope.stop == snapshot.num_lines
    assert settled == copied or (is_open and settled == copied[:-1])


@given(st.data())
@laws
def test_to_copy_the_scope_changes_nothing(data):
    snapshot = data.draw(snapshots)
    scope = data.draw(scopes(snapshot))
    whole = [CopyLines(scope.start, scope.stop)] if len(scope) else []
    assert render(settle(whole, snapshot, scope), snapshot, scope) == snapshot.text


@pytest.mark.parametrize(
    ("text", "ops", "shown"),
    [
        # neighbours' terminators
        ("a\r\nb\r\n", "1 +x 2", "a\r\n[>x\r\n]b\r\n"),
        ("a\rb\r", "1 +x 2", "a\r[>x\r]b\r"),
        ("a\nb\r\nc\r", "1 +x 2-3", "a\n[>x\n]b\r\nc\r"),
        ("a\nb\r\nc\r", "1 +B 3", "a\n[b>B]\r\nc\r"),  # a line keeps its own when its content changes
        ("a\nb\r\nc\r", "1 +B,x 3", "a\n[b>B\r\nx]\r\nc\r"),
        ("a\r\nb\n", "+x 1-2", "[>x\r\n]a\r\nb\n"),
        # no final newline
        ("a\r\nb", "1-2 +c", "a\r\nb[>\r\nc]"),
        ("a\nb\r\nc", "1-3 +d,e", "a\nb\r\nc[>\r\nd\r\ne]"),
        ("b", "1 +c", "b[>\nc]"),
        ("a\nb", "1 +B", "a\n[b>B]"),
        ("a\nb", "+x 1-2", "[>x\n]a\nb"),
        ("a\nb", "1", "a[\nb>]"),  # the line that becomes the last one loses its terminator
        ("a\nb\nc\nd", "1-2", "a\nb[\nc\nd>]"),
        ("a\nb", "2 1", "[a\n>]b[>\na]"),
        ("a\nb", "1-2 +", "a\nb[>\n]"),  # a new empty last line: a final newline is asked for
        ("a\nb", "", "[a\nb>]"),
        # a final newline
        ("a\nb\n", "1-2 +c", "a\nb\n[>c\n]"),
        ("a\nb\n", "1", "a\n[b\n>]"),
        ("a\nb\n", "1 +B", "a\n[b>B]\n"),
        ("a\nb\n", "", "[a\nb\n>]"),
        # an empty document
        ("", "+x", "[>x\n]"),
        ("", "+x,,y", "[>x\n\ny\n]"),
        ("", "+", "[>\n]"),
        ("", "", ""),
        # lines that must not become one
        ("a\rb\n\n", "1 3", "a\r[b\n>\n]\n"),  # not cut inside the new CRLF
        ("\n\ra", "1-3 1-2", "\n\ra[>\r\n\n]"),
        ("a\rb\nc\rd\n\n", "1-3 5", "a\rb\nc\r[d\n>\n]\n"),
    ],
)
def test_settle_a_document(text, ops, shown):
    snapshot = Snapshot(text)
    settled = settle(line_ops(ops), snapshot, snapshot.all_lines)
    assert marked(text, resolve(settled, snapshot).edits) == shown


@pytest.mark.parametrize(
    ("text", "scope", "ops", "shown"),
    [
        ("a\nb\nc", (1, 2), "+x,y", "a\n[b>x\ny]\nc"),
        ("a\nb\nc", (0, 1), "1 +x", "a\n[>x\n]b\nc"),
        ("a\nb\nc\n", (1, 2), "", "a\n[b\n>]c\n"),
        ("a\r\nb\r\n", (1, 1), "+x", "a\r\n[>x\r\n]b\r\n"),
        ("a\r\nb", (2, 2), "+c", "a\r\nb[>\r\nc]"),  # behind an open last line
        ("a\nb\n", (2, 2), "+c", "a\nb\n[>c\n]"),
        ("a\nb", (1, 2), "", "a\n[b>]"),  # the line above is outside the scope and keeps its terminator
        ("a\rb\n\n", (0, 2), "1", "a\r[b\n>\n]\n"),  # kept apart from the line below the scope too
        ("a\rb\n\n", (1, 3), "3", "a\r[b\n>\n]\n"),
        ("a\r\nb", (1, 2), "+x,y", "a\r\n[b>x\r\ny]"),
    ],
)
def test_settle_a_scope(text, scope, ops, shown):
    snapshot, lines = Snapshot(text), LineRange(*scope)
    settled = settle(line_ops(ops), snapshot, lines)
    assert marked(text, resolve(settled, snapshot, lines).edits) == shown


def test_a_settled_program_is_short():
    snapshot = Snapshot("a\nb\nc\nd")
    assert settle(line_ops("1-2 +x +y 4"), snapshot, snapshot.all_lines) == program("1-2 +x\ny\n 4")
    assert settle(line_ops("1-3"), snapshot, snapshot.all_lines) == program("1-2 +c")
    assert settle([NewLines(())], snapshot, snapshot.all_lines) == Program()


@given(st.data())
@laws
def test_refine_states_the_same_lines(data):
    snapshot = data.draw(snapshots)
    scope = data.draw(scopes(snapshot))
    ops = data.draw(some_line_ops(scope))
    refined = refine(ops, snapshot, scope)
    assert spell(refined, snapshot) == spell(ops, snapshot)
    before, copied = copied_lines(ops), copied_lines(refined)
    remaining = iter(copied)
    assert all(i in remaining for i in before)  # every copy is still there, in order
    if before == sorted(set(before)):
        assert copied == sorted(set(copied))


@pytest.mark.parametrize(
    ("text", "ops", "refined"),
    [
        ("a\nb\nc\n", "+a,x,c", "1 +x 3"),
        ("a\nb\nc\n", "1 +c", "1 3"),
        ("a\nb\nc\nd\n", "1 +b,x,c 4", "1-2 +x 3-4"),
        ("a\nb\nc\n", "1 +a 2-3", "1 +a 2-3"),  # `a` is not in the gap
        ("a\nb\nc\n", "3 +b 1", "3 +b 1"),
        ("a\nb\n", "1 +b,b", "1-2 +b"),
        ("a\r\nb", "+a,b", "1-2"),
        ("a\n", "", ""),
        ("a\nb\n", "1 2", "1-2"),
    ],
)
def test_refine(text, ops, refined):
    snapshot = Snapshot(text)
    assert list(refine(line_ops(ops), snapshot, snapshot.all_lines)) == line_ops(refined)


def test_refine_looks_only_into_the_scope():
    assert refine(line_ops("+a,b,c"), Snapshot("a\nb\nc\n"), LineRange(1, 2)) == line_ops("+a 2 +c")


@pytest.mark.parametrize("function", [settle, refine])
def test_copies_outside_the_scope_are_refused(function):
    with pytest.raises(ProgramRangeError, match="lines 1-2, outside the scope 2-3"):
        function(line_ops("1-2"), Snapshot("a\nb\nc\n"), LineRange(1, 3))


def test_new_lines_have_no_terminators():
    assert NewLines.of("a\r\n\nb\x0cc\rd") == NewLines(("a", "", "b\x0cc", "d"))
    assert NewLines(("a\r", "", "\r", "b\rc", "d\r\n")).lines == ("a", "", "", "b", "c", "d")
