"""What `copyspan edit` prints, writes and answers, apart from bad input."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from copyspan.config import DEFAULT_MODEL
from copyspan.edits.text import LineRange

BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"
DIFF = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "f.py"
    path.write_bytes(BEFORE.encode())
    return path


def test_without_a_terminal_it_shows_the_diff_and_writes_nothing(cli, file):
    result = cli(AFTER).edit(file)
    assert (result.exit_code, result.stdout) == (0, f"--- a/f.py\n+++ b/f.py\n{DIFF}")
    assert "Nothing was written. To write it: --write." in result.stderr
    assert file.read_text() == BEFORE


def test_the_cost_is_one_line_on_standard_error(cli, file):
    assert (
        "+1 -1 lines of 3 · copied 211 lines (2,140 tokens), wrote 4 lines (37 tokens) · 24 sequential forwards, "
        "plain decoding needs 2,190 (91x as many) · prompt 4.1 s, decode 3.0 s\n"
    ) in cli(AFTER).edit(file).stderr


def test_write(cli, file):
    result = cli(AFTER).edit(file, "--write")
    assert (result.exit_code, file.read_text()) == (0, AFTER)
    assert DIFF in result.stdout
    assert "Nothing was written" not in result.stderr


def test_diff_is_only_a_diff(cli, file):
    result = cli(AFTER).edit("f.py", "--diff")
    assert (result.exit_code, result.stdout) == (0, f"--- a/f.py\n+++ b/f.py\n{DIFF}")
    assert file.read_text() == BEFORE


def test_no_change_is_said_in_words_and_by_the_exit_code(cli, file):
    result = cli(BEFORE).edit(file, "--write")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "No change: the model copied every line." in result.stderr
    assert "--candidates" in result.stderr


def test_standard_input_to_standard_output(cli):
    engine = cli(AFTER)
    result = engine.edit("-", "--name", "f.py", stdin=BEFORE.encode())
    assert (result.exit_code, result.stdout_bytes) == (0, AFTER.encode())
    assert engine.engine.requests[0].name == "f.py"


def test_standard_input_comes_back_when_nothing_changes(cli):
    raw = b"\xef\xbb\xbfone\r\ntwo"
    result = cli("one\r\ntwo").edit("-", stdin=raw)
    assert (result.exit_code, result.stdout_bytes) == (1, raw)


def test_standard_input_keeps_mark_and_line_ends(cli):
    result = cli("one\r\n2").edit("-", stdin=b"\xef\xbb\xbfone\r\ntwo")
    assert result.stdout_bytes == b"\xef\xbb\xbfone\r\n2"


def test_standard_input_as_a_diff(cli):
    result = cli(AFTER).edit("-", "--diff", stdin=BEFORE.encode())
    assert result.stdout == f"--- a/stdin\n+++ b/stdin\n{DIFF}"


def test_the_program_is_shown_after_the_diff(cli, file):
    result = cli(AFTER).edit(file, "--program")
    program = '<program>\n<copy lines="1-1"/>\n<gen>\n2\n</gen>\n<copy lines="3-3"/>\n</program>\n'
    assert result.stdout.endswith(DIFF + program)


@pytest.mark.parametrize("form", ["--diff", "--json"])
def test_the_program_does_not_disturb_what_programs_read(cli, file, form):
    result = cli(AFTER).edit(file, form, "--program")
    assert result.stdout == cli(AFTER).edit(file, form).stdout
    assert "<program>\n" in result.stderr


def test_the_program_goes_beside_the_text_of_standard_input(cli):
    result = cli(AFTER).edit("-", "--program", stdin=BEFORE.encode())
    assert result.stdout == AFTER
    assert "<program>\n" in result.stderr


def test_json_says_everything(cli, file):
    result = cli(AFTER, "one\nthree\n").edit(file, "--json", "--candidates", 2)
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert list(report) == [
        "schema_version",
        "file",
        "changed",
        "written",
        "strategy",
        "model",
        "device",
        "dtype",
        "candidates",
        "cost",
        "check",
        "warnings",
    ]
    assert (report["schema_version"], report["file"], report["changed"], report["written"]) == (
        1,
        str(file),
        True,
        None,
    )
    assert report["candidates"][0] == {
        "changed": True,
        "origin": "greedy",
        "log_likelihood": -1.5,
        "edits": [{"start": 4, "stop": 7, "text": "2"}],
        "hunks": [{"line": 2, "num_lines": 1, "old": "two\n", "new": "2\n"}],
        "program": '<program>\n<copy lines="1-1"/>\n<gen>\n2\n</gen>\n<copy lines="3-3"/>\n</program>\n',
    }
    assert report["candidates"][1]["hunks"] == [{"line": 2, "num_lines": 1, "old": "two\n", "new": ""}]
    assert report["cost"]["plain_forwards"] == 2190
    assert file.read_text() == BEFORE


def test_json_names_an_insertion_by_the_line_after_it(cli, file):
    report = json.loads(cli("one\nnew\ntwo\nthree\n").edit(file, "--json").stdout)
    assert report["candidates"][0]["hunks"] == [{"line": 2, "num_lines": 0, "old": "", "new": "new\n"}]


def test_json_and_write(cli, file):
    report = json.loads(cli(AFTER).edit(file, "--json", "--write").stdout)
    assert (report["written"], file.read_text()) == (0, AFTER)


def test_json_of_no_change(cli, file):
    result = cli(BEFORE).edit(file, "--json")
    assert (result.exit_code, json.loads(result.stdout)["changed"]) == (1, False)


def test_fewer_candidates_than_asked_for_is_said(cli, file):
    result = cli(AFTER).edit(file, "--json", "--candidates", 3)
    warning = "3 candidates were asked for; the model had 1."
    assert (json.loads(result.stdout)["warnings"], f"Warning: {warning}" in result.stderr) == ([warning], True)


def test_a_strategy_that_stepped_in_is_said(cli, file, monkeypatch):
    engine = cli(AFTER)
    plain_edit = engine.engine.edit
    reason = "The program leaves out line 3."
    monkeypatch.setattr(engine.engine, "edit", lambda *a, **k: replace(plain_edit(*a, **k), fallback=reason))
    result = engine.edit(file, "--json", "--strategy", "program")
    assert json.loads(result.stdout)["warnings"] == [f"{reason} The lines were rewritten instead."]


def test_a_doubtful_edit_is_said_to_be_one(cli, file, monkeypatch):
    engine = cli(AFTER)
    plain_edit = engine.engine.edit
    monkeypatch.setattr(engine.engine, "edit", lambda *a, **k: replace(plain_edit(*a, **k), is_doubtful=True))
    result = engine.edit(file, "--json")
    [warning] = json.loads(result.stdout)["warnings"]
    assert "not sure of this edit" in warning


def test_lines_limit_the_scope(cli, file):
    engine = cli(AFTER)
    assert engine.edit(file, "--lines", "2-3").exit_code == 0
    assert engine.edit(file, "--lines", "2").exit_code == 0
    assert [request.scope for request in engine.engine.requests] == [LineRange(1, 3), LineRange(1, 2)]


def test_the_request_carries_the_options(cli, file):
    engine = cli(AFTER)
    engine.edit("f.py", "--candidates", 3, "--strategy", "program")
    (request,) = engine.engine.requests
    assert (request.instruction, request.name, request.strategy) == ("change it", "f.py", "program")
    assert (request.candidates, request.scope, request.snapshot.text) == (3, None, BEFORE)


def test_the_model_is_loaded_as_the_options_say(cli, file):
    engine = cli(AFTER)
    engine.edit(file, "--model", "some-model", "--adapter", "some/folder", "--device", "cpu", "--dtype", "float32")
    settings = engine.engine.settings
    assert (settings.model, settings.adapter, settings.device, settings.dtype) == (
        "some-model",
        "some/folder",
        "cpu",
        "float32",
    )
    engine.edit(file)
    assert (engine.engine.settings.model, engine.engine.settings.adapter) == (DEFAULT_MODEL, "auto")


def test_an_empty_file_can_be_filled(cli, tmp_path):
    path = tmp_path / "empty"
    path.touch()
    assert cli("hello\n").edit(path, "--write").exit_code == 0
    assert path.read_text() == "hello\n"
