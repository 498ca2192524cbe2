import json
from dataclasses import replace
from random import Random

import pytest
from fuzz_editor import Buffer
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_edits import candidate_of
from scripted_edits import result_of as engine_result
from slow_positions import encodings, slow_lines, texts

from copyspan import errors
from copyspan.edits.edit import Edit, EditList
from copyspan.edits.lines import NewLines
from copyspan.edits.program import CopyLines
from copyspan.edits.resolve import hunks_of
from copyspan.edits.text import Snapshot
from copyspan_lsp import refusals
from copyspan_lsp.client import Client
from copyspan_lsp.convert import Converter, cost_of, error_of, lsp_edit_of, result_of
from copyspan_lsp.documents import Documents
from copyspan_lsp.editing import Outcome
from copyspan_lsp.jobs import Stopped
from copyspan_lsp.task import Ask, task_of

laws = settings(deadline=None, max_examples=250)
URI = "file:///a.py"
ANY = Client()


@st.composite
def edit_lists(draw, text: str):
    """Edits as they come to be converted: trimmed, or moved to another text, where they may cut a CRLF."""
    ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = zip(ends[::2], ends[1::2], strict=False)
    edits = EditList(tuple(Edit(start, stop, draw(texts)) for start, stop in pairs))
    return edits.trim(text) if draw(st.booleans()) else edits


def wire(text: str, edits: EditList, encoding: str, client: Client = ANY) -> list[dict]:
    return [it.to_wire() for it in Converter(Snapshot(text, 1), encoding, client).text_edits(edits.edits)]


def applied(text: str, edits: list[dict], encoding: str) -> str:
    """By an editor that insists on exact positions, and on edits in order and apart."""
    buffer = Buffer(Random(0), text, encoding)
    buffer.apply({"changes": {URI: edits}}, URI, encoding)
    return buffer.text


def literal(edits: list[dict]) -> list[str]:
    """ "1:2-1:4=x" replaces characters 2 and 3 of line 1 by x."""
    return [
        "-".join("{line}:{character}".format(**end) for end in it["range"].values()) + "=" + it["newText"]
        for it in edits
    ]


@given(st.data(), st.lists(texts, max_size=2).map("".join), encodings, st.booleans())
@laws
def test_an_editor_that_applies_the_edits_gets_what_they_make_of_the_text(data, text, encoding, counts_units):
    edits = data.draw(edit_lists(text))
    sent = wire(text, edits, encoding, Client(counts_units=counts_units))
    assert applied(text, sent, encoding) == edits.apply(text)


@given(st.data(), st.lists(texts, max_size=2).map("".join), encodings)
@laws
def test_a_client_that_may_count_otherwise_gets_whole_lines_where_it_matters(data, text, encoding):
    text += "\n"  # clients of this kind always send a final newline
    edits = data.draw(edit_lists(text)).trim(text)
    for edit in wire(text, edits, encoding, Client(counts_units=False)):
        (first, left), (last, right) = ((it["line"], it["character"]) for it in edit["range"].values())
        lines = slow_lines(text)
        touched = text[lines[first][0] : lines[last][1 if right else 0]]
        assert touched.isascii() or (left, right) == (0, 0)


@given(st.data(), texts.map(lambda text: "".join(c for c in text if c.isascii())), encodings)
@laws
def test_ascii_is_left_as_it_is(data, text, encoding):
    edits = data.draw(edit_lists(text)).trim(text)
    assert wire(text, edits, encoding, Client(counts_units=False)) == wire(text, edits, encoding)


@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-8", "1:6-1:7=y"), ("utf-16", "1:3-1:4=y"), ("utf-32", "1:2-1:3=y")]
)
def test_columns_are_counted_in_the_encoding(encoding, expected):
    assert literal(wire("a\r\nä😀x\r\n", EditList((Edit(5, 6, "y"),)), encoding)) == [expected]


@pytest.mark.parametrize(
    ("text", "edits", "expected"),
    [
        ("äx\nb\n", [Edit(1, 2, "y")], ["0:0-1:0=äy\n"]),
        ("äx\nbx\n", [Edit(1, 2, "y"), Edit(4, 5, "z")], ["0:0-1:0=äy\n", "1:1-1:2=z"]),
        ("äxbx\n", [Edit(1, 2, "y"), Edit(3, 4, "z")], ["0:0-1:0=äybz\n"]),
        ("äx\n", [Edit(0, 0, "n\n"), Edit(1, 2, "y")], ["0:0-1:0=n\näy\n"]),  # not two that begin at one place
        ("ä\n", [Edit(0, 0, "n\n")], ["0:0-0:0=n\n"]),
        ("a\nbä\n", [Edit(0, 3, "")], ["0:0-2:0=ä\n"]),
        ("bä", [Edit(0, 1, "c")], ["0:0-0:1=c"]),  # there is no line end to put in place
        ("a\rb\n", [Edit(2, 3, "c")], ["1:0-1:1=c"]),
    ],
)
def test_whole_lines(text, edits, expected):
    assert literal(wire(text, EditList(tuple(edits)), "utf-16", Client(counts_units=False))) == expected


@pytest.mark.parametrize(
    ("edit", "expected"),
    [(Edit(2, 3, "b"), "0:1-1:0=\rb"), (Edit(0, 2, "b"), "0:0-1:0=b\n"), (Edit(2, 2, "b"), "0:1-1:0=\rb\n")],
)
def test_no_edit_cuts_a_line_end(edit, expected):
    assert literal(wire("a\r\nc", EditList((edit,)), "utf-16")) == [expected]


