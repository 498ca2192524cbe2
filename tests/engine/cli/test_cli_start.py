"""The command line as a whole: what it is called, how fast it starts, and the real engine behind it."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from copyspan import __version__, errors
from copyspan.cli.app import app, main
from copyspan.cli.exit_codes import ExitCode, exit_code_of
from copyspan.engine import Engine
from copyspan.testing import ScriptedModel, fenced

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "args", [["--version"], ["--help"], ["edit", "--help"], ["models", "list"], ["bench", "--help"]]
)
def test_the_start_imports_no_torch(tmp_path, args):
    program = (
        "import sys\nfrom copyspan.cli.app import main\n"
        "try:\n    main()\nfinally:\n    print([name for name in HEAVY if name in sys.modules], file=sys.stderr)\n"
    ).replace("HEAVY", "('torch', 'transformers', 'numpy', 'huggingface_hub', 'tokenizers', 'gguf')")
    done = subprocess.run(
        [sys.executable, "-c", program, *args], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "[]")


def test_the_version():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"copyspan {__version__}\n")


def test_the_console_script_is_main():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts["copyspan"] == f"{main.__module__}:{main.__name__}"


def test_commands_and_options_are_these():
    group = typer.main.get_command(app)
    assert set(group.commands) == {"edit", "batch", "models", "doctor", "serve", "bench", "train"}
    serve = {name for parameter in group.commands["serve"].params for name in parameter.opts}
    assert serve == {"--tcp", "--ws", "--host", "--port"}
    options = {name for parameter in group.commands["edit"].params for name in parameter.opts if name[0] == "-"}
    assert options == {
        "--instruction",
        "--server",
        "--served-model",
        "--allow-plain-http",
        "-i",
        "--lines",
        "--candidates",
        "--strategy",
        "--name",
        "--diff",
        "--json",
        "--write",
        "-w",
        "--program",
        "--check",
        "--check-timeout",
        "--model",
        "--adapter",
        "--device",
        "--dtype",
    }


def test_the_exit_codes_are_these_and_in_the_help():
    assert {code.name: code.value for code in ExitCode} == {
        "CHANGED": 0,
        "UNCHANGED": 1,
        "USAGE": 2,
        "SOURCE": 3,
        "MODEL": 4,
        "CONTEXT": 5,
        "MEMORY": 6,
        "OUTPUT": 7,
        "CHECK": 8,
        "FAULT": 70,
        "CANCELLED": 130,
        "CLOSED": 141,
    }
    shown = CliRunner().invoke(app, ["edit", "--help"]).stdout
    assert all(f"{code.value} {code.meaning[:40]}" in shown for code in ExitCode)


def test_every_error_has_an_exit_code_of_its_kind():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind is not errors.CopyspanError]
    codes = {exit_code_of(kind(2, 1) if kind is errors.ContextTooLong else kind("words")) for kind in kinds}
    assert codes == {2, 3, 4, 5, 6, 7, 130}


@pytest.mark.parametrize("args", [["edit", "--nonsense"], ["nonsense"], ["edit"]])
def test_wrong_usage(args):
    assert CliRunner().invoke(app, args).exit_code == 2


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch):
    """The real engine over a model that answers from a script."""

    def install(*answers: str, **options: int) -> None:
        engine = Engine(ScriptedModel([fenced(answer, "py") for answer in answers], **options))
        monkeypatch.setattr(Engine, "load", lambda settings, progress: engine)

    return install


def test_the_real_engine_behind_it(scripted, tmp_path):
    file = tmp_path / "f.py"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree")
    scripted("one\n2\nthree\n")
    result = CliRunner().invoke(app, ["edit", str(file), "-i", "digits", "--write", "--program"])
    assert (result.exit_code, file.read_bytes()) == (0, b"\xef\xbb\xbfone\r\n2\r\nthree")
    assert "+1 -1 lines of 3 · copied 2 lines" in result.stderr
    assert '<copy lines="1-1"/>\n<gen>\n2\r\n</gen>\n<copy lines="3-3"/>\n' in result.stdout_bytes.decode()


def test_the_real_check_of_two_candidates(scripted, tmp_path):
    file = tmp_path / "f.py"
    file.write_text("x = 1\n")
    scripted("x = 1\n", "x = 3\n")
    result = CliRunner().invoke(app, ["edit", str(file), "-i", "3", "--check", f"grep -q 3 {file}"])
    assert (result.exit_code, file.read_text()) == (0, "x = 3\n")


def test_the_real_context_too_long(scripted, tmp_path):
    file = tmp_path / "f.py"
    file.write_text("x = 1\n" * 100)
    scripted("x = 2\n", context_size=500)
    result = CliRunner().invoke(app, ["edit", str(file), "-i", "3", "--write"])
    assert (result.exit_code, file.read_text()) == (5, "x = 1\n" * 100)
    assert "the model's context holds 500" in result.stderr


def test_the_real_answer_without_an_end(scripted, tmp_path, monkeypatch):
    file = tmp_path / "f.py"
    file.write_text("x = 1\n")
    engine = Engine(ScriptedModel(["x = 2\n"]))
    monkeypatch.setattr(Engine, "load", lambda settings, progress: engine)
    result = CliRunner().invoke(app, ["edit", str(file), "-i", "3", "--write"])
    assert (result.exit_code, file.read_text()) == (7, "x = 1\n")
