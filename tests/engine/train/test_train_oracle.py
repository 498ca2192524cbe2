"""Oracle programs of pairs: what a model should write, and which pairs are left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from train_doubles import edit_pair

from copyspan.edits.program import CopyLines, Gen, Program
from copyspan.train.oracle import NoProgram, oracle

lines = st.lists(st.sampled_from(["a", "b()", "  c", "", "<gen>", "ü"]), max_size=8)
newlines = st.sampled_from(["\n", "\r\n", "\r"])


@pytest.mark.parametrize(
    ("before", "after", "ops"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", (CopyLines(0, 1), Gen("B\n"), CopyLines(2, 3))),
        ("a\nb\n", "a\nb\n", (CopyLines(0, 2),)),
        ("\n\na\nb\n\n", "\n\na\nb\nc\n\n", (CopyLines(2, 4), Gen("c\n"))),
        ("a\r\nb\r\n", "a\r\nx\r\ny\r\nb\r\n", (CopyLines(0, 1), Gen("x\ny\n"), CopyLines(1, 2))),
        ("a\nb", "a\nb\nc", (CopyLines(0, 2), Gen("c\n"))),
        ("", "a\n", (Gen("a\n"),)),
        ("a\n", "", ()),
    ],
)
def test_programs(before, after, ops):
    assert oracle(edit_pair(before, after)).program == Program(ops)


@given(lines, lines, newlines)
def test_every_edit_between_lines_that_stay_has_a_program(olds, news, newline):
    before, after = (newline.join(["first", *part, "last", ""]) for part in (olds, news))
    found = oracle(edit_pair(before, after))
    copied = [line for op in found.program.ops if isinstance(op, CopyLines) for line in range(op.start, op.stop)]
    assert copied == sorted(set(copied))
    assert not any("\r" in op.text for op in found.program.ops if isinstance(op, Gen))
    assert (before == after) == (found.program.ops == (CopyLines(0, found.snapshot.num_lines),))


@pytest.mark.parametrize(
    ("before", "after", "instruction", "reason"),
    [
        ("a\n", "b\n", " ", "no instruction"),
        ("\na\n", "a\n", "remove it", "blank lines at the edges change"),
        ("a\nb", "a\nb\n", "remove it", "line ends that no program states"),
        ("a\r\nb\nc\n", "a\nb\nc\n", "remove it", "line ends that no program states"),
        ("a\n", "\0\n", "remove it", "new text with a NUL"),
        ("a\n" * 40, "a\n", "make it nicer", "refused by the engine (SweepingDeletion)"),
        ("a\n", "# ... existing code ...\n", "make it nicer", "refused by the engine (PlaceholderFound)"),
    ],
)
def test_pairs_without_a_program(before, after, instruction, reason):
    with pytest.raises(NoProgram) as caught:
        oracle(edit_pair(before, after, instruction))
    assert caught.value.reason == reason