def test_a_hunk_is_whole_lines_and_its_smallest_edits():
    snapshot = Snapshot("a\nb c\nd\n", 1)
    [hunk] = hunks_of(EditList((Edit(2, 3, "x"),)), snapshot)
    sent = Converter(snapshot, "utf-16", Client()).hunk(hunk).to_wire()
    assert (sent["oldText"], sent["newText"], literal(sent["edits"])) == ("b c\n", "x c\n", ["1:0-1:1=x"])
    assert sent["range"] == {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}}


# Results


def outcome(text: str = "a\nb\n", *ops, version: int = 4) -> Outcome:
    document = Documents().open(URI, "python", version, text)
    task = task_of(document, Ask(URI, "do it"), 300, 0)
    candidate = candidate_of(ops, task.request.snapshot, task.request.scope)
    return Outcome(
        "id",
        task,
        document.snapshot,
        candidate.edits,
        candidate.hunks,
        task.region,
        candidate,
        1,
        1,
        engine_result([candidate]),
    )


CHANGED = outcome("a\nb\n", CopyLines(0, 1), NewLines(("B",)))
UNCHANGED = outcome("a\nb\n", CopyLines(0, 2))


def test_a_client_that_takes_versions_gets_the_version():
    edit = result_of(CHANGED, "utf-16", Client(versioned_edits=True)).to_wire()["edit"]
    [changed] = edit["documentChanges"]
    assert changed["textDocument"] == {"uri": URI, "version": 4}
    assert literal(changed["edits"]) == ["1:0-1:1=B"]
    assert "changes" not in edit


def test_another_client_gets_the_edits_alone():
    edit = result_of(CHANGED, "utf-16", Client()).to_wire()["edit"]
    assert literal(edit["changes"][URI]) == ["1:0-1:1=B"]
    assert "documentChanges" not in edit


@pytest.mark.parametrize("is_versioned", [True, False])
def test_no_change_is_an_empty_edit_and_said_in_words(is_versioned):
    result = result_of(UNCHANGED, "utf-16", Client(versioned_edits=is_versioned))
    assert (result.edit, result.hunks, result.changed_lines, result.candidates) == ({}, (), 0, 1)
    assert "would change nothing in the whole document (2 lines)" in result.message


def test_a_result_is_json_and_can_be_had_as_the_protocol_s_type():
    result = result_of(CHANGED, "utf-16", Client(versioned_edits=True))
    sent = json.loads(json.dumps(result.to_wire()))
    assert sent["textDocument"] == {"uri": URI, "version": 4}
    assert sent["scope"] == {
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}},
        "kind": "document",
        "title": "the whole document (2 lines)",
    }
    assert (sent["candidate"], sent["changedLines"], sent["totalLines"], sent["origin"]) == (1, 1, 2, "program")
    assert lsp_edit_of(result).document_changes[0].edits[0].new_text == "B"


@pytest.mark.parametrize(
    ("forwards", "plain", "message"),
    [
        (10, 15, "1 of 2 lines changed"),
        (10, 80, "1 of 2 lines changed, 8 times fewer decode steps"),
        (0, 0, "1 of 2 lines changed"),
    ],
)
def test_what_was_saved_is_said_where_it_is_worth_saying(forwards, plain, message):
    cost = replace(CHANGED.result.cost, forwards=forwards, plain_forwards=plain)
    made = replace(CHANGED, result=replace(CHANGED.result, cost=cost))
    assert result_of(made, "utf-16", Client()).message == message


def test_a_doubtful_edit_is_said_to_be_one():
    made = replace(CHANGED, result=replace(CHANGED.result, is_doubtful=True))
    assert result_of(made, "utf-16", Client()).message == "1 of 2 lines changed; the model is not sure of it"


def test_the_cost_is_that_of_the_candidate_that_is_shown():
    best, shown = replace(CHANGED.candidate, copied_tokens=100), replace(CHANGED.candidate, generated_tokens=7)
    result = engine_result([best, shown])
    result = replace(result, cost=replace(result.cost, plain_forwards=103, seconds={"prompt": 0.25, "decode": 0.5}))
    cost = cost_of(replace(CHANGED, candidate=shown, result=result))
    assert (cost.copied_tokens, cost.generated_tokens, cost.plain_forwards, cost.seconds) == (0, 7, 10, 0.75)


# Errors


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (refusals.RequestCancelled("m"), -32800),
        (refusals.ContentModified("m"), -32801),
        (refusals.Superseded("m"), -32802),
        (refusals.NoMoreCandidates("m"), -32803),
        (errors.UsageError("m"), -32602),
        (errors.SourceError("m"), -32803),
        (errors.ModelMissing("m"), -32803),
        (errors.PlaceholderFound("m"), -32803),
        (errors.OutOfMemory("m"), -32803),
    ],
)
def test_errors_have_codes_and_names(error, code):
    answer = error_of(error)
    assert (answer.code, answer.message, answer.data) == (code, "m", {"kind": type(error).__name__})


@pytest.mark.parametrize(
    ("reason", "code"),
    [("cancelled", -32800), ("superseded", -32802), ("changed", -32801), ("closed", -32801), ("shutdown", -32800)],
)
def test_every_reason_to_stop_has_a_code(reason, code):
    assert error_of(refusals.refusal_of(Stopped(reason))).code == code
