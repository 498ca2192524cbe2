"""Input that cannot be edited: refused in words, with an exit code of its kind, and the file untouched."""

import json
import os
import sys
from pathlib import Path

import pytest
from fake_engine import names
from typer.testing import CliRunner, Result

from copyspan.cli.app import app, main
from copyspan.engine import Engine
from copyspan.errors import (
    ContextTooLong,
    ModelMissing,
    OutOfMemory,
    OutputTruncated,
    PlaceholderFound,
    ProgramSyntaxError,
    WeightsCorrupted,
)

TEXT = "one\ntwo\n"


def run(*args: object) -> Result:
    """The command line with the engine's own loading."""
    return CliRunner().invoke(app, [str(arg) for arg in args], catch_exceptions=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "f.py"
    path.write_bytes(TEXT.encode())
    return path


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a\0b", "is binary (a NUL byte at offset 1)"),
        (b"\x7fELF\x02\x01\x01\0", "is binary"),
        (b"fine\ncaf\xe9\n", "is not UTF-8: byte 0xe9 at offset 8, line 2"),
        (b"\xef\xbb\xbfcaf\xe9", "is not UTF-8: byte 0xe9 at offset 6, line 1"),
        (b"\xed\xa0\x80", "is not UTF-8: byte 0xed at offset 0"),  # a surrogate
        ("é\n".encode("utf-16"), "is UTF-16"),
        (b"\xfe\xff\0a", "is UTF-16"),
        ("é\n".encode("utf-32"), "is UTF-32"),
    ],
)
def test_what_is_not_text_in_utf8(cli, file, content, words):
    file.write_bytes(content)
    result = cli("x\n").edit(file, "--write")
    assert result.exit_code == 3
    assert f"Error: {file} {words}" in result.stderr
    assert file.read_bytes() == content


def test_standard_input_that_is_not_text(cli):
    result = cli("x\n").edit("-", stdin=b"\xff")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "standard input is not UTF-8" in result.stderr


def test_a_huge_file(cli, file):
    with file.open("wb") as opened:
        opened.truncate(33 * 1024 * 1024)
    result = cli("x\n").edit(file)
    assert (result.exit_code, "more than 32 MB" in result.stderr) == (3, True)


def test_a_missing_file(cli, tmp_path):
    result = cli("x\n").edit(tmp_path / "none.py")
    assert result.exit_code == 3
    assert f"{tmp_path / 'none.py'} does not exist" in result.stderr


def test_a_folder(cli, tmp_path):
    result = cli("x\n").edit(tmp_path)
    assert (result.exit_code, "is a folder, not a file" in result.stderr) == (3, True)


def test_a_pipe_is_not_waited_for(cli, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    result = cli("x\n").edit(tmp_path / "pipe")
    assert (result.exit_code, "is a pipe, not a file. Use - to read standard input." in result.stderr) == (3, True)


def test_a_device(cli):
    assert "is a device, not a file" in cli("x\n").edit("/dev/zero").stderr


def test_a_link_to_itself_or_to_nothing(cli, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nothing")
    assert "cannot be read: Too many levels of symbolic links" in cli("x\n").edit(tmp_path / "loop").stderr
    assert "does not exist" in cli("x\n").edit(tmp_path / "gone").stderr


@pytest.mark.parametrize("lines", ["2-3", "3", "3-3", "1-99999999999"])
def test_lines_that_the_file_lacks(cli, file, lines):
    engine = cli("x\n")
    result = engine.edit(file, "--lines", lines)
    assert result.exit_code == 2
    assert "the document has 2 lines. Choose from 1-2." in result.stderr
    assert engine.engine.requests == []


@pytest.mark.parametrize("lines", ["0-1", "2-1", "a", "1-", "-2", "", "1-2-3", "1:2", "\u0661-\u0662"])
def test_what_is_no_range_of_lines(cli, file, lines):
    result = cli("x\n").edit(file, f"--lines={lines}")
    assert result.exit_code == 2
    assert "--lines" in result.stderr


def test_lines_of_an_empty_file(cli, file):
    file.write_bytes(b"")
    result = cli("x\n").edit(file, "--lines", "1-1")
    assert (result.exit_code, "the document is empty and has no lines" in result.stderr) == (2, True)


@pytest.mark.parametrize("instruction", ["", "  \n\t"])
def test_an_empty_instruction(cli, file, instruction):
    result = cli("x\n").run("edit", file, "-i", instruction)
    assert (result.exit_code, "The instruction is empty." in result.stderr) == (2, True)


def test_no_instruction(cli, file):
    assert cli("x\n").run("edit", file).exit_code == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--diff", "--json"], "both want standard output"),
        (["--diff", "--write"], "--diff writes nothing, so it does not go with --write"),
        (["--diff", "--check", "true"], "--diff writes nothing, so it does not go with --check"),
        (["--check", " "], "--check needs a command"),
        (["--candidates", "0"], "--candidates"),
        (["--strategy", "magic"], "--strategy"),
        (["--check", "true", "--check-timeout", "0"], "--check-timeout"),
    ],
)
def test_options_that_mean_nothing_together(cli, file, options, words):
    result = cli("x\n").edit(file, *options)
    assert (result.exit_code, file.read_text()) == (2, TEXT)
    assert words in result.stderr


