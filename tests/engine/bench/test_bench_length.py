"""Edits of documents that grow: how the documents are made, what is counted, and the table. No time is asserted."""

import re
from pathlib import Path

import pytest
from bench_doubles import case

from copyspan.bench.cases import Case
from copyspan.bench.length import LengthRecord, Plan, length_table, run
from copyspan.bench.long_documents import long_documents
from copyspan.bench.report_pages import Group, length_page
from copyspan.bench.results import Header, ResultFile, read_results
from copyspan.engine import Engine
from copyspan.errors import UsageError
from copyspan.models.protocol import Adapter
from copyspan.testing import ScriptedModel, fenced

LINES = 8


def short(number: int) -> Case:
    before = f"def f{number}():\n" + "    wrong = 1\n" * (LINES - 1)
    return case(before, before.replace("wrong", "right"), f"c{number}", instruction=f"Mend f{number}.", lang="python")


CASES = [short(number) for number in range(40)]
HEADER = Header.now("length", seed=0, model="scripted", options={"adapter": "none"}, argv=[])


@pytest.mark.parametrize("num_lines", [20, 100, 250])
def test_documents_have_the_length_that_was_asked_for(num_lines):
    documents = list(long_documents(CASES[:3], CASES[3:], num_lines))
    assert [edit.case for document in documents for edit in document.edits] == ["c0", "c1", "c2"]
    for document in documents:
        assert num_lines <= document.before.count("\n") < num_lines + 2 * (LINES + 2)


def test_only_what_is_edited_is_wrong_and_only_there_the_text_changes():
    [document] = long_documents(CASES[:3], CASES[3:], 250)
    assert re.findall(r"(f\d+)\(\):\n    wrong", document.before) == ["f0", "f1", "f2"]
    for edit, name in zip(document.edits, ("f0", "f1", "f2"), strict=True):
        before, after = (re.split(r"(?=def )", text) for text in (document.before, edit.after))
        changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        assert [(old.replace("wrong", "right"), old[4:6]) for old, _ in changed] == [(changed[0][1], name)]


def test_edited_parts_lie_apart():
    [document] = long_documents(CASES[:3], CASES[3:], 250)
    places = [document.before.index(f"f{number}()") / len(document.before) for number in range(3)]
    assert places == pytest.approx([1 / 6, 1 / 2, 5 / 6], abs=0.06)


def test_a_set_that_is_too_short_is_refused():
    with pytest.raises(UsageError, match="lines too short"):
        list(long_documents(CASES[:3], CASES[3:], 1000))


def mended(prompt: str) -> list[str]:
    """What a model writes that mends what it is told to, as a text or as a program."""
    name = re.findall(r"Mend (f\d+)\.", prompt)[-1] if "Mend" in prompt else None
    if "1|def" in prompt:
        lines = re.findall(r"^\d+\|(.*)$", prompt, re.MULTILINE)
        start = lines.index(f"def {name}():") + 1 if name else 0
        head = f'<copy lines="1-{start}"/>\n'
        body = "<gen>\n" + "    right = 1\n" * (LINES - 1) + "</gen>\n"
        return [f'<program>\n{head}{body}<copy lines="{start + LINES}-{len(lines)}"/>\n</program>']
    body = re.findall(r"^```py\n(.*?)^```\n", prompt, re.DOTALL | re.MULTILINE)[-1]
    return [fenced(re.sub(rf"(def {name}\(\):\n)((?:    wrong.*\n)+)", _right, body), "py")]


def _right(match: re.Match[str]) -> str:
    return match[1] + match[2].replace("wrong", "right")


def measured(path: Path, model: ScriptedModel, **changed) -> list[LengthRecord]:
    fields = {"lengths": (50, 200), "ways": ("verified", "program"), "name": "a.py", **changed}
    plan = Plan(edited=CASES[:2], others=CASES[2:], **fields)
    told = []
    with ResultFile(path, HEADER, LengthRecord, resume=True) as results:
        run(Engine(model), plan, results, lambda: told.append(1))
    assert len(told) == plan.num_records
    return read_results(path, LengthRecord)[1]


def spans_model(**options) -> ScriptedModel:
    return ScriptedModel(mended, adapter=Adapter("spans", splice=False), **options)


def test_a_document_is_read_once_and_edited_from_there(tmp_path):
    records = measured(tmp_path / "length.jsonl", spans_model(context_size=100_000))
    assert len(records) == 8
    assert all(record.exact and not record.fallback and record.error is None for record in records)
    for record in records:
        assert record.read_tokens < 300 < record.ahead_tokens  # the instruction and what comes after it
    by_key = {(record.wanted_lines, record.case, record.way): record for record in records}
    programs = [by_key[length, "c0", "program"].forwards for length in (50, 200)]
    rewritten = [by_key[length, "c0", "verified"].forwards for length in (50, 200)]
    assert abs(programs[1] - programs[0]) <= 8  # more digits in a number, in this double's tokens of a byte
    assert rewritten[1] > 2 * rewritten[0]


def test_what_is_there_is_not_measured_again(tmp_path):
    first = measured(tmp_path / "length.jsonl", spans_model(context_size=100_000), lengths=(50,))
    model = spans_model(context_size=100_000)
    again = measured(tmp_path / "length.jsonl", model, lengths=(50,))
    assert (again, model.calls) == (first, [])


def test_a_document_that_does_not_fit_is_a_record(tmp_path):
    records = measured(tmp_path / "length.jsonl", spans_model(context_size=4_000), ways=("verified",))
    found = {record.wanted_lines: (record.error, record.forwards) for record in records}
    assert found[50][0] is None
    assert found[200] == ("ContextTooLong", 0)
    rows = {row[0]: row for row in length_table(records).rows}
    assert [row[-1] for row in rows.values()] == ["0", "2"]


def test_the_report_has_a_table_and_two_plots(tmp_path):
    records = measured(tmp_path / "length.jsonl", spans_model(context_size=100_000))
    page = length_page(Group("length", HEADER, records))
    assert [row[1:3] for row in page.tables[0].rows] == [("program", "2"), ("verified", "2")] * 2
    assert set(page.plots) == {"seconds", "forwards"}
    failed = [record.model_copy(update={"error": "ContextTooLong"}) for record in records]
    assert not length_page(Group("length", HEADER, failed)).plots
