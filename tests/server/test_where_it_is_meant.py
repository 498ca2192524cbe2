"""What a chosen code action asks the model for: the instruction, and the line that it is about."""

from types import SimpleNamespace

import pytest

from copyspan_lsp import protocol
from copyspan_lsp.documents import Documents
from copyspan_lsp.handlers.actions import ask_for

URI = "file:///a.py"


def instruction(text: str, line: int, kind: str = "comment", problem: str = "") -> str:
    documents = Documents()
    documents.open(URI, "python", 1, text)
    data = protocol.ActionData.model_validate(
        {
            "kind": kind,
            "textDocument": {"uri": URI, "version": 1},
            "position": {"line": line, "character": 0},
            "problem": problem,
        }
    )
    return ask_for(SimpleNamespace(documents=documents), data).instruction  # type: ignore[arg-type]  # all it needs


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("# ai: rename to b\ndef a(): pass\n", 0, "rename to b (here: `def a(): pass`)"),
        ("x = 1\n# ai: better\n\n\n    y = 2\n", 1, "better (here: `y = 2`)"),
        ("x = 1  # ai: make it 2\n", 0, "make it 2 (here: `x = 1`)"),
        ("x = 1\n# ai: add a test\n", 1, "add a test"),
        ("# ai: one\n# ai: two\nz\n", 1, "one\ntwo (here: `z`)"),
    ],
    ids=["above", "after blank lines", "beside code", "at the end", "several lines"],
)
def test_a_comment_is_about_the_code_that_it_stands_at(text: str, line: int, expected: str) -> None:
    assert instruction(text, line) == expected


def test_a_diagnostic_is_about_its_line() -> None:
    asked = instruction("import os\nx = undefined\n", 1, "diagnostic", "name 'undefined' is not defined")
    assert asked == "Fix this problem: name 'undefined' is not defined (here: `x = undefined`)"


def test_a_long_line_is_cut() -> None:
    assert len(instruction(f"# ai: shorten\n{'x' * 5000}\n", 0)) < 200
