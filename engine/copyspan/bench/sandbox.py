"""Runs a program in a process of its own, with limits on time and memory. Knows no edits and no tests.

The limits keep an endless loop or a huge list from harming the run. They are no jail: the program runs with the rights
of the person who started the benchmark, and may use files and network.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from copyspan.errors import UsageError

Runtime = Literal["python", "node"]

_STRICT_ASSERT = """console.assert = (passed, ...rest) => {
  if (!passed) throw new Error('assertion failed: ' + rest.join(' '));
};
"""
"""By itself console.assert only writes a line, and the program goes on."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may take."""

    seconds: float = 10.0
    """Of wall-clock; as much of processor time."""
    megabytes: int = 2048
    """Address space in Python; the heap in Node, which reserves far more address space than it uses."""


def passes(program: str, runtime: Runtime, limits: Limits = Limits()) -> bool:
    """Whether the program ends by itself, in time, with exit code 0. Whatever it started is ended with it.

    Raises UsageError where the system or the runtime is missing that this needs.
    """
    shell = shutil.which("sh")
    if os.name != "posix" or shell is None:
        raise UsageError("Tests are run on POSIX systems alone. Leave --run-tests out here.")
    with tempfile.TemporaryDirectory(prefix="copyspan-") as folder:
        file = Path(folder) / ("main.py" if runtime == "python" else "main.cjs")
        source = program if runtime == "python" else _STRICT_ASSERT + program
        file.write_bytes(source.encode("utf-8", "replace"))
        command = f"{_ulimits(runtime, limits)} exec {shlex.join(_command(runtime, file, limits))}"
        return _run([shell, "-c", command], folder, limits.seconds) == 0


def _command(runtime: Runtime, file: Path, limits: Limits) -> list[str]:
    if runtime == "python":
        return [sys.executable, "-I", "-B", str(file)]
    node = shutil.which("node")
    if node is None:
        raise UsageError(
            "Tests in JavaScript need Node, and there is no command `node`. Install it, or leave them out."
        )
    return [node, f"--max-old-space-size={limits.megabytes}", str(file)]


def _ulimits(runtime: Runtime, limits: Limits) -> str:
    """Limits that the shell sets; one that the system does not know is passed over."""
    wanted = [f"-t {int(limits.seconds) + 1}", "-c 0"]
    if runtime == "python":
        wanted.append(f"-v {limits.megabytes * 1024}")
    return " ".join(f"ulimit {limit} 2>/dev/null;" for limit in wanted)


def _run(command: list[str], folder: str, seconds: float) -> int | None:
    """The exit code; None where time ran out."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={"PATH": os.environ.get("PATH", os.defpath), "HOME": folder, "OMP_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
