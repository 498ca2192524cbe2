"""An engine without a model: its answers are whole documents, turned into candidates by the real edits.

Run as a script it is the real command line over such an engine, for tests that need a process of its own. Environment
variables say how it behaves: FAKE_ENGINE holds the answers as a JSON list, FAKE_ENGINE_HANGS makes it decode for ever,
FAKE_ENGINE_IS_DEAF makes it overhear that it was cancelled, FAKE_ENGINE_FETCHES makes it come from far, and
FAKE_ENGINE_CANNOT_SEARCH lets its searches fail.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from copyspan.config import EngineSettings
from copyspan.edits.align import align_lines
from copyspan.edits.resolve import resolve
from copyspan.edits.text import LineRange, Snapshot
from copyspan.engine import (
    Candidate,
    Cost,
    EditRequest,
    EditResult,
    Engine,
    Event,
    LinesCopied,
    PromptRead,
    TextGenerated,
)
from copyspan.errors import Cancelled, OutputRejected
from copyspan.models.weights import Progress

COST = Cost(
    copied_lines=211,
    generated_lines=4,
    copied_tokens=2140,
    generated_tokens=37,
    forwards=24,
    plain_forwards=2190,
    prompt_tokens=2300,
    reused_tokens=0,
    seconds={"prompt": 4.12, "decode": 3.04, "search": 0.0, "resolve": 0.001},
)


class FakeEngine:
    """Gives each request the same answers, as many as it asks for, and one more for each search. `requests` holds what
    it was asked."""

    def __init__(self, *answers: str, error: Exception | None = None, hangs: bool = False) -> None:
        self.answers = answers
        self.error = error
        self.hangs = hangs
        self.is_deaf = "FAKE_ENGINE_IS_DEAF" in os.environ
        self.requests: list[EditRequest] = []
        self.settings: EngineSettings | None = None
        self.meanwhile: Callable[[], object] = lambda: None
        """What happens elsewhere while the model works."""

    def edit(
        self,
        request: EditRequest,
        cancelled: Callable[[], bool] = lambda: False,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> EditResult:
        self.requests.append(request)
        on_event(PromptRead(0, 100))
        on_event(LinesCopied(LineRange(0, 1)))
        on_event(TextGenerated("x"))
        self.meanwhile()
        if self.error is not None:
            raise self.error
        while self.hangs:
            time.sleep(0.01)
            if cancelled() and not self.is_deaf:
                raise Cancelled("The edit was cancelled.")
        return self._result(request, request.candidates)

    def search(
        self,
        request: EditRequest,
        result: EditResult,
        cancelled: Callable[[], bool] = lambda: False,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> EditResult:
        if "FAKE_ENGINE_CANNOT_SEARCH" in os.environ:
            raise OutputRejected("The answer was of no use; nothing was changed.")
        return self._result(request, len(result.candidates) + 1)

    def _result(self, request: EditRequest, number: int) -> EditResult:
        found = tuple(candidate(request.snapshot, answer) for answer in self.answers[:number])
        return EditResult(found, COST, "verified", "fake", "cpu", "float32")


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def candidate(snapshot: Snapshot, answer: str) -> Candidate:
    """The candidate whose whole new document is `answer`."""
    program = align_lines(snapshot, answer)
    resolution = resolve(program, snapshot)
    return Candidate(program, answer, resolution.edits, resolution.hunks, -1.5, "greedy", 1, 1, 4, 4)


def install(engine: FakeEngine, setattr: Callable[[object, str, object], object] = setattr) -> None:
    """Let the command line load this engine."""

    def load(settings: EngineSettings, progress: Progress) -> FakeEngine:
        engine.settings = settings
        if "FAKE_ENGINE_FETCHES" in os.environ:
            progress.started("Downloading weights", 1000, "B")
            progress.advanced(500)
            progress.noted("A part came corrupted.")
            progress.finished()
        return engine

    setattr(Engine, "load", staticmethod(load))


def start(
    args: Sequence[object], answers: Sequence[str], hangs: bool = False, **options: Any
) -> subprocess.Popen[bytes]:
    """The command line over such an engine, in a process of its own; `options` are those of Popen."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
    hanging = {"FAKE_ENGINE_HANGS": "1"} if hangs else {}
    env = {**kept, **hanging, "FAKE_ENGINE": json.dumps(answers), "TERM": "xterm", **options.pop("env", {})}
    return subprocess.Popen([sys.executable, __file__, *map(str, args)], env=env, **options)


def main() -> None:
    from copyspan.cli.app import main as copyspan

    answers: Sequence[str] = json.loads(os.environ["FAKE_ENGINE"])
    install(FakeEngine(*answers, hangs="FAKE_ENGINE_HANGS" in os.environ))
    copyspan()


if __name__ == "__main__":
    main()
