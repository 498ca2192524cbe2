"""Edits at an inference server, measured against one on the loopback. Counts are asserted, never times."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from byte_tokenizer import write_byte_tokenizer
from copyspan.bench.cases import Case
from copyspan.bench.load import LoadRecord, load_table
from copyspan.bench.results import read_results
from copyspan.bench.served import ServedRecord, measure, served_table
from copyspan.cli.app import app
from copyspan.engine import Engine
from copyspan.errors import ServerMisfit
from copyspan.models.served import Link, check_address, connect
from copyspan.testing import ByteTokenizer, ScriptedModel, fenced
from fake_server import FakeServer, status

BEFORE = "".join(f"line_{i} = {i}\n" for i in range(60))
AFTER = BEFORE.replace("line_7 ", "seven ")
CASE = Case("set", "1", BEFORE, AFTER, instruction="Rename line_7 to seven.", lang="python")


def renamed(prompt: str) -> list[str]:
    """What a model writes that renames as it is told."""
    found = re.search(
        r".*^```py\n(.*?)^```\n\n.*?[Rr]ename (?:the variable )?(\S+) to (\S+)\.", prompt, re.DOTALL | re.MULTILINE
    )
    if found is None:
        return [""]
    body, old, new = found.groups()
    return [fenced(re.sub(rf"\b{old}\b", new, body), "py")]


def test_a_second_edit_of_a_document_finds_it_kept():
    with FakeServer(renamed) as server:
        engine = Engine(connect(Link(check_address(server.url)), "scripted", ByteTokenizer(), context_size=100_000))
        record = measure(engine, CASE, ("verified", "search", "program"))
        salts = {body.get("cache_salt") for body in server.bodies}
    cold, warm = record.ways["verified"]
    assert cold.requests == warm.requests > 1
    assert cold.plain_requests > 10 * cold.requests
    assert warm.cached_tokens > cold.cached_tokens
    assert record.ways["search"][0].requests > cold.requests
    assert len(salts - {None}) == 3
    rows = {row[0]: row for row in served_table([record]).rows}
    assert set(rows) >= {"verified, cold", "verified, warm", "search, cold"}
    assert rows["verified, cold"][2] == str(cold.requests)


def test_what_was_said_before_does_not_make_an_edit_cheaper():
    with FakeServer(renamed) as server:
        engine = Engine(connect(Link(check_address(server.url)), "scripted", ByteTokenizer(), context_size=100_000))
        first, second = measure(engine, CASE, ("verified",)), measure(engine, CASE, ("verified",))
    assert first.ways["verified"][0].requests == second.ways["verified"][0].requests


def test_a_model_in_this_process_sends_no_requests():
    with pytest.raises(ServerMisfit, match="--server"):
        measure(Engine(ScriptedModel(renamed)), CASE, ("verified",))


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return str(write_byte_tokenizer(tmp_path / "scripted"))


def test_the_command_for_requests(model: str) -> None:
    row = {"id": "1", "before": BEFORE, "after": AFTER, "instruction": CASE.instruction, "lang": "python"}
    Path("set.jsonl").write_text(json.dumps(row) + "\n")
    with FakeServer(renamed) as server:
        arguments = ["bench", "served", "set.jsonl", "--server", server.url, "--model", model, "--way", "verified"]
        result = CliRunner().invoke(app, [*arguments, "--out", "."], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    header, [record] = read_results(Path("served-plain-scripted.jsonl"), ServedRecord)
    assert (header.model, header.options["server"]) == ("scripted", "vLLM 0.32.0")
    assert set(record.ways) == {"verified"}
    assert server.url not in Path("served-plain-scripted.jsonl").read_text()
    assert "verified, warm" in result.stdout


@pytest.mark.timeout(300)
def test_the_command_for_load(model: str) -> None:
    with FakeServer(renamed) as server:
        server.seconds = 0.05
        arguments = ["bench", "load", "--editors", "3", "--seconds", "3", "--server", server.url, "--model", model]
        result = CliRunner().invoke(app, [*arguments, "--out", "."], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    _, records = read_results(Path("load-scripted.jsonl"), LoadRecord)
    assert [record.case for record in records] == ["editor 0", "editor 1", "editor 2"]
    for record in records:
        assert record.edits
        assert (record.refused, record.lost, record.crossed) == ({}, 0, 0)
    [row] = load_table(records).rows
    assert row[0] == "3"
    assert row[1] == str(sum(len(record.edits) for record in records))


def test_a_failing_server_is_in_the_table(model: str) -> None:
    with FakeServer(renamed) as server:
        server.faults_for_edits = [lambda _: False] * 2 + [status(400, "no")] * 1000
        arguments = ["bench", "load", "--editors", "1", "--seconds", "1", "--server", server.url, "--model", model]
        CliRunner().invoke(app, [*arguments, "--out", "."], catch_exceptions=False)
    _, [record] = read_results(Path("load-scripted.jsonl"), LoadRecord)
    assert set(record.refused) == {"RequestRefused"}
