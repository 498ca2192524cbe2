"""What counts as asking for lines to go away, and which programs look as if a span were wrong."""

import pytest

from copyspan.edits.lines import LineOp, NewLines
from copyspan.edits.program import CopyLines
from copyspan.edits.text import Snapshot
from copyspan.errors import OddProgram
from copyspan.strategies.guard import asks_to_delete, check_program


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


CODE = Snapshot(
    """\
class Basket:
    def total(self):
        return sum(self.prices)
        return sum(self.prices)

    def clear(self):
        self.prices = []
    }
    }
"""
)


def ops(*parts: tuple[int, int] | str) -> list[LineOp]:
    return [NewLines.of(part) if isinstance(part, str) else CopyLines(*part) for part in parts]


@pytest.mark.parametrize(
    "program",
    [
        ops((0, 1), (4, 9), "    def total(self):\n        return sum(self.prices)\n"),  # moved to the end
        ops((0, 1), (4, 9), "def total(self):\n    return sum(self.prices)\n"),  # and no method any more
        ops((0, 3), (4, 9)),  # there twice
        ops((0, 4), (5, 9)),  # an empty line
        ops((0, 5), "    def empty(self):\n", (6, 9)),
    ],
)
def test_lines_that_move_and_lines_that_are_there_twice_do_not_vanish(program: list[LineOp]) -> None:
    check_program(program, CODE, CODE.all_lines, "put it in order")


@pytest.mark.parametrize(
    ("program", "line"),
    [
        (ops((0, 2), (4, 9)), 3),  # one of two that are equal would have to stay
        (ops((0, 1), (4, 9), "    def total(self):\n"), 2),  # its body does not come with it
        (ops((0, 7), (8, 9)), 8),  # a brace is a brace
        (ops((0, 6), (7, 9)), 7),
    ],
)
def test_lines_that_vanish_are_odd(program: list[LineOp], line: int) -> None:
    with pytest.raises(OddProgram, match=f"leaves out line {line} "):
        check_program(program, CODE, CODE.all_lines, "put it in order")
    check_program(program, CODE, CODE.all_lines, "tidy up, remove what is not needed")
