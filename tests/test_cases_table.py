"""CASES.md names tests that exist, and at least one for every case."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
ROWS = re.findall(r"^\| (\d+) \| [^|]+ \| ([^|]+) \|$", (HERE / "CASES.md").read_text(encoding="utf-8"), re.MULTILINE)


def names_in(path: Path) -> set[str]:
    """The names of a file's tests, as pytest writes them."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        found |= {f"{prefix}{it.name}" for it in inside if isinstance(it, ast.FunctionDef | ast.AsyncFunctionDef)}
    return found


def test_every_case_has_a_row() -> None:
    assert [int(number) for number, _ in ROWS] == [*range(1, 41)]


def test_every_named_test_exists() -> None:
    named = {number: re.findall(r"`([\w/]+\.py)::([\w:]+)`", cell) for number, cell in ROWS}
    missing = [
        f"case {number}: {file}::{name}"
        for number, tests in named.items()
        for file, name in tests
        if not (HERE / file).is_file() or name not in names_in(HERE / file)
    ]
    assert missing == []
    assert [number for number, tests in named.items() if not tests] == []
    assert all(cell.count("`") == 2 * len(named[number]) for number, cell in ROWS)
