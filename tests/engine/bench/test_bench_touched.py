"""What edits touch beside their references, and the table of it."""

import pytest
from bench_models import answer, edit_record, way

from copyspan.bench.place_tables import place_table
from copyspan.bench.touched import Touched, touched
from copyspan.edits.text import Snapshot

TEXT = Snapshot("".join(f"{letter}\n" for letter in "abcdefghij"))
AFTER = TEXT.text.replace("c\n", "C\n").replace("h\n", "")
"""Line 3 written anew, line 8 gone."""


@pytest.mark.parametrize(
    ("text", "difference", "lost"),
    [
        (AFTER, "none", 0),
        (TEXT.text, "unchanged", 0),
        (AFTER.replace("C\n", "see\n"), "none", 0),
        (AFTER.replace("d\n", ""), "ends", 1),
        (AFTER.replace("d\n", "D\n"), "ends", 0),
        (AFTER.replace("d\ne\n", "D\n"), "ends", 1),
        (AFTER.replace("f\n", ""), "elsewhere", 1),
        (AFTER.replace("f\n", "") + "  f\n", "elsewhere", 0),
        (TEXT.text.replace("h\n", ""), "missing", 0),
        ("", "ends", 8),
    ],
)
def test_lost_is_what_the_reference_keeps_and_nothing_stands_for(text, difference, lost):
    assert touched(TEXT, text, AFTER) == Touched(difference, lost)


def test_empty_lines_are_not_lost():
    snapshot = Snapshot("a\n\nb\n")
    assert touched(snapshot, "a\nb\n", "a\n\nB\n").lost_lines == 0


def test_the_table_counts_first_candidates():
    def judged(difference, lost, **fields):
        return answer(**fields).model_copy(update={"difference": difference, "lost_lines": lost})

    right, wrong = judged("none", 0, exact=True), judged("elsewhere", 2)
    refused = way(1.0, 5, right).model_copy(update={"fallback": "The program is odd."})
    records = [
        edit_record("a", 9, {"program": way(1.0, 5, right, wrong), "verified": way(1.0, 5, answer())}),
        edit_record("b", 9, {"program": way(1.0, 5, wrong)}),
        edit_record("c", 9, {"program": way(1.0, 5, judged("unchanged", 0, changed=False))}),
        edit_record("d", 9, {"program": refused}),
        edit_record("e", 9, {"program": way(1.0, 5, error="OutputTruncated", is_complete=False)}),
    ]
    (row,) = place_table(records).rows  # nothing is known of the places of verified copying here
    assert row[:3] == ("mine", "program", "5")
    assert [cell.split(" ")[0] for cell in row[3:]] == ["60.0", "40.0", "20.0", "40.0", "20.0"]
