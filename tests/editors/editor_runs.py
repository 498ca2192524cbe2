"""Runs an editor in a fresh home, alone or in a terminal, and ends everything that it started.

Knows no language server: what an editor does there, its set-up and its probe say. Linux only (/proc, tmux).
"""

import json
import os
import re
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

LONGEST_RUN = 60  # seconds
LONGEST_WAIT = 20  # seconds, for one thing to appear
_MARK = "COPYSPAN_EDITOR_RUN"


class EditorFailed(AssertionError):
    """An editor ended badly or too late, or never showed what was awaited; with its logs."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """One document in a work tree of its own, and a home in which no editor has ever run."""

    root: Path
    text: str
    server: Sequence[str]
    mark: str

    @classmethod
    def create(cls, root: Path, text: str, server: Sequence[str]) -> Self:
        place = cls(root, text, server, uuid.uuid4().hex)
        for folder in (place.document.parent, place.home, place.logs):
            folder.mkdir(parents=True)
        place.document.write_bytes(text.encode())
        subprocess.run(["git", "init", "--quiet", place.document.parent], check=True, env=place.environment)
        return place

    @property
    def document(self) -> Path:
        return self.root / "project" / "bill.py"

    @property
    def undone(self) -> Path:
        """Where an editor writes what one undo gave."""
        return self.root / "undone.py"

    @property
    def attached(self) -> Path:
        """Exists as soon as the editor says that its client is attached."""
        return self.root / "attached"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "TMUX", "GIT_"))}
        fresh = {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
        return kept | fresh | {
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
            "COPYSPAN_SERVER": json.dumps(list(self.server)),
            "COPYSPAN_DOCUMENT": str(self.document),
            "COPYSPAN_UNDONE": str(self.undone),
            "COPYSPAN_ATTACHED": str(self.attached),
            "COPYSPAN_LOGS": str(self.logs),
            _MARK: self.mark,
        }  # fmt: skip

    def failure(self, message: str, output: str) -> EditorFailed:
        logs = [f"--- {path.name}\n{path.read_text(errors='replace')[-8000:]}" for path in self.root.rglob("*.log")]
        return EditorFailed("\n".join([message, "--- output", output, *logs]))

    def processes(self) -> list[int]:
        """All that was started here and still runs, also what left its process group."""
        return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/environ") if self._is_ours(path)]

    def _is_ours(self, environ: Path) -> bool:
        try:
            return f"{_MARK}={self.mark}".encode() in environ.read_bytes().split(b"\0")
        except OSError:  # it has just ended, or is another user's
            return False

    def end(self) -> None:
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def expect_quiet(self) -> None:
        """The editor has quit; its server must go with it."""
        if not wait_until(lambda: not self.processes(), 10):
            names = [Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ") for process in self.processes()]
            raise self.failure(f"Still running after the editor has quit: {names}", "")


def wait_until(condition: Callable[[], bool], seconds: float = LONGEST_WAIT) -> bool:
    end = time.monotonic() + seconds
    while not (is_met := condition()) and time.monotonic() < end:
        time.sleep(0.03)
    return is_met


def run_alone(command: Sequence[str | Path], place: Workplace) -> None:
    """Run an editor without a screen until it ends by itself."""
    with (place.logs / "output").open("w+") as output:
        editor = subprocess.Popen(
            command, cwd=place.document.parent, env=place.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            status: int | str = editor.wait(LONGEST_RUN)
        except subprocess.TimeoutExpired:
            status = f"none after {LONGEST_RUN} s"
        if status == 0:
            return
        output.seek(0)
        text = output.read()
        place.end()
        editor.wait()
    raise place.failure(f"{command[0]} ended with status {status}", text)


class Terminal:
    """A terminal in which an editor runs and a test types: one tmux server with one session."""

    def __init__(self, command: Sequence[str | Path], place: Workplace) -> None:
        self._place = place
        self._socket = place.root / "tmux"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", *map(str, command))

    def type(self, *keys: str) -> None:
        """Keys by tmux's names (Enter), everything else as it stands."""
        self._tmux("send-keys", *keys)

    @property
    def screen(self) -> str:
        return self._tmux("capture-pane", "-p").rstrip()

    def expect(self, pattern: str) -> re.Match[str]:
        """Wait until the screen holds the pattern."""
        found: list[re.Match[str]] = []

        def is_shown() -> bool:
            found.extend(re.finditer(pattern, self.screen))
            return bool(found)

        self.wait(is_shown, f"{pattern!r} on the screen")
        return found[0]

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        if not wait_until(condition):
            raise self._place.failure(f"Waited {LONGEST_WAIT} s in vain for {what}", self.screen)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *arguments], cwd=self._place.document.parent, env=self._place.environment,
            capture_output=True, text=True, timeout=LONGEST_RUN, check=False,
        )  # fmt: skip
        if done.returncode:
            raise self._place.failure(f"tmux {arguments[0]}: {done.stderr.strip()} (has the editor ended?)", "")
        return done.stdout
