"""The unified diff: what `git apply` and `patch` make of it is the edited file, byte for byte."""

import shutil
import subprocess
from pathlib import Path

import pytest
from fake_engine import candidate
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copyspan.cli.diff import unified_diff
from copyspan.edits.edit import Edit, EditList
from copyspan.edits.text import Snapshot

TOOLS = {"git": ["git", "apply", "-"], "patch": ["patch", "-p1", "--binary", "--quiet", "--no-backup-if-mismatch"]}
LONG = "".join(f"line {i}\n" for i in range(40))

PAIRS = [
    ("a\nb\nc\n", "a\nB\nc\n"),
    ("a\nb\nc", "a\nb\nC"),
    ("a\nb\nc", "A\nb\nc"),
    ("a", "a\nb"),
    ("a\nb", "a"),
    ("a\n", "a"),
    ("a", "a\n"),
    ("a\n", "a\nb\n"),
    ("a\n", "b\na\n"),
    ("", "a\nb\n"),
    ("", "a"),
    ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"),
    ("a\r\nb\nc\r", "a\r\nB\nc\r"),
    ("a\rb\rc", "a\rB\rc"),
    ("a\r\nb\r\n", "a\nb\r\n"),
    ("\x0c\u2028x\x85\n", "\x0c\u2028y\x85\n"),
    ("-- a\n++ b\n@@ c\n", "-- a\n++ B\n@@ c\n"),
    ("\\ No newline at end of file\n", "\\ no newline\n"),
    (LONG, LONG.replace("line 3\n", "").replace("line 8\n", "8\n").replace("line 30\n", "line 30\nnew\n")),
    (LONG, LONG.replace("line 1\n", "1\n").replace("line 8\n", "8\n").replace("line 16\n", "16\n")),
    ("same\nsame\nsame\n", "same\nsame\nsame\nsame\n"),
    ("foo(a)\nfoo(b)\n", "foo(a)\nfoo(ab)\nfoo(b)\n"),
]


def applied(tool: str, folder: Path, name: str, before: str, diff: str) -> bytes:
    """The file after a program has applied the diff to it."""
    (folder / name).write_bytes(before.encode())
    subprocess.run(TOOLS[tool], cwd=folder, input=diff.encode(), check=True, capture_output=True)
    return (folder / name).read_bytes()


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_other_programs_apply_it(tmp_path, tool, before, after):
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool}")
    diff = unified_diff(before, candidate(Snapshot(before), after).edits, "f.txt")
    assert applied(tool, tmp_path, "f.txt", before, diff) == after.encode()


@pytest.mark.parametrize(
    "name", ["with space.txt", 'quo"te', "back\\slash", "tab\there", "new\nline", "ünïcode", "a/b"]
)
def test_any_file_name_is_applied(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    diff = unified_diff("a\n", EditList((Edit(0, 1, "b"),)), name)
    assert applied("git", tmp_path, name, "a\n", diff) == b"b\n"


def test_context_is_three_lines_and_close_changes_share_it():
    after = LONG.replace("line 10\n", "ten\n").replace("line 17\n", "seventeen\n").replace("line 25\n", "")
    diff = unified_diff(LONG, candidate(Snapshot(LONG), after).edits, "f")
    assert [line for line in diff.split("\n") if line.startswith("@@")] == ["@@ -8,14 +8,14 @@", "@@ -23,7 +23,6 @@"]


def test_an_edit_inside_a_line_shows_the_whole_line():
    assert unified_diff("one two\n", EditList((Edit(4, 7, "2"),)), "f").endswith("-one two\n+one 2\n")


def test_two_edits_of_one_line_are_one_change():
    edits = EditList((Edit(0, 1, "A"), Edit(2, 3, "C")))
    assert unified_diff("abc\n", edits, "f").endswith("@@ -1 +1 @@\n-abc\n+AbC\n")


def test_text_before_a_line_makes_it_another_line():
    assert unified_diff("a\nb\n", EditList((Edit(2, 2, "x"),)), "f").endswith("@@ -1,2 +1,2 @@\n a\n-b\n+xb\n")


def test_neighbouring_changes_are_one():
    edits = EditList((Edit(0, 1, "A"), Edit(2, 3, "B")))
    assert unified_diff("a\nb\n", edits, "f").endswith("@@ -1,2 +1,2 @@\n-a\n-b\n+A\n+B\n")


def test_edits_that_change_nothing_make_no_diff():
    assert unified_diff("a\nb\n", EditList((Edit(0, 1, "a"),)), "f") == ""
    assert unified_diff("a\n", EditList(), "f") == ""


TEXTS = st.text(st.sampled_from("ab\n\n\r"), max_size=24)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=TEXTS, cuts=st.lists(st.tuples(st.integers(0, 24), st.integers(0, 4), TEXTS), max_size=3))
def test_any_edits_are_applied_exactly(tmp_path, before, cuts):
    """Whatever the edits are, trimmed or not, `git apply` gets from the old text to the new."""
    edits, end = [], 0
    for start, length, text in sorted(cuts):
        if end <= start <= len(before):
            end = min(start + length, len(before))
            edits.append(Edit(start, end, text))
    listed = EditList(tuple(edits))
    diff = unified_diff(before, listed, "f")
    after = listed.apply(before)
    assert (diff == "") == (after == before)
    if diff:
        assert applied("git", tmp_path, "f", before, diff) == after.encode()
