"""What counts as asking for lines to go away."""

import pytest

from copyspan.strategies.guard import asks_to_delete


@pytest.mark.parametrize(
    "instruction",
    [
        "Remove the unused import.",
        "delete everything after main",
        "The debug output should be removed.",
        "Get rid of the class",
        "clean up",
        "Simplify `parse_line`.",
        "Replace 'a' by 'b'",
        "Don't keep the comments: drop them.",
    ],
)
def test_verbs_by_which_lines_go(instruction: str) -> None:
    assert asks_to_delete(instruction)


@pytest.mark.parametrize(
    "instruction",
    [
        "Fix the bug.",
        "Rename the function discount to reduced.",
        "Rename get to remove_item.",
        "rename pop to removeLast",
        "Add a method named merged that returns both.",
        "Call `delete` before saving.",
        'Print "removed" at the end.',
        "Raise a ValueError in drop_all if the list is empty.",
    ],
)
def test_names_are_no_verbs(instruction: str) -> None:
    assert not asks_to_delete(instruction)
