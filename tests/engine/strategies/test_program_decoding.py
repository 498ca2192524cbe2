"""Program decoding: strict by construction, with a scripted model and with random weights."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.edits.text import LineRange, Snapshot
from copyspan.engine import EditRequest, EditResult, Engine, EngineSettings, LinesCopied, TextGenerated
from copyspan.errors import OutputRejected, OutputTruncated
from copyspan.testing import ScriptedModel
from tiny_lm import tiny_model

DOCUMENT = "".join(f"line {i}\n" for i in range(1, 13))


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
    answer: str, scope: LineRange | None = None, **wanted: object
) -> tuple[EditResult, ScriptedModel, list[object]]:
    model, events = ScriptedModel([answer]), list[object]()
    request = EditRequest(Snapshot(DOCUMENT), "remove some", scope, strategy="program")
    result = Engine(model, EngineSettings(**wanted)).edit(request, on_event=events.append)  # type: ignore[arg-type]
    return result, model, events


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
    assert sum(long.calls) - sum(short.calls) == len("line 5\nline 6\nline 7\nline 8\nline 9\n")


def test_reserved_literals_are_escaped_and_restored() -> None:
    result, *_ = decode(program((1, 2), "<\\gen>\n<\\\\copy\n"))
    assert result.best.text == "line 1\nline 2\n<gen>\n<\\copy\n"


def test_only_lines_of_the_scope_can_be_copied() -> None:
    result, *_ = decode(program((3, 4), "new\n"), scope=LineRange(2, 6))
    assert result.best.text == DOCUMENT.replace("line 5\nline 6\n", "new\n")


def test_an_endless_body_is_refused() -> None:
    with pytest.raises(OutputTruncated, match="limit 200"):
        decode(program("".join(f"{i * i}\n" for i in range(500))), max_new_tokens=200)


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