@pytest.mark.parametrize(("option", "word"), [("--write", "--write"), ("--check=true", "--check")])
def test_standard_input_cannot_be_written_to(cli, option, word):
    result = cli("x\n").edit("-", option, stdin=b"a\n")
    assert (result.exit_code, f"{word} needs a file" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ContextTooLong(20_000, 16_384), 5),
        (OutOfMemory("cuda:0 ran out of memory (tried to allocate 2 GiB)."), 6),
        (OutputTruncated("The answer was cut after 4096 tokens."), 7),
        (PlaceholderFound("The model wrote a placeholder."), 7),
        (ProgramSyntaxError("Not an edit program."), 7),
    ],
)
@pytest.mark.parametrize("option", ["--write", "--diff", "--check=true"])
def test_what_goes_wrong_in_the_engine(cli, file, error, code, option):
    result = cli(error=error).edit(file, option)
    assert (result.exit_code, result.stdout, file.read_text()) == (code, "", TEXT)
    assert f"Error: {error}" in result.stderr.splitlines()[-1]
    assert names(file.parent) == ["f.py"]


def test_a_context_too_long_is_said_with_its_numbers(cli, file):
    stderr = cli(error=ContextTooLong(20_000, 16_384)).edit(file).stderr
    assert "20000" in stderr
    assert "16384" in stderr
    assert "--lines" in stderr


def test_memory_of_the_processor_runs_out(cli, file):
    result = cli(error=MemoryError()).edit(file, "--write")
    assert (result.exit_code, "out of memory" in result.stderr) == (6, True)


@pytest.mark.parametrize("error", [ModelMissing("It can be had by one command."), WeightsCorrupted("Bytes differ.")])
def test_no_model(cli, file, monkeypatch, error):
    def load(settings, progress=None):
        raise error

    engine = cli("x\n")
    monkeypatch.setattr(Engine, "load", load)
    result = engine.edit(file, "--write")
    assert (result.exit_code, result.stderr, file.read_text()) == (4, f"Error: {error}\n", TEXT)


def test_a_model_that_is_not_there_and_no_network(file, tmp_path, monkeypatch):
    monkeypatch.setenv("COPYSPAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    result = run("edit", file, "-i", "x", "--write", "--model", "someone/some-model")
    assert (result.exit_code, file.read_text()) == (4, TEXT)
    assert "someone/some-model" in result.stderr
    assert "HF_HUB_OFFLINE" in result.stderr


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_model_folder_without_one_of_its_files(file, tmp_path, missing):
    folder = tmp_path / "model"
    folder.mkdir()
    for name in {"config.json", "tokenizer.json", "model.safetensors"} - {missing}:
        (folder / name).write_text("{}")
    result = run("edit", file, "-i", "x", "--write", "--model", folder)
    assert (result.exit_code, file.read_text()) == (4, TEXT)
    assert missing in result.stderr


def test_an_error_is_json_where_json_was_asked_for(cli, file):
    result = cli(error=ContextTooLong(9, 8)).edit(file, "--json")
    assert result.exit_code == 5
    assert json.loads(result.stdout) == {
        "schema_version": 1,
        "error": "ContextTooLong",
        "message": str(ContextTooLong(9, 8)),
        "exit_code": 5,
    }


def test_a_fault_of_ours_is_never_taken_for_an_answer(monkeypatch, file, capsys):
    def load(settings, progress=None):
        raise ZeroDivisionError

    monkeypatch.setattr(Engine, "load", load)
    monkeypatch.setattr(sys, "argv", ["copyspan", "edit", str(file), "-i", "x", "--write"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 70
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert file.read_text() == TEXT
