"""What records of edits say: groups, ratios, accuracy, flips and shares of time."""

import pytest
from bench_models import answer, edit_record, flips, way

from copyspan.bench.edit_records import ProgramRecord
from copyspan.bench.edit_stats import bin_name, both, by_length, candidate_curves, mean_seconds
from copyspan.bench.edit_tables import (
    accuracy_table,
    candidate_table,
    doubt_table,
    flip_table,
    speed_table,
    tables,
    time_table,
)
from copyspan.bench.program_tables import failure_table

SAME, RIGHT, WRONG = answer(changed=False), answer(exact=True, passed=True), answer(passed=False)
RECORDS = [
    edit_record("a", 10, {"plain": way(8.0, 80), "lookup": way(4.0, 20), "verified": way(2.0, 8, RIGHT)}),
    edit_record("b", 60, {"plain": way(30.0, 300), "lookup": way(6.0, 40), "verified": way(3.0, 10, SAME)}),
    edit_record("c", 70, {"plain": way(9.0, error="OutputTruncated", is_complete=False), "verified": way(1.0, 5)}),
]


@pytest.mark.parametrize(
    ("num_lines", "name"), [(1, "1-25"), (25, "1-25"), (26, "26-50"), (400, "201-400"), (401, "over 400")]
)
def test_documents_are_grouped_by_length(num_lines, name):
    assert bin_name(num_lines) == name


def test_all_groups_come_in_order_and_all_together_last():
    assert list(by_length(reversed(RECORDS))) == ["1-25", "51-100", "all"]
    assert list(by_length(RECORDS[:1])) == ["1-25"]


def test_only_cases_count_that_both_ways_brought_to_an_end():
    rows = {row[:2]: row[2:] for row in speed_table(RECORDS, 0).rows}
    assert rows["all", "plain / verified"][0] == "2"
    assert rows["all", "plain / verified"][2:4] == ("19.00 / 2.50", "190 / 9")
    assert rows["all", "plain / verified"][5].startswith("7.60 [4.00, 10.00]")
    assert rows["1-25", "lookup / verified"][5].startswith("2.00")
    assert ("all", "plain / as shipped") not in rows


def test_as_shipped_a_search_follows_where_the_greedy_answer_is_of_no_use():
    search = way(9.0, 30, RIGHT)
    ways = {"plain": way(18.0, 90), "search": search}
    enough, same, refused = (ways | {"verified": way(2.0, 8, *found)} for found in ([RIGHT], [SAME], []))
    for found, seconds in ((enough, 2.0), (same, 9.0), (refused, 9.0)):
        [(_, shipped)] = both([edit_record("a", 9, found)], "plain", "as shipped")
        assert shipped.seconds == seconds


def test_accuracy_counts_failures_as_wrong():
    records = [
        edit_record("a", 9, {"verified": way(1.0, 5, RIGHT)}, has_tests=True),
        edit_record("b", 9, {"verified": way(1.0, 5, WRONG, RIGHT)}, has_tests=True),
        edit_record("c", 9, {"verified": way(1.0, 5, error="OutputRepeats", is_complete=False)}, has_tests=True),
        edit_record("d", 9, {"verified": way(1.0, 5, SAME)}),
    ]
    (row,) = accuracy_table(records).rows
    exact, tested, passed, unchanged, refused, why = row[3:]
    assert (row[:3], tested, why) == (("mine", "verified", "4"), "3", "OutputRepeats 1")
    assert [cell.split(" ")[0] for cell in (exact, passed, unchanged, refused)] == ["25.0", "33.3", "25.0", "25.0"]


def test_candidates_help_and_never_hurt():
    records = [
        edit_record("a", 9, {"search": way(1.0, 5, RIGHT)}, has_tests=True),
        edit_record("b", 9, {"search": way(1.0, 5, WRONG, WRONG, RIGHT)}, has_tests=True),
        edit_record("c", 9, {"search": way(1.0, 5)}),
        edit_record("d", 9, {"search": way(1.0, 5, SAME)}),
    ]
    curves = candidate_curves(records)
    assert [point.value for point in curves["mine", "exact"]] == [0.25, 0.25, 0.5]
    assert [point.value for point in curves["mine", "tests passed"]] == [0.5, 0.5, 1.0]
    assert candidate_table(records).headings == ("set", "", "k = 1", "k = 2", "k = 3")


