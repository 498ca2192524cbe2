"""The command line with a model that an inference server runs, from end to end over the loopback."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from byte_tokenizer import write_byte_tokenizer
from copyspan.cli.app import app
from copyspan.testing import fenced
from fake_server import FakeServer, status

BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COPYSPAN_API_KEY", raising=False)
    monkeypatch.delenv("COPYSPAN_SERVER", raising=False)
    (tmp_path / "f.py").write_text(BEFORE)
    return str(write_byte_tokenizer(tmp_path / "scripted"))


def run(*args: str) -> Result:
    return CliRunner().invoke(app, args, catch_exceptions=False)


def test_an_edit(model: str) -> None:
    with FakeServer([fenced(AFTER, "py")]) as server:
        result = run("edit", "f.py", "-i", "change it", "--write", "--server", server.url, "--model", model)
    assert result.exit_code == 0, result.stderr
    assert Path("f.py").read_text() == AFTER
    assert "-two\n+2\n" in result.stdout


def test_a_server_by_the_environment_with_a_key_and_a_name_of_its_own(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPYSPAN_API_KEY", "SECRET")
    with FakeServer([fenced(AFTER, "py")], model="team-coder", root="/models/x", key="SECRET") as server:
        monkeypatch.setenv("COPYSPAN_SERVER", server.url)
        result = run("edit", "f.py", "-i", "change it", "--json", "--model", model, "--served-model", "team-coder")
    report = json.loads(result.stdout)
    assert (report["model"], report["device"], report["changed"]) == ("team-coder", f"127.0.0.1:{server.port}", True)
    assert "SECRET" not in result.stdout + result.stderr


def test_a_server_that_can_only_write_is_used_and_that_is_said(model: str) -> None:
    with FakeServer([fenced(AFTER, "py")], scores_prompts=False) as server:
        result = run("edit", "f.py", "-i", "change it", "--write", "--server", server.url, "--model", model)
    assert result.exit_code == 0, result.stderr
    assert "so that it writes everything anew" in " ".join(result.stderr.split())
    assert Path("f.py").read_text() == AFTER


def test_a_server_that_fails_leaves_the_file_as_it_was(model: str) -> None:
    with FakeServer([fenced(AFTER, "py")], key="SECRET") as server:
        result = run("edit", "f.py", "-i", "change it", "--write", "--server", server.url, "--model", model)
    assert result.exit_code == 4
    assert "COPYSPAN_API_KEY" in result.stderr
    assert Path("f.py").read_text() == BEFORE


def test_text_does_not_go_to_another_machine_without_encryption(model: str) -> None:
    result = run("edit", "f.py", "-i", "x", "--server", "http://llm.example.org", "--model", model)
    assert result.exit_code == 2
    assert "--allow-plain-http" in result.stderr


def test_the_doctor_says_where_text_goes_and_what_the_server_can_do(model: str) -> None:
    with FakeServer([""], context_size=4096) as server:
        result = run("doctor", "--server", server.url, "--model", model)
    assert result.exit_code == 0, result.stdout
    told = " ".join(result.stdout.split())
    assert f"127.0.0.1:{server.port}, vLLM 0.32.0: scripted, 4,096 tokens; keeps prefixes" in told
    assert "The text that is edited is sent there." in told


def test_the_doctor_says_what_is_wrong_with_a_server(model: str) -> None:
    with FakeServer([""]) as server:
        pass
    result = run("doctor", "--server", server.url, "--model", model)
    assert result.exit_code == 4
    assert "cannot be reached" in " ".join(result.stdout.split())


def test_a_batch_ends_where_the_server_does_and_goes_on_when_it_is_back(model: str) -> None:
    edits = [{"file": f"{number}.py", "instruction": "change it"} for number in range(6)]
    for edit in edits:
        Path(edit["file"]).write_text(BEFORE)
    Path("edits.jsonl").write_text("".join(json.dumps(edit) + "\n" for edit in edits))
    with FakeServer([fenced(AFTER, "py")]) as server:
        server.seconds = 0.02
        arguments = ("batch", "edits.jsonl", "--write", "--server", server.url, "--model", model, "--workers", "3")
        server.fails_after = 16
        broken = run(*arguments)
        assert broken.exit_code == 4
        server.fails_after = None
        whole = run(*arguments)
    assert whole.exit_code == 0, whole.stderr
    rows = [json.loads(line) for line in Path("edits.results.jsonl").read_text().splitlines()]
    assert sorted(row["id"] for row in rows) == list("123456")
    assert all(row["written"] for row in rows)
    assert {Path(edit["file"]).read_text() for edit in edits} == {AFTER}


def test_a_request_that_is_turned_down_is_one_edits_result(model: str) -> None:
    Path("edits.jsonl").write_text('{"file": "f.py", "instruction": "change it"}\n')
    with FakeServer([fenced(AFTER, "py")]) as server:
        server.faults_for_edits = [status(400, "too long for me")]
        result = run("batch", "edits.jsonl", "--server", server.url, "--model", model)
    assert result.exit_code == 1, result.stderr
    row = json.loads(Path("edits.results.jsonl").read_text())
    assert (row["error"], "too long for me" in row["message"]) == ("RequestRefused", True)
