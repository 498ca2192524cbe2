"""What a listener is told while an answer is written: answers begin anew, and hunks come as they are complete."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.edits.text import Snapshot
from copyspan.engine import (
    AnswerStarted,
    EditRequest,
    EditResult,
    Engine,
    EngineSettings,
    Event,
    HunkReady,
    LinesCopied,
    TextGenerated,
)
from copyspan.errors import OutputRejected
from copyspan.testing import ScriptedModel, fenced

DOCUMENT = "".join(f"line number {i} of the file\n" for i in range(1, 31))


def edit(document: str, *answers: str, candidates: int = 1) -> tuple[EditResult, list[Event]]:
    events: list[Event] = []
    engine = Engine(ScriptedModel([fenced(answer) for answer in answers]), EngineSettings(search_width=4))
    return engine.edit(EditRequest(Snapshot(document), "x", candidates=candidates), on_event=events.append), events


def last_answer(events: Sequence[Event]) -> list[Event]:
    start = max(i for i, event in enumerate(events) if isinstance(event, AnswerStarted))
    return list(events[start:])


def test_each_hunk_is_told_once_when_the_answer_has_left_it() -> None:
    after = DOCUMENT.replace("number 5 ", "NUMBER 5 ").replace("line number 20 of the file\n", "")
    result, events = edit(DOCUMENT, after)
    hunks = [event.hunk for event in events if isinstance(event, HunkReady)]
    assert tuple(hunks) == result.best.hunks
    assert len(hunks) == 2
    first = events.index(HunkReady(hunks[0]))
    assert not any(isinstance(event, LinesCopied) and 20 in event.lines for event in events[:first])


def test_a_hunk_at_the_end_comes_with_the_result_alone() -> None:
    result, events = edit(DOCUMENT, DOCUMENT + "one more\n")
    assert len(result.best.hunks) == 1
    assert not any(isinstance(event, HunkReady) for event in events)


def test_every_answer_of_a_search_begins_anew() -> None:
    others = [DOCUMENT.replace(f"number {i} ", f"NUMBER {i} ") for i in (9, 12, 15)]
    _, events = edit(DOCUMENT, DOCUMENT, *others)
    origins = [event.origin for event in events if isinstance(event, AnswerStarted)]
    assert origins[0] == "greedy"
    assert origins[1:] == ["departure"] * len(origins[1:])
    assert len(origins) > 2


def test_an_answer_that_is_made_to_go_on_begins_anew() -> None:
    short = DOCUMENT.replace("number 5 ", "NUMBER 5 ")[: DOCUMENT.index("line number 20 ")]
    result, events = edit(DOCUMENT, short, DOCUMENT.replace("number 5 ", "NUMBER 5 "))
    assert result.best.origin == "completed"
    assert [event.origin for event in events if isinstance(event, AnswerStarted)] == ["greedy", "completed"]
    told = last_answer(events)
    assert "".join(e.text for e in told if isinstance(e, TextGenerated)) == "line NUMBER 5 of the file\n"
    assert [e.hunk for e in told if isinstance(e, HunkReady)] == list(result.best.hunks)


line = st.sampled_from(["a", "b", "a b", "", "  c", "é😀", "x\ty", "}", *"defghijklmnop"])
terminator = st.sampled_from(["\n", "\n", "\r\n", "\r"])
documents = st.lists(st.tuples(line, terminator).map("".join), min_size=1, max_size=12).map("".join)
answers = st.lists(line, max_size=12).map(lambda lines: "".join(f"{text}\n" for text in lines))


@settings(max_examples=300, deadline=None)
@given(documents, answers, st.booleans())
def test_what_is_told_is_what_comes(document: str, answer: str, ends_open: bool) -> None:
    document = document.rstrip("\r\n") + "z" if ends_open else document
    try:
        result, events = edit(document, answer)
    except OutputRejected:
        return
    if result.best.origin != "greedy":
        return
    lines, written = document.split("\n"), answer.split("\n")
    if len(set(lines)) < len(lines) or len(set(written)) < len(written):  # equal lines may be aligned anew in the end
        return
    hunks = [event.hunk for event in events if isinstance(event, HunkReady)]
    assert tuple(hunks) == result.best.hunks[: len(hunks)]