def test_candidates_of_programs_are_told_apart():
    ways = {"search": way(1.0, 5, WRONG, RIGHT), "program-search": way(1.0, 5, RIGHT)}
    curves = candidate_curves([edit_record("a", 9, ways, has_tests=True)])
    assert [point.value for point in curves["mine", "tests passed"]] == [0.0, 1.0]
    assert [point.value for point in curves["mine", "tests passed, programs"]] == [1.0, 1.0]


def kinds(records, way):
    rows = [row for row in doubt_table(records).rows if row[1] == way]
    return {row[2]: (row[3], row[4].split()[0], row[5], row[6].split()[0], row[7]) for row in rows}


def test_programs_are_judged_by_what_they_say_of_themselves():
    doubtful, rewritten = (
        way(3.0, 5, WRONG).model_copy(update=told) for told in ({"is_doubtful": True}, {"fallback": "Odd."})
    )
    records = [
        edit_record(str(number), 9, {"program": found}, has_tests=True)
        for number, found in enumerate([way(1.0, 5, RIGHT), doubtful, rewritten])
    ]
    assert kinds(records, "program") == {
        "likely": ("1", "100.0", "1", "100.0", "1.0"),
        "doubtful": ("1", "0.0", "1", "0.0", "3.0"),
        "rewritten": ("1", "0.0", "1", "0.0", "3.0"),
    }


def test_what_rewriting_gives_in_the_place_of_a_program_is_not_the_programs():
    told = {"fallback": "Odd.", "program": ProgramRecord(copies=1, starts_right=0, ends_right=0, difference="fallback")}
    rewritten = way(3.0, 5, RIGHT).model_copy(update=told)
    records = [edit_record("a", 9, {"program": rewritten, "program-search": rewritten}, has_tests=True)]
    for row in accuracy_table(records).rows:
        exact, tested, passed, unchanged, refused, why = row[3:]
        assert (tested, why) == ("1", "rewritten 1")
        assert [cell.split(" ")[0] for cell in (exact, passed, unchanged, refused)] == ["0.0", "0.0", "0.0", "100.0"]
    assert failure_table(records).rows == (("mine", "1", "0", "0", "0", "0", "0", "0", "1"),)
    assert [point.value for point in candidate_curves(records)["mine", "tests passed, programs"]] == [0.0]


def test_an_ensemble_is_judged_by_what_it_says_of_itself():
    sure, doubtful = way(4.0, 5, RIGHT, SAME), way(9.0, 5, WRONG, SAME).model_copy(update={"is_doubtful": True})
    records = [
        edit_record("a", 9, {"ensemble": way(1.0, 5, RIGHT)}, has_tests=True),
        edit_record("b", 9, {"ensemble": way(3.0, 5, WRONG)}, has_tests=True),
        edit_record("c", 9, {"ensemble": sure}, has_tests=True),
        edit_record("d", 9, {"ensemble": doubtful}),
        edit_record("e", 9, {"ensemble": way(2.0, 5)}),
    ]
    assert kinds(records, "ensemble") == {
        "first answer": ("2", "50.0", "2", "50.0", "2.0"),
        "agreed": ("1", "100.0", "1", "100.0", "4.0"),
        "doubtful": ("1", "0.0", "0", "-", "9.0"),
    }


def test_flips_are_counted_with_their_gaps():
    records = [
        edit_record("a", 9, {}, flips=flips(lookup=0.25, verified=None)),
        edit_record("b", 9, {}, flips=flips(lookup=-0.75, verified=None)),
    ]
    assert flip_table(records).rows == (
        ("lookup", "2", "100", "2", "0.500", "0.750"),
        ("verified", "2", "100", "0", "-", "-"),
    )


def test_the_time_of_each_way_is_divided():
    rows = {row[:2]: row[2:] for row in time_table(RECORDS).rows}
    assert rows["all", "plain"] == ("2", "19.00", "25", "75", "0", "0")
    assert mean_seconds(RECORDS, "plain") == 19.0


def test_tables_without_rows_are_left_out():
    assert [table.title for table in tables(RECORDS, 0, has_answers=False)] == [
        "Speed (medians; x: ratio of sums, and median of ratios)",
        "Where the time goes",
    ]
    assert [table.title for table in tables(RECORDS, 0)][-1] == "Accuracy"
