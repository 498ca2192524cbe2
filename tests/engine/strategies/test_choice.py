"""The choice of a strategy where nobody has made one."""

import pytest

from copyspan.config import StrategyWish
from copyspan.edits.text import Snapshot
from copyspan.engine import EditRequest, Engine
from copyspan.errors import ContextTooLong
from copyspan.models.protocol import Adapter
from copyspan.strategies.choice import choose
from copyspan.testing import ScriptedModel, fenced

TEXT = "".join(f"line {i}\n" for i in range(50))
SPANS = Adapter("spans", splice=False)
PROGRAM = '<program>\n<copy lines="1-49"/>\n<gen>\nlast\n</gen>\n</program>\n'


@pytest.mark.parametrize(
    ("has_adapter", "is_served", "chosen"),
    [(False, False, "verified"), (False, True, "verified"), (True, False, "ensemble"), (True, True, "verified")],
)
def test_programs_are_for_models_that_are_trained_to_write_them(has_adapter, is_served, chosen) -> None:
    assert choose(has_adapter, is_served) == chosen


def engine(context_size: int, adapter: Adapter | None) -> Engine:
    def script(prompt: str) -> list[str]:
        return [PROGRAM] if "1|line 0" in prompt else [fenced(TEXT.replace("line 49", "last"), "py")]

    return Engine(ScriptedModel(script, context_size=context_size, adapter=adapter))


def request(wish: StrategyWish = "auto") -> EditRequest:
    return EditRequest(Snapshot(TEXT), "Name the last line.", name="a.py", strategy=wish)


def edit(context_size: int, adapter: Adapter | None, wish: StrategyWish = "auto") -> tuple[str, str]:
    result = engine(context_size, adapter).edit(request(wish))
    assert result.best.text == TEXT.replace("line 49", "last")
    return result.strategy, result.best.origin


@pytest.mark.parametrize("adapter", [None, SPANS])
def test_a_document_that_is_too_long_to_be_rewritten_is_no_case_for_a_program(adapter) -> None:
    assert edit(100_000, adapter) == ("ensemble" if adapter else "verified", "greedy")
    with pytest.raises(ContextTooLong, match="Select the lines to edit"):
        edit(1_100, adapter)
    assert edit(1_100, SPANS, "program") == ("program", "program")


def test_a_wish_is_followed() -> None:
    assert edit(100_000, SPANS, "program") == ("program", "program")
    with pytest.raises(ContextTooLong):
        edit(1_100, SPANS, "verified")


@pytest.mark.parametrize(("context_size", "wish"), [(100_000, "auto"), (1_100, "program"), (100_000, "program")])
def test_what_is_read_ahead_is_the_prompt_of_the_strategy_that_will_be_chosen(context_size, wish) -> None:
    work = engine(context_size, SPANS)
    work.warm(Snapshot(TEXT), "a.py", strategy=wish)
    cost = work.edit(request(wish)).cost
    assert cost.reused_tokens > len(TEXT) > cost.prompt_tokens
