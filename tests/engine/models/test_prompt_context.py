"""What a prompt shows beside the lines to edit: lines above them, within a budget, in a block of their own."""

from copyspan.edits.text import LineRange, Snapshot
from copyspan.models.prompt import rewrite_prompt
from copyspan.testing import ByteTokenizer

DOCUMENT = Snapshot("".join(f"line {i}\n" for i in range(1, 61)))
REFERENCE = "for reference only"


def prompt(scope: LineRange, context_lines: int, document: Snapshot = DOCUMENT) -> str:
    ids = rewrite_prompt(ByteTokenizer(), document, scope, "do it", "a.py", context_lines).ids
    return bytes(token for token in ids if token < 256).decode()


def test_the_lines_above_stand_before_the_part() -> None:
    text = prompt(LineRange(30, 33), 3)
    assert (
        text.index(REFERENCE)
        < text.index("line 28\nline 29\nline 30\n```")
        < text.index("line 31\nline 32\nline 33\n```")
    )
    assert "line 27\n" not in text
    assert "line 34" not in text


def test_near_the_start_there_are_fewer() -> None:
    assert "```py\nline 1\nline 2\n```" in prompt(LineRange(2, 5), 20)


def test_without_any_the_part_stands_alone() -> None:
    assert REFERENCE not in prompt(LineRange(30, 33), 0)
    assert REFERENCE not in prompt(LineRange(0, 3), 20)
    assert REFERENCE not in prompt(DOCUMENT.all_lines, 20)


def test_blank_lines_above_are_no_context() -> None:
    assert REFERENCE not in prompt(LineRange(2, 3), 20, Snapshot("\n \nx = 1\ny = 2\n"))


def test_long_lines_use_the_budget_up() -> None:
    document = Snapshot("near\n" + "m" * 10_000 + "\n" + "a = 1\nb = 2\nc = 3\n")
    text = prompt(LineRange(3, 4), 20, document)
    assert "a = 1\n" in text
    assert "mmmm" not in text


def test_a_fence_above_makes_the_fences_longer() -> None:
    text = prompt(LineRange(2, 3), 20, Snapshot('"""\n```\nx = 1\n"""\n'))
    assert "````py\nx = 1\n````" in text
