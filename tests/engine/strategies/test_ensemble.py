"""Rewriting and programs together: who proposes what, and in which order it comes out."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from copyspan.edits.text import Snapshot
from copyspan.engine import (
    AnswerStarted,
    EditRequest,
    EditResult,
    Engine,
    EngineSettings,
    Event,
    SearchStarted,
    TextGenerated,
)
from copyspan.errors import ContextTooLong, OutputRejected
from copyspan.models.protocol import Adapter
from copyspan.strategies import ensemble
from copyspan.strategies.context import Meter, Run
from copyspan.strategies.likelihood import log_likelihood
from copyspan.testing import ScriptedModel, fenced
from tiny_lm import tiny_model

NUM_LINES = 20
DOCUMENT = "".join(f"this is line {i} of the file\n" for i in range(1, NUM_LINES + 1))


def changed(i: int) -> str:
    return DOCUMENT.replace(f"line {i} ", f"LINE {i} ")


def program(i: int, text: str | None = None) -> str:
    """One that writes line i anew."""
    new = text if text is not None else changed(i).splitlines(keepends=True)[i - 1]
    return f'<program>\n<copy lines="1-{i - 1}"/>\n<gen>\n{new}</gen>\n<copy lines="{i + 1}-{NUM_LINES}"/>\n</program>'


class Asked:
    """An engine whose model answers prompts for rewriting and for programs by two scripts, and how it was asked."""

    def __init__(self, rewrites: Sequence[str], programs: Sequence[str], context_size: int = 100_000) -> None:
        def script(prompt: str) -> Sequence[str]:
            self.prompts.add("program" if "1|this" in prompt else "rewrite")
            return programs if "1|this" in prompt else [fenced(text, "py") for text in rewrites]

        self.prompts: set[str] = set()
        self.model = ScriptedModel(script, adapter=Adapter("spans", splice=False), context_size=context_size)
        self.engine = Engine(self.model, EngineSettings(search_width=3))
        self.events: list[Event] = []

    def edit(self, candidates: int = 1, instruction: str = "x") -> EditResult:
        self.request = EditRequest(
            Snapshot(DOCUMENT), instruction, name="a.py", strategy="ensemble", candidates=candidates
        )
        return self.engine.edit(self.request, on_event=self.events.append)


def texts(result: EditResult) -> list[str]:
    return [candidate.text for candidate in result.candidates]


def test_an_answer_that_changes_something_is_taken_at_its_word() -> None:
    asked = Asked([changed(5)], [program(9)])
    result = asked.edit()
    assert (texts(result), result.strategy, asked.prompts) == ([changed(5)], "ensemble", {"rewrite"})
    assert not result.is_doubtful


def test_of_what_a_search_finds_that_comes_first_which_a_program_finds_likely_too() -> None:
    rewrites = [DOCUMENT, changed(4), changed(8), changed(12)]
    alone = Asked(rewrites, [])
    verified = alone.engine.edit(EditRequest(Snapshot(DOCUMENT), "x", name="a.py", strategy="verified"))
    assert texts(verified)[0] == changed(4)
    together = Asked(rewrites, [program(8)]).edit()
    assert texts(together)[0] == changed(8)
    assert sorted(texts(together)) == sorted(texts(verified))
    assert texts(together)[-1] == DOCUMENT
    likely = [c.log_likelihood for c in together.candidates if c.changed]
    assert likely == sorted(likely, reverse=True)


def test_a_program_proposes_what_no_search_finds() -> None:
    asked = Asked([DOCUMENT, changed(4)], [program(15)])
    found = {candidate.text: candidate.origin for candidate in asked.edit().candidates}
    assert found == {changed(4): "departure", changed(15): "program", DOCUMENT: "greedy"}
    assert not asked.model.is_adapted


def test_where_both_agree_no_search_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensemble, "_AGREED", -200.0)
    asked = Asked([DOCUMENT, changed(4), changed(8)], [program(4)])
    result = asked.edit()
    assert (texts(result), result.searched, result.is_doubtful) == ([changed(4), DOCUMENT], 0, False)
    assert [event.total for event in asked.events if isinstance(event, SearchStarted)] == [1]
    more = asked.engine.search(asked.request, result)
    assert texts(more) == [changed(4), changed(8), DOCUMENT]
    monkeypatch.setattr(ensemble, "_AGREED", 0.0)
    doubtful = asked.edit()
    assert (texts(doubtful), doubtful.is_doubtful) == ([changed(4), changed(8), DOCUMENT], True)
    assert asked.engine.search(asked.request, doubtful).is_doubtful


def test_an_answer_that_changes_something_stays_the_first_of_several() -> None:
    result = Asked([changed(5), changed(9)], [program(9)]).edit(candidates=3)
    assert (texts(result), result.is_doubtful) == ([changed(5), changed(9)], False)


def without(i: int) -> str:
    return DOCUMENT.replace(f"this is line {i} of the file\n", "")


def test_an_answer_that_deletes_lines_unasked_is_judged_as_others_are() -> None:
    asked = Asked([without(5), changed(9)], [program(9)])
    result = asked.edit()
    assert (set(texts(result)), texts(result)[0], result.is_doubtful) == ({changed(9), without(5)}, changed(9), True)
    assert not asked.model.is_adapted
    assert texts(Asked([without(5)], [program(9)]).edit(instruction="delete line 5")) == [without(5)]
    assert texts(Asked([without(5)], ["<program>\n</program>"]).edit()) == [without(5)]


def test_an_odd_answer_that_a_program_finds_likely_is_not_searched_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensemble, "_AGREED", -300.0)
    asked = Asked([without(5), changed(9)], [program(9)])
    result = asked.edit()
    assert (asked.prompts, result.searched, result.is_doubtful) == ({"rewrite", "program"}, 0, False)
    assert set(texts(result)) == {without(5), changed(9)}


def test_where_rewriting_is_refused_a_program_stands_in() -> None:
    placeholder = "this is line 1 of the file\n# ... rest of the code\n"
    assert texts(Asked([placeholder], [program(9)]).edit()) == [changed(9)]
    with pytest.raises(OutputRejected, match="placeholder"):
        Asked([placeholder], ["<program>\n</program>"]).edit()


@pytest.mark.parametrize("written", ["<program>\n</program>", f'<program>\n<copy lines="1-{NUM_LINES}"/>\n</program>'])
def test_a_program_that_is_of_no_use_proposes_nothing(written: str) -> None:
    assert set(texts(Asked([DOCUMENT, changed(4)], [written]).edit())) == {DOCUMENT, changed(4)}


def test_where_a_programs_prompt_does_not_fit_the_order_is_that_of_rewriting() -> None:
    # Numbers are longer than such lines, and only a program's prompt has them.
    short = "".join(f"{i % 7}\n" for i in range(300))
    rewrites = [fenced(text, "py") for text in (short, "7" + short[1:], short[:-2] + "8\n")]
    request = EditRequest(Snapshot(short), "x", name="a.py", strategy="ensemble")
    with pytest.raises(ContextTooLong):
        Engine(ScriptedModel([], context_size=2_000)).edit(replace(request, strategy="program"))
    result = Engine(ScriptedModel(rewrites, context_size=2_000), EngineSettings(search_width=3)).edit(request)
    assert texts(result) == ["7" + short[1:], short[:-2] + "8\n", short]


def test_a_program_is_not_told_while_it_is_written() -> None:
    asked = Asked([DOCUMENT, changed(4)], [program(15)])
    asked.edit()
    assert {event.origin for event in asked.events if isinstance(event, AnswerStarted)} == {"greedy", "departure"}
    assert "LINE 15" not in "".join(event.text for event in asked.events if isinstance(event, TextGenerated))


def test_the_next_candidates_are_judged_too_and_the_program_comes_once() -> None:
    asked = Asked([changed(5), changed(8), changed(12)], [program(15)])
    first = asked.edit()
    assert texts(first) == [changed(5)]
    more = asked.engine.search(asked.request, first)
    assert set(texts(more)) == {changed(5), changed(8), changed(12), changed(15)}
    assert texts(more)[0] == changed(5)
    still = asked.engine.search(asked.request, more)
    assert sorted(texts(still)) == sorted(set(texts(still)))


def test_text_that_no_program_can_hold_is_judged_the_least_likely() -> None:
    odd = DOCUMENT.replace("line 4 ", "line \0 ")
    result = Asked([DOCUMENT, odd, changed(8)], [program(8)]).edit()
    assert texts(result) == [changed(8), odd, DOCUMENT]


@pytest.mark.parametrize("limit", [4, 64])
def test_the_likelihood_is_that_of_the_tokens_one_by_one(limit: int) -> None:
    model = tiny_model(seed=3)
    model.draft_limit = limit
    prompt, answer = [5, 6, 7, 8, 9], list(range(20, 60))
    run = Run(model, lambda: False, lambda _: None, Meter(), 100)
    whole = log_likelihood(run, prompt, answer)
    rest = log_likelihood(run, prompt, answer, [i >= 10 for i in range(40)])
    assert list(model.tokens) == [*prompt, *answer[:-1]]
    model.rollback(0)
    alone = []
    for before, token in zip([None, *answer], answer, strict=False):
        read = prompt if before is None else [before]
        alone += model.extend(read, named=[token]).named_logprob
    assert whole == pytest.approx(sum(alone), abs=1e-3)
    assert rest == pytest.approx(sum(alone[10:]), abs=1e-3)
