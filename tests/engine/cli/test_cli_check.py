"""`--check`: the first candidate that passes stays, and otherwise the file is what it was, whatever happens."""

import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_engine import names, start

BEFORE = b"\xef\xbb\xbfzero\r\n"
FIRST, SECOND, THIRD = "first\r\n", "second\r\n", "third\r\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "f.txt"
    path.write_bytes(BEFORE)
    path.chmod(0o640)
    os.utime(path, ns=(10**18, 10**18 + 123_456_789))
    return path


def is_untouched(file: Path) -> bool:
    """Content, mode and time as the fixture made them, and nothing left beside the file."""
    info = file.stat()
    same = (file.read_bytes(), stat.S_IMODE(info.st_mode), info.st_mtime_ns) == (BEFORE, 0o640, 10**18 + 123_456_789)
    return same and names(file.parent) == [file.name]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)


def test_the_first_candidate_that_passes_stays(cli, file):
    result = cli(FIRST, SECOND, THIRD).edit(file, "--check", f"grep -q second {file}")
    assert (result.exit_code, file.read_bytes()) == (0, b"\xef\xbb\xbfsecond\r\n")
    assert "Check of candidate 1 of 3: failed with 1 after" in result.stderr
    assert "Check of candidate 2 of 3: passed after" in result.stderr
    assert "candidate 3" not in result.stderr
    assert "second" in result.stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert names(file.parent) == ["f.txt"]


def test_the_candidate_is_in_place_while_the_command_runs(cli, file, tmp_path):
    log = tmp_path / "log"
    cli(FIRST, SECOND).edit(file, "--check", f"cat {file} >> {log}; false")
    assert log.read_bytes() == b"\xef\xbb\xbffirst\r\n\xef\xbb\xbfsecond\r\n"


def test_where_none_passes_the_file_is_untouched(cli, file):
    result = cli(FIRST, SECOND).edit(file, "--check", "exit 7")
    assert (result.exit_code, result.stdout) == (8, "")
    assert "Check of candidate 2 of 2: failed with 7" in result.stderr
    assert "All 2 candidates fail the check; the file is as it was." in result.stderr
    assert is_untouched(file)


def test_it_asks_for_several_candidates_by_itself(cli, file):
    engine = cli(FIRST)
    engine.edit(file, "--check", "false")
    engine.edit(file, "--check", "false", "--candidates", 7)
    assert [request.candidates for request in engine.engine.requests] == [4, 7]


def test_a_candidate_that_changes_nothing_is_not_tried(cli, file, tmp_path):
    cli(FIRST, "zero\r\n").edit(file, "--check", f"echo x >> {tmp_path / 'log'}; false")
    assert (tmp_path / "log").read_text() == "x\n"


def test_no_change_runs_no_command(cli, file, tmp_path):
    result = cli("zero\r\n").edit(file, "--check", f"touch {tmp_path / 'log'}")
    assert (result.exit_code, is_untouched(file)) == (1, True)


@pytest.mark.parametrize(
    "damage",
    [
        "echo damage >> {file}",
        "chmod 777 {file}",
        "rm {file}",
        "mv {file} {file}.moved && rm {file}.moved && ln -s /etc/passwd {file}",
        "touch {file}",
        "rm {file}.copyspan-orig",
        "rm {file}.copyspan-orig; chmod 777 {file}",
        "rm {file} {file}.copyspan-orig; touch {file}; chmod 640 {file}",
        "kill -9 $$",
    ],
)
def test_a_command_that_does_damage_is_undone(cli, file, damage):
    command = damage.format(file=shlex.quote(str(file))) + "; false"
    assert cli(FIRST, SECOND).edit(file, "--check", command).exit_code == 8
    assert not file.is_symlink()
    assert is_untouched(file)


def test_what_a_passing_command_made_of_the_file_stays(cli, file):
    result = cli(FIRST).edit(file, "--check", f"echo formatted >> {file}")
    assert (result.exit_code, file.read_bytes()) == (0, b"\xef\xbb\xbffirst\r\nformatted\n")
    assert "The command changed the file itself; its version stays." in result.stderr


def test_a_passing_command_that_removed_the_file(cli, file):
    result = cli(FIRST).edit(file, "--check", f"rm {file}")
    assert (result.exit_code, is_untouched(file)) == (3, True)


def test_a_command_that_puts_a_folder_in_the_way_is_told_how_to_go_back(cli, file):
    result = cli(FIRST).edit(file, "--check", f"rm {file}; mkdir {file}; false")
    backup = file.with_name("f.txt.copyspan-orig")
    assert (result.exit_code, backup.read_bytes()) == (3, BEFORE)
    assert f"cp -p {backup} {file} && rm {backup}" in result.stderr


def test_hard_and_symbolic_links_survive(cli, file, tmp_path):
    os.link(file, tmp_path / "second")
    (tmp_path / "link").symlink_to("f.txt")
    cli(FIRST, SECOND).edit(tmp_path / "link", "--check", "false")
    assert (tmp_path / "second").read_bytes() == BEFORE
    assert file.samefile(tmp_path / "second")
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path) == ["f.txt", "link", "second"]


