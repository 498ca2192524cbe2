"""Program decoding: strict by construction, with a scripted model and with random weights."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.edits.text import LineRange, Snapshot
from copyspan.engine import (
    AnswerStarted,
    EditRequest,
    EditResult,
    Engine,
    EngineSettings,
    Event,
    LinesCopied,
    TextGenerated,
)
from copyspan.errors import ContextTooLong, OutputRejected
from copyspan.models.protocol import Adapter
from copyspan.strategies import program as strategy
from copyspan.testing import ScriptedModel, fenced
from tiny_lm import tiny_model

DOCUMENT = "".join(f"line {i}\n" for i in range(1, 13)).replace("line 10", "the line 10")
REWRITTEN = DOCUMENT.replace("line 7", "LINE 7")


def program(*ops: tuple[int, int] | str) -> str:
    """The transcript of a program: a copy is followed by the lines that it takes over."""
    lines = DOCUMENT.splitlines(keepends=True)
    parts = []
    for op in ops:
        if isinstance(op, str):
            parts.append(f"<gen>\n{op}</gen>\n")
        else:
            parts.append(f'<copy lines="{op[0]}-{op[1]}"/>\n' + "".join(lines[op[0] - 1 : op[1]]))
    return "<program>\n" + "".join(parts) + "</program>"


def decode(
    *programs: str, scope: LineRange | None = None, instruction: str = "remove some", candidates: int = 1, **wanted: int
) -> tuple[EditResult, ScriptedModel, list[Event]]:
    """Asked for a program the model writes these; asked to rewrite, it writes the document with line 7 in capitals."""

    def script(prompt: str) -> Sequence[str]:
        return programs if "1|line 1" in prompt or "3|line 3" in prompt else [fenced(REWRITTEN)]

    model, events = ScriptedModel(script), list[Event]()
    request = EditRequest(Snapshot(DOCUMENT), instruction, scope, strategy="program", candidates=candidates)
    result = Engine(model, EngineSettings(**wanted)).edit(request, on_event=events.append)  # type: ignore[arg-type]
    return result, model, events


def texts(result: EditResult) -> list[str]:
    return [candidate.text for candidate in result.candidates]


def test_copies_and_new_text() -> None:
    result, _, events = decode(program((1, 4), "new\ntext\n", (6, 12)))
    assert result.best.text == DOCUMENT.replace("line 5\n", "new\ntext\n")
    assert [hunk.lines for hunk in result.best.hunks] == [LineRange(4, 5)]
    assert [e.lines for e in events if isinstance(e, LinesCopied)] == [LineRange(0, 4), LineRange(5, 12)]
    assert "".join(e.text for e in events if isinstance(e, TextGenerated)) == "new\ntext\n"
    assert (result.cost.copied_lines, result.cost.generated_lines) == (11, 2)


def test_a_copy_of_many_lines_costs_no_more_forwards_than_one_of_few() -> None:
    _, short, _ = decode(program((1, 4)))
    _, long, _ = decode(program((1, 9)))
    assert len(long.calls) == len(short.calls)
    assert len(long.tokens) - len(short.tokens) == len("line 5\nline 6\nline 7\nline 8\nline 9\n")


def test_reserved_literals_are_escaped_and_restored() -> None:
    result, *_ = decode(program((1, 2), "<\\gen>\n<\\\\copy\n"))
    assert result.best.text == "line 1\nline 2\n<gen>\n<\\copy\n"


def test_only_lines_of_the_scope_can_be_copied() -> None:
    result, *_ = decode(program((3, 4), "new\n"), scope=LineRange(2, 6))
    assert result.best.text == DOCUMENT.replace("line 5\nline 6\n", "new\n")


def test_an_endless_body_is_refused() -> None:
    result, *_ = decode(program("".join(f"{i * i}\n" for i in range(500))), max_new_tokens=200)
    assert result.fallback is not None
    assert "limit 200" in result.fallback
    assert (result.strategy, result.best.text) == ("verified", REWRITTEN)


@pytest.mark.parametrize(
    ("ops", "instruction", "says"),
    [
        (((1, 4), (6, 12)), "improve it", "leaves out line 5"),  # a line too few
        (((1, 9), "a line between\nthe line 10\n", (10, 12)), "improve it", "writes a line anew"),  # and one too many
        (((1, 4), "line 5\n", (5, 12)), "improve it", None),  # too short to tell
        (((1, 4), (6, 12)), "drop line 5", None),
        (((1, 4), "LINE 5\n", (6, 12)), "improve it", None),
    ],
)
def test_a_program_with_the_marks_of_a_wrong_span_gives_way_to_rewriting(
    ops: tuple[tuple[int, int] | str, ...], instruction: str, says: str | None
) -> None:
    result, *_ = decode(program(*ops), instruction=instruction)
    if says is None:
        assert (result.strategy, result.fallback) == ("program", None)
    else:
        assert result.strategy == "verified"
        assert result.fallback is not None
        assert says in result.fallback


def test_a_refused_program_stays_refused_where_rewriting_has_no_room() -> None:
    written = '<program>\n<copy lines="1-4"/>\n<copy lines="6-12"/>\n</program>'
    model = ScriptedModel([written], context_size=520, adapter=Adapter("numbers alone", splice=False))
    request = EditRequest(Snapshot(DOCUMENT), "improve it", strategy="program")
    with pytest.raises(OutputRejected, match="leaves out line 5"):
        Engine(model).edit(request)
    with pytest.raises(ContextTooLong):
        Engine(model).edit(replace(request, strategy="verified"))


OTHERS = [program((1, 4), "new\n", (6, 12)), program((1, 4), "new\n", (5, 12)), program((1, 3), "new\n", (6, 12))]


def test_other_candidates_are_other_spans() -> None:
    result, *_ = decode(*OTHERS, candidates=3)
    assert texts(result)[0] == DOCUMENT.replace("line 5\n", "new\n")
    assert {DOCUMENT.replace("line 5\n", "new\nline 5\n"), DOCUMENT.replace("line 4\nline 5\n", "new\n")} <= set(
        texts(result)
    )
    assert [c.origin for c in result.candidates] == ["program", *["departure"] * (len(result.candidates) - 1)]
    assert result.best.log_likelihood > max(c.log_likelihood for c in result.candidates[1:])


def test_a_program_that_changes_nothing_gives_way_to_a_departure() -> None:
    result, *_ = decode(program((1, 12)), program((1, 11), "new\n"))
    assert result.best.text == DOCUMENT.replace("line 12\n", "new\n")
    assert result.candidates[-1].text == DOCUMENT


def test_a_program_that_is_unlikely_is_doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "_SURE", -1000.0)
    assert not decode(OTHERS[0])[0].is_doubtful
    monkeypatch.setattr(strategy, "_SURE", 0.0)
    assert decode(OTHERS[0])[0].is_doubtful
    assert decode(program((1, 12)), program((1, 11), "new\n"))[0].is_doubtful
    unchanged = decode(program((1, 12)))[0]
    assert (unchanged.best.changed, unchanged.is_doubtful) == (False, False)
    fallen_back = decode(program((1, 4), (6, 12)), instruction="improve it")[0]
    assert (fallen_back.strategy, fallen_back.is_doubtful) == ("verified", False)


def test_a_departure_that_writes_on_and_on_is_given_up() -> None:
    """What is found by then counts, and nobody waits for the rest."""
    long = program((1, 4), "new\n" + "".join(f"{i * i}\n" for i in range(160)), (6, 12))
    result, *_ = decode(OTHERS[0], long, OTHERS[2], candidates=3)
    assert DOCUMENT.replace("line 4\nline 5\n", "new\n") in texts(result)
    assert not any("25281\n" in text for text in texts(result))
    assert decode(long)[0].best.text.count("\n") > 160


def test_the_search_goes_on_where_it_stopped() -> None:
    model = ScriptedModel(OTHERS)
    engine = Engine(model, EngineSettings(search_width=1))
    request = EditRequest(Snapshot(DOCUMENT), "remove some", strategy="program")
    result = engine.edit(request)
    assert len(result.candidates) == 1
    counts = []
    for _ in range(4):
        result = engine.search(request, result)
        counts.append(len(result.candidates))
    assert counts == [2, 3, 3, 3]
    assert len(set(texts(result))) == 3
    assert (result.strategy, result.searched) == ("program", 2)


def test_every_program_of_a_search_is_told_from_its_start() -> None:
    result, _, events = decode(*OTHERS, candidates=3)
    starts = [i for i, event in enumerate(events) if isinstance(event, AnswerStarted)]
    assert len(starts) > 2
    told = []
    for start, stop in zip(starts, [*starts[1:], len(events)], strict=True):
        lines = DOCUMENT.splitlines(keepends=True)
        text = ""
        for event in events[start:stop]:
            if isinstance(event, LinesCopied):
                text += "".join(lines[event.lines.start : event.lines.stop])
            elif isinstance(event, TextGenerated):
                text += event.text
        told.append(text)
    assert set(texts(result)) <= set(told)


TINY = tiny_model(seed=3)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.text("ab <>/\\é😀", max_size=6), max_size=14), st.integers(0, 3))
def test_whatever_weights_decode_is_a_valid_edit(lines: list[str], salt: int) -> None:
    document = "".join(line + "\n" for line in lines)
    engine = Engine(TINY, EngineSettings(max_new_tokens=150))
    request = EditRequest(Snapshot(document), f"change {salt}", name="x.py", strategy="program")
    try:
        best = engine.edit(request).best
    except OutputRejected:
        return
    assert best.edits.apply(document) == best.text
