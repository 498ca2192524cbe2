"""Guesses of what a program says next: they make programs cheaper, and nothing else."""

from collections.abc import Sequence
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.edits.align import align_lines
from copyspan.edits.program import format_program
from copyspan.edits.text import Snapshot
from copyspan.engine import EditRequest, EditResult, Engine, EngineSettings
from copyspan.errors import OutputRejected
from copyspan.models.protocol import Adapter, LanguageModel
from copyspan.strategies.program_draft import ProgramDrafter
from copyspan.testing import ScriptedModel
from tiny_lm import tiny_model

LINES = ["def f(x):", "    if x <gen> 1:", "        return x - 1", "", "    return 0"]
DRAFTER = ProgramDrafter(LINES, 11)
OPEN = "<program>\n"
COPY = '<copy lines="11-12"/>\n'


@pytest.mark.parametrize(
    ("written", "guess"),
    [
        (OPEN, ['<copy lines="11-']),
        (OPEN + "<c", ['opy lines="11-']),
        (OPEN + "<g", []),
        (OPEN + '<copy lines="12', []),
        (OPEN + '<copy lines="11-1', []),
        (OPEN + COPY, ["<gen>\n        return x - 1\n</gen>\n", '<copy lines="14-15"/>\n', "</program>"]),
        (OPEN + COPY + "<copy", [' lines="14-15"/>\n', "</program>"]),
        (OPEN + COPY + '<copy lines="15-', ['15"/>\n', "</program>"]),
        (OPEN + COPY + "</", []),
        (OPEN + '<copy lines="11-15"/>\n', ["</program>"]),
        (OPEN + "<gen>\n", ["def f(x):\n</gen>\n", '<copy lines="12-15"/>\n', "</program>"]),
        (OPEN + "<gen>\ndef f(", ["x):\n</gen>\n", '<copy lines="12-15"/>\n', "</program>"]),
        (OPEN + "<gen>\ndef g(", ["x):\n</gen>\n", '<copy lines="12-15"/>\n', "</program>"]),
        (OPEN + "<gen>\nclass", []),
        (OPEN + "<gen>\ndef g(x):\n", ["</gen>\n", '<copy lines="12-15"/>\n', "</program>"]),
        (OPEN + "<gen>\ndef f(x):\n", ["    if x <\\gen> 1:\n</gen>\n", '<copy lines="13-15"/>\n', "</program>"]),
        (OPEN + "<gen>\na\nb\n</", ["gen>\n", '<copy lines="13-15"/>\n', "</program>"]),
        (OPEN + "<gen>\na\nb\n</gen>\n", ['<copy lines="13-15"/>\n', "</program>"]),
        (OPEN + COPY + "<gen>\na\nb\n</gen>\n", ['<copy lines="15-15"/>\n', "</program>"]),
        (OPEN + COPY + "<gen>\na\nb\nc\n", ["</gen>\n", "</program>"]),
        (OPEN + COPY + "<gen>\na\nb\nc\nd", []),
        (OPEN + COPY + '<gen>\na\n</gen>\n<copy lines="13-', ['15"/>\n', "</program>"]),
    ],
)
def test_most_edits_change_lines_in_place(written: str, guess: list[str]) -> None:
    assert DRAFTER.guess(written) == guess


def test_where_there_is_no_line_little_is_guessed() -> None:
    assert ProgramDrafter([], 1).guess(OPEN + "<gen>\na") == []
    assert ProgramDrafter([], 1).guess(OPEN + "<gen>\na\n") == ["</gen>\n", "</program>"]


SPANS = Adapter("spans", splice=False)
DOCUMENT = "".join(f"    value_{i} = compute({i})\n" for i in range(1, 81))


def edited(model: LanguageModel, text: str, candidates: int = 1) -> EditResult | None:
    request = EditRequest(Snapshot(text), "remove some", name="a.py", strategy="program", candidates=candidates)
    try:
        return Engine(model, EngineSettings(max_new_tokens=150)).edit(request)
    except OutputRejected:
        return None


def with_and_without(model: LanguageModel, text: str, candidates: int = 1) -> tuple[EditResult | None, ...]:
    found = edited(model, text, candidates)
    model.rollback(0)
    with patch.object(ProgramDrafter, "guess", lambda *_: []):
        return found, edited(model, text, candidates)


def told(result: EditResult | None) -> object:
    if result is None:
        return None
    found = [(c.text, c.origin, c.copied_tokens, c.generated_tokens) for c in result.candidates]
    return found, result.strategy, result.searched, pytest.approx(result.best.log_likelihood, abs=1e-3)


def written(before: str, after: str) -> str:
    return format_program(align_lines(Snapshot(before), after)).rstrip("\n")


def test_a_changed_line_costs_a_handful_of_forwards() -> None:
    after = DOCUMENT.replace("compute(40)", "compute(41)")
    model = ScriptedModel([written(DOCUMENT, after)], adapter=SPANS, context_size=100_000)
    with_guesses, without = with_and_without(model, DOCUMENT)
    assert with_guesses is not None
    assert without is not None
    assert with_guesses.best.text == without.best.text == after
    tokens = without.cost.forwards
    assert with_guesses.cost.forwards < tokens / 2  # the prompt is read in a dozen
    assert told(with_guesses) == told(without)


_WORDS = st.lists(
    st.sampled_from(["a = 1\n", "b = 2\n", "    return x\n", "\n", "}\n", "x <gen>\n", "é\n"]), max_size=12
)


@settings(max_examples=60, deadline=None)
@given(_WORDS.map("".join), st.lists(_WORDS.map("".join), min_size=1, max_size=3), st.booleans(), st.integers(1, 3))
def test_a_guess_changes_no_program(before: str, afters: list[str], splice: bool, candidates: int) -> None:
    text = before + "end\n"
    scripts: Sequence[str] = [written(text, after + "end\n") for after in afters]
    model = ScriptedModel(scripts, adapter=Adapter("spans", splice=splice), context_size=100_000)
    with_guesses, without = with_and_without(model, text, candidates)
    assert told(with_guesses) == told(without)
    if with_guesses is not None and without is not None:
        assert with_guesses.cost.forwards <= without.cost.forwards


TINY = tiny_model(seed=5)


@settings(max_examples=12, deadline=None)
@given(_WORDS.map("".join), st.integers(0, 2))
def test_nor_does_it_with_real_scores(before: str, salt: int) -> None:
    with_guesses, without = with_and_without(TINY, before + f"end {salt}\n")
    assert told(with_guesses) == told(without)
