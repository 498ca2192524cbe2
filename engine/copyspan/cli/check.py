"""Try candidates on the disk until a command passes with one of them in place. Knows no model."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from copyspan.cli.backup import on_trial
from copyspan.cli.exit_codes import Interrupted
from copyspan.cli.files import SourceFile, in_words
from copyspan.cli.signals import INTERRUPTS, Caught, catching
from copyspan.cli.terminal import say
from copyspan.engine import Candidate

_POLL = 0.05
_GRACE = 2.0
"""Seconds between two looks for a signal, and between asking a command to end and ending it."""
_STDERR = 2


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of the command, with the candidate of this index in place."""

    candidate: int
    exit_code: int | None
    """None where the command ran out of time; negative where a signal ended it."""
    seconds: float

    @property
    def passed(self) -> bool:
        return self.exit_code == 0

    @property
    def outcome(self) -> str:
        how = {0: "passed", None: "ran out of time"}.get(self.exit_code, f"failed with {self.exit_code}")
        return f"{how} after {self.seconds:.1f} s"


def try_candidates(
    source: SourceFile, candidates: Sequence[Candidate], command: str, timeout: float
) -> tuple[Attempt, ...]:
    """Put one candidate after the other into the file until the command passes; that one stays.

    Where none passes, on SIGINT, SIGTERM or SIGHUP (raises Interrupted), and on any error, the file is put back byte
    for byte, with its mode and time. What the command writes goes to standard error.
    """
    attempts: list[Attempt] = []
    stamp = int(source.info.st_mtime)
    with catching(INTERRUPTS) as interrupted, on_trial(source) as trial:
        for index, candidate in enumerate(candidates):
            data = source.document.encode(candidate.text)
            stamp = _later_second(stamp)
            trial.put(data, stamp * 10**9)
            attempt = _attempt(index, command, timeout, interrupted)
            say(f"Check of candidate {index + 1} of {len(candidates)}: {attempt.outcome}")
            attempts.append(attempt)
            if attempt.passed:
                _note_changes(source, data)
                trial.keeps = True
                break
    return tuple(attempts)


def _later_second(before: int) -> int:
    """The time for the next candidate, in whole seconds: no version of the file had it before.

    Caches such as Python's know a file by size and second: two candidates of one size, tried within a second, would be
    taken for each other, and the check would test the wrong one.
    """
    return max(int(time.time()), before + 1)


def _attempt(index: int, command: str, timeout: float, interrupted: Caught) -> Attempt:
    started = time.monotonic()
    code = _run(command, started + timeout, interrupted)
    if interrupted.signum is not None:
        raise Interrupted(interrupted.signum, "The check was interrupted; the file is as it was.")
    return Attempt(index, code, time.monotonic() - started)


def _run(command: str, deadline: float, interrupted: Callable[[], bool]) -> int | None:
    """The exit code of the command; None where it was ended because of the deadline or an interrupt."""
    # In a session of its own, so that Ctrl-C reaches the command through us, and all its children end with it.
    process = subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=_STDERR, start_new_session=True)
    try:
        while not interrupted() and time.monotonic() < deadline:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_POLL)
        return None
    finally:
        if process.returncode is None:
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask the command and its children to end, and end them."""
    if not hasattr(os, "killpg"):
        process.kill()
        process.wait()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _note_changes(source: SourceFile, data: bytes) -> None:
    with in_words(source.path, "read after the check"):
        if source.target.read_bytes() != data:
            say("The command changed the file itself; its version stays.")
