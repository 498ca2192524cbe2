"""Programs beside those of an oracle: which copies are right, and what went wrong."""

import pytest
from bench_models import answer, edit_record, way

from copyspan.bench.edit_records import ProgramRecord
from copyspan.bench.program_judge import Gap, gaps_of, judge_program
from copyspan.bench.program_tables import copy_table, failure_table
from copyspan.edits.program import CopyLines, Gen, Program
from copyspan.edits.text import LineRange, Snapshot

TEXT = Snapshot("".join(f"{letter}\n" for letter in "abcdefghij"))
RIGHT = TEXT.text.replace("c\n", "C\n").replace("h\n", "")
"""Line 3 written anew, line 8 gone."""


def program(*ops: tuple[int, int] | str) -> Program:
    return Program(tuple(Gen(op) if isinstance(op, str) else CopyLines(*op) for op in ops))


def judged(*ops: tuple[int, int] | str, after: str = RIGHT, scope: LineRange | None = None) -> ProgramRecord:
    return judge_program(program(*ops), TEXT, scope or TEXT.all_lines, after)


@pytest.mark.parametrize(
    ("ops", "gaps"),
    [
        ([(0, 10)], []),
        ([(0, 4), (4, 10)], []),
        ([(0, 4), "", (4, 10)], []),
        ([(0, 4), "new\n", (4, 10)], [(4, 4)]),
        (["new\n", (0, 10), "newer\n"], [(0, 0), (10, 10)]),
        ([(2, 5), "a\n", "b\n", (8, 10)], [(0, 2), (5, 8)]),
        (["all\n"], [(0, 10)]),
        ([], [(0, 10)]),
        ([(4, 10), (2, 10)], [(0, 4), (2, 10)]),
    ],
)
def test_gaps_lie_where_copying_does_not_go_on(ops, gaps):
    assert gaps_of(program(*ops).ops, 10) == [Gap(*gap) for gap in gaps]


@pytest.mark.parametrize(
    ("ops", "starts", "ends", "difference"),
    [
        ([(0, 2), "C\n", (3, 7), (8, 10)], 3, 3, "none"),
        ([(0, 2), "C\n", (3, 4), (4, 7), (8, 10)], 3, 3, "none"),
        ([(0, 2), "other\n", (3, 7), (8, 10)], 3, 3, "none"),
        ([(0, 2), "C\n", (3, 8), (9, 10)], 2, 2, "ends"),
        ([(0, 2), "C\nd\n", (4, 7), (8, 10)], 2, 3, "ends"),
        ([(0, 2), "C\n", (3, 10)], 2, 2, "missing"),
        ([(0, 2), "C\n", (3, 5), "new\n", (5, 7), (8, 10)], 3, 3, "elsewhere"),
        ([(0, 10)], 1, 1, "unchanged"),
        (["all\n"], 0, 0, "ends"),
    ],
)
def test_a_program_is_judged_by_its_places(ops, starts, ends, difference):
    assert judged(*ops) == ProgramRecord(copies=3, starts_right=starts, ends_right=ends, difference=difference)


def test_lines_outside_the_scope_stay_in_both():
    found = judged((1, 2), "C\n", (3, 7), (8, 9), scope=LineRange(1, 9))
    assert found == ProgramRecord(copies=3, starts_right=3, ends_right=3, difference="none")


def test_text_at_the_edges_has_its_places():
    after = "new\n" + TEXT.text
    assert judged("new\n", (0, 10), after=after).difference == "none"
    assert judged((0, 10), after=after).difference == "unchanged"
    assert judged((0, 10), "new\n", after=after).difference == "elsewhere"


def test_of_no_program_no_copy_is_right():
    found = judge_program(None, TEXT, TEXT.all_lines, RIGHT)
    assert found == ProgramRecord(copies=3, starts_right=0, ends_right=0, difference="fallback")


def record(case: str, exact: bool, starts: int, ends: int, difference: str):
    told = ProgramRecord(copies=2, starts_right=starts, ends_right=ends, difference=difference)
    return edit_record(case, 9, {"program": way(1.0, 5, answer(exact=exact)).model_copy(update={"program": told})})


def test_tables_count_copies_and_what_became_of_programs():
    records = [
        record("a", True, 2, 2, "none"),
        record("b", False, 2, 2, "none"),
        record("c", False, 1, 0, "ends"),
        record("d", True, 1, 1, "ends"),  # by a line that is there twice
        record("e", False, 0, 0, "fallback"),
        edit_record("f", 9, {"verified": way()}),
    ]
    [row] = copy_table(records).rows
    assert row[:3] == ("mine", "5", "10")
    assert [cell.split(" ")[0] for cell in row[3:]] == ["60.0", "50.0"]
    table = failure_table(records)
    assert dict(zip(table.headings, table.rows[0], strict=True)) == {
        "set": "mine",
        "n": "5",
        "exact": "2",
        "right places, other text": "1",
        "other ends": "1",
        "some places missed": "0",
        "elsewhere": "0",
        "nothing changed": "0",
        "fell back": "1",
    }


def test_the_first_of_several_programs_counts():
    told = record("a", True, 2, 2, "none").ways["program"]
    [row] = copy_table([edit_record("a", 9, {"program-search": told})]).rows
    assert row[:3] == ("mine", "1", "2")


def test_without_programs_there_are_no_tables():
    assert not copy_table([edit_record("f", 9, {"verified": way()})]).rows
    assert not failure_table([]).rows