@pytest.mark.parametrize("trap", ["true", "trap '' TERM"])
def test_a_command_that_hangs_is_ended_with_its_children(cli, file, tmp_path, trap):
    command = f"({trap}; exec sleep 60) & echo $! > {tmp_path / 'child'}; wait"
    started = time.monotonic()
    result = cli(FIRST).edit(file, "--check", command, "--check-timeout", 0.3)
    assert time.monotonic() - started < 10
    assert (result.exit_code, "ran out of time after 0." in result.stderr) == (8, True)
    child = int((tmp_path / "child").read_text())
    (tmp_path / "child").unlink()
    wait_for(lambda: not _runs(child))
    assert is_untouched(file)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def test_candidates_of_one_size_within_a_second_are_told_apart(cli, tmp_path, monkeypatch):
    """Python takes a compiled module for current by the size and the second of its source."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setattr("copyspan.cli.check.time.time", lambda: module.stat().st_mtime)
    module = tmp_path / "rules.py"
    module.write_text("def f(): return 1\n")
    run = f"{shlex.quote(sys.executable)} -c 'import rules; raise SystemExit(rules.f() != 3)'"
    subprocess.run(run, shell=True, cwd=tmp_path, check=False)  # compiles the original
    answers = [f"def f(): return {i}\n" for i in (2, 3, 4)]
    result = cli(*answers).edit(module, "--check", f"cd {tmp_path} && {run}")
    assert (result.exit_code, module.read_text()) == (0, answers[1])
    result = cli(*answers).edit(module, "--check", f"cd {tmp_path} && ! {run} && false")
    assert (result.exit_code, module.read_text()) == (8, answers[1])
    assert subprocess.run(run, shell=True, cwd=tmp_path, check=False).returncode == 0


def test_a_file_that_changed_while_the_model_worked_is_left_alone(cli, file, tmp_path):
    engine = cli(FIRST)
    engine.engine.meanwhile = lambda: file.write_text("someone else\n")
    result = engine.edit(file, "--check", f"touch {tmp_path / 'ran'}")
    assert (result.exit_code, file.read_text()) == (3, "someone else\n")
    assert names(tmp_path) == ["f.txt"]


def test_what_is_left_of_a_check_that_was_killed_blocks_the_next(cli, file, tmp_path):
    command = f"echo $$ > {tmp_path / 'pid'}; mv {tmp_path / 'pid'} {tmp_path / 'on'}; exec sleep 60"
    process = start(["edit", file, "-i", "x", "--check", command], [FIRST])
    wait_for((tmp_path / "on").exists)
    process.kill()
    process.wait()
    os.kill(int((tmp_path / "on").read_text()), signal.SIGKILL)  # nobody is left to end it
    backup = file.with_name("f.txt.copyspan-orig")
    assert (file.read_bytes(), backup.read_bytes()) == (b"\xef\xbb\xbffirst\r\n", BEFORE)

    engine = cli(SECOND)
    result = engine.edit(file, "--check", "true")
    assert (result.exit_code, engine.engine.requests) == (3, [])
    assert file.read_bytes() == b"\xef\xbb\xbffirst\r\n"
    assert "Warning: " in engine.edit(file, "--diff").stderr
    assert json.loads(engine.edit(file, "--json").stdout)["warnings"]

    command = result.stderr.partition("To put it back: ")[2].partition(". To keep")[0]
    subprocess.run(command, shell=True, check=True)
    (tmp_path / "on").unlink()
    assert is_untouched(file)
    assert engine.edit(file, "--check", "true").exit_code == 0


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_puts_the_file_back(file, tmp_path, name):
    on, child = tmp_path / "on", tmp_path / "child"
    command = f"sleep 60 & echo $! > {child}; mv {child} {on}; wait"
    process = start(["edit", file, "-i", "x", "--check", command], [FIRST, SECOND], stderr=subprocess.PIPE)
    wait_for(on.exists)
    assert file.read_bytes() == b"\xef\xbb\xbffirst\r\n"
    process.send_signal(getattr(signal, name))
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 128 + getattr(signal, name)
    assert f"The check was interrupted; the file is as it was. ({name})".encode() in stderr
    pid = int(on.read_text())
    on.unlink()
    wait_for(lambda: not _runs(pid))
    assert is_untouched(file)


def test_many_signals_do_not_disturb_the_way_back(file, tmp_path):
    command = f"trap '' TERM; touch {tmp_path / 'on'}; sleep 60"
    process = start(["edit", file, "-i", "x", "--check", command], [FIRST], stderr=subprocess.DEVNULL)
    wait_for((tmp_path / "on").exists)
    while process.poll() is None:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            process.send_signal(getattr(signal, name))
        time.sleep(0.02)
        if not file.with_name("f.txt.copyspan-orig").exists():
            break
    process.wait(60)
    (tmp_path / "on").unlink()
    assert is_untouched(file)


def test_under_nohup_a_hangup_is_ignored(file, tmp_path):
    go = tmp_path / "go"
    command = f"touch {tmp_path / 'on'}; while [ ! -e {go} ]; do sleep 0.02; done"
    process = start(
        ["edit", file, "-i", "x", "--check", command],
        [FIRST],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    wait_for((tmp_path / "on").exists)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    go.touch()
    assert process.wait(60) == 0
    assert file.read_bytes() == b"\xef\xbb\xbffirst\r\n"


def test_what_the_command_writes_goes_to_standard_error(file):
    process = start(
        ["edit", file, "-i", "x", "--json", "--check", "echo out; echo err >&2"],
        [FIRST],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    stdout, stderr = process.communicate(timeout=60)
    report = json.loads(stdout)
    assert (report["written"], report["check"]["passed"], len(report["check"]["attempts"])) == (0, True, 1)
    assert b"out\n" in stderr
    assert b"err\n" in stderr


def test_the_command_does_not_eat_standard_input(file):
    process = start(["edit", file, "-i", "x", "--check", "! read line"], [FIRST], stdin=subprocess.PIPE)
    process.communicate(b"line\n", timeout=60)
    assert process.returncode == 0


def test_json_of_a_check_that_fails(cli, file):
    result = cli(FIRST, SECOND).edit(file, "--json", "--check", "exit 3")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["written"], report["check"]["passed"]) == (8, None, False)
    assert [(a["candidate"], a["exit_code"]) for a in report["check"]["attempts"]] == [(0, 3), (1, 3)]
