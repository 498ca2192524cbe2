"""Engine.search: further candidates of an edit that is known. Engine.warm: the document's tokens ahead of time."""

import pytest

from copyspan.edits.text import LineRange, Snapshot
from copyspan.engine import EditRequest, Engine, EngineSettings
from copyspan.errors import Cancelled
from copyspan.testing import ScriptedModel, fenced

LINES = [f"line number {i} of the file\n" for i in range(1, 31)]
DOCUMENT = "".join(LINES)
REQUEST = EditRequest(Snapshot(DOCUMENT), "x")


def changed(i: int) -> str:
    return DOCUMENT.replace(f"number {i} ", f"NUMBER {i} ")


def engine_of(*answers: str, width: int = 2) -> Engine:
    return Engine(ScriptedModel([fenced(answer) for answer in answers]), EngineSettings(search_width=width))


class TestSearch:
    def test_it_finds_what_the_first_edit_did_not_look_for(self) -> None:
        engine = engine_of(changed(5), DOCUMENT, changed(9))
        first = engine.edit(REQUEST)
        assert [c.text for c in first.candidates] == [changed(5)]
        more = engine.search(REQUEST, first)
        assert [c.text for c in more.candidates] == [changed(5), changed(9)]

    def test_it_goes_on_where_the_last_search_stopped(self) -> None:
        # Of the double's departures the likeliest comes first: that of the first answer.
        engine = engine_of(DOCUMENT, *(changed(i) for i in (4, 8, 12, 16, 20)))
        result = engine.edit(REQUEST)
        assert result.searched == 2
        seen = [len(result.candidates)]
        while len(result.candidates) < 6 and result.searched < 20:
            result = engine.search(REQUEST, result)
            seen.append(len(result.candidates))
        texts = [c.text for c in result.candidates]
        assert sorted(texts[:-1]) == sorted(changed(i) for i in (4, 8, 12, 16, 20))
        assert texts[-1] == DOCUMENT
        assert not result.candidates[-1].changed
        assert seen == sorted(seen)

    def test_known_candidates_keep_their_places(self) -> None:
        engine = engine_of(DOCUMENT, changed(4), changed(8), changed(12))
        first = engine.edit(REQUEST)
        more = engine.search(REQUEST, first)
        kept = [c for c in first.candidates if c.changed]
        assert list(more.candidates[: len(kept)]) == kept

    def test_where_nothing_new_is_found_the_candidates_are_the_same(self) -> None:
        engine = engine_of(changed(5))
        first = engine.edit(REQUEST)
        more = engine.search(REQUEST, first)
        assert more.candidates == first.candidates
        assert more.searched > first.searched

    def test_another_document_in_between_changes_nothing(self) -> None:
        engine = engine_of(changed(5), DOCUMENT, changed(9))
        first = engine.edit(REQUEST)
        expected = engine.search(REQUEST, first).candidates
        engine.warm(Snapshot("something else\n" * 20))
        assert engine.search(REQUEST, first).candidates == expected

    def test_inside_a_scope_only_its_lines_count(self) -> None:
        scope = LineRange(3, 9)
        body = "".join(LINES[3:9])
        answers = [body, body.replace("number 5 ", "NUMBER 5 ")]
        engine = engine_of(*answers)
        request = EditRequest(Snapshot(DOCUMENT), "x", scope)
        result = engine.search(request, engine.edit(request))
        assert [c.text for c in result.candidates] == [changed(5), DOCUMENT]


class TestWarm:
    def test_the_edit_after_it_reads_the_instruction_alone(self) -> None:
        cold, warm = engine_of(changed(5)), engine_of(changed(5))
        warm.warm(REQUEST.snapshot)
        expected, result = cold.edit(REQUEST), warm.edit(REQUEST)
        assert result.best.text == expected.best.text
        assert result.cost.reused_tokens > len(DOCUMENT)
        assert result.cost.prompt_tokens < expected.cost.prompt_tokens - len(DOCUMENT)

    def test_what_is_warm_is_not_read_again(self) -> None:
        engine = engine_of(changed(5))
        engine.warm(REQUEST.snapshot)
        model = engine.model
        assert isinstance(model, ScriptedModel)
        calls = len(model.calls)
        engine.warm(REQUEST.snapshot)
        assert len(model.calls) == calls

    def test_it_is_given_up_between_any_two_forwards(self) -> None:
        engine = engine_of(changed(5))
        model = engine.model
        assert isinstance(model, ScriptedModel)
        with pytest.raises(Cancelled):
            engine.warm(REQUEST.snapshot, cancelled=lambda: len(model.calls) >= 2)
        assert len(model.calls) == 2
        assert engine.edit(REQUEST).best.text == changed(5)
