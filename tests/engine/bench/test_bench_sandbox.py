"""Programs in a process of their own: verdicts, limits, and what the judge makes of them."""

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

import pytest
from bench_doubles import case

from copyspan.bench import sandbox
from copyspan.bench.judge import Judge
from copyspan.bench.sandbox import Limits, passes
from copyspan.errors import UsageError

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")


@pytest.mark.parametrize(
    ("program", "passed"),
    [
        ("assert 1 + 1 == 2", True),
        ("assert 1 + 1 == 3", False),
        ("import sys; sys.exit(3)", False),
        ("this is no Python", False),
        ("print('ü' * 100_000)", True),
        ("import sys; assert sys.stdin.read() == ''", True),
        ("x = bytearray(1 << 30)", False),
        ("s = '\ud800'", True),
    ],
)
def test_a_python_program_passes_or_fails(program, passed):
    assert passes(program, "python", Limits(seconds=20, megabytes=512)) is passed


@needs_node
@pytest.mark.parametrize(
    ("program", "passed"),
    [
        ("console.assert(1 + 1 === 2)", True),
        ("console.assert(1 + 1 === 3)", False),
        ("throw new Error('no')", False),
        ("const fs = require('fs')", True),
    ],
)
def test_a_javascript_program_passes_or_fails(program, passed):
    assert passes(program, "node", Limits(seconds=20)) is passed


def test_an_endless_loop_is_ended_with_all_that_it_started(tmp_path):
    mark = tmp_path / "pid"
    program = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(mark)!r}, 'w').write(str(child.pid))\n"
        "while True: pass\n"
    )
    assert not passes(program, "python", Limits(seconds=1.5))
    pid = int(mark.read_text())
    for _ in range(200):
        if not _is_running(pid):
            break
        time.sleep(0.02)
    assert not _is_running(pid)


def test_without_posix_or_node_it_says_so(monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: "/bin/sh" if name == "sh" else None)
    with pytest.raises(UsageError, match="node"):
        passes("", "node")
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="POSIX"):
        passes("", "python")


class Runner:
    """Passes texts that hold "good"."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    def __call__(self, program: str, runtime: str) -> bool:
        self.calls.append((program, runtime))
        return "good" in program


def test_a_judge_runs_equal_texts_once():
    runner = Runner()
    judge = Judge(case("bad", "good", lang="js", tests="check()"), True, runner)
    assert [judge.passed(text) for text in ("good", "bad", "bad", "good")] == [True, False, False, True]
    assert runner.calls == [("good\ncheck()", "node"), ("bad\ncheck()", "node")]
    assert judge.is_exact("good")
    assert not judge.is_exact("good\n")


@pytest.mark.parametrize(
    ("after", "lang", "tests", "runs"),
    [
        ("wrong", "python", "check()", True),  # tests that the reference fails say nothing
        ("good", "rust", "check()", True),
        ("good", "python", None, True),
        ("good", "python", "check()", False),
    ],
)
def test_no_verdict_without_tests_that_count(after, lang, tests, runs):
    judge = Judge(case("bad", after, lang=lang, tests=tests), runs, Runner())
    assert not judge.has_tests
    assert judge.passed("good") is None


def _is_running(pid: int) -> bool:
    """Whether the process still does something; one that has ended may wait for its parent."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    with suppress(OSError):
        os.kill(pid, 0)
        return not Path("/proc").exists()
    return False
