"""The choice of a strategy where nobody has made one."""

import pytest

from copyspan.edits.text import Snapshot
from copyspan.engine import EditRequest, Engine
from copyspan.errors import ContextTooLong
from copyspan.models.protocol import Adapter
from copyspan.strategies.choice import Situation, choose
from copyspan.testing import ScriptedModel, fenced

TEXT = "".join(f"line {i}\n" for i in range(50))
PROGRAM = '<program>\n<copy lines="1-49"/>\n<gen>\nlast\n</gen>\n</program>\n'


@pytest.mark.parametrize(
    ("wish", "has_adapter", "fits", "chosen"),
    [
        ("auto", False, True, "verified"),
        ("auto", False, False, "verified"),
        ("auto", True, True, "verified"),
        ("auto", True, False, "program"),
        ("verified", True, False, "verified"),
        ("program", False, True, "program"),
    ],
)
def test_a_program_where_the_model_is_trained_to_and_rewriting_would_not_fit(wish, has_adapter, fits, chosen) -> None:
    assert choose(wish, Situation(has_adapter, 700, 500, 1200 if fits else 1199)) == chosen


def edit(context_size: int, adapter: Adapter | None) -> tuple[str, str]:
    def script(prompt: str) -> list[str]:
        return [PROGRAM] if "1|line 0" in prompt else [fenced(TEXT.replace("line 49", "last"), "py")]

    model = ScriptedModel(script, context_size=context_size, adapter=adapter)
    result = Engine(model).edit(EditRequest(Snapshot(TEXT), "Name the last line.", name="a.py"))
    assert result.best.text == TEXT.replace("line 49", "last")
    return result.strategy, result.best.origin


def test_a_document_that_is_too_long_to_be_rewritten_is_edited_by_a_program() -> None:
    adapter = Adapter("spans", splice=False)
    assert edit(100_000, adapter) == ("verified", "greedy")
    assert edit(1_100, adapter) == ("program", "program")
    with pytest.raises(ContextTooLong):
        edit(1_100, None)
