"""How a training run goes, on standard error: one line with a bar, or a line a minute where there is no terminal."""

import time
from collections import deque
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from copyspan.train.log import Entry, StepEntry

_QUIET_SECONDS = 60.0
_REMEMBERED = 50


class TrainBar:
    """Implements `copyspan.train.loop.Watcher`. A context manager, so that no bar is left behind by an error."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("Training", total=None)
        self._recent: deque[StepEntry] = deque(maxlen=_REMEMBERED)
        self._num_steps = 0
        self._told = time.monotonic()

    def started(self, step: int, num_steps: int) -> None:
        self._num_steps = num_steps
        self._bar.update(self._task, total=num_steps, completed=step)
        self._bar.start()
        words = f"Goes on after step {step:,} of {num_steps:,}" if step else f"Trains {num_steps:,} steps"
        self._say(words)

    def logged(self, entry: Entry) -> None:
        if not isinstance(entry, StepEntry):
            self._say(
                f"Step {entry.step:,}: loss {entry.loss:.4f} on {entry.num_pairs} held-out pairs, "
                f"{entry.exact:.0%} of their programs exact"
            )
            return
        self._recent.append(entry)
        words = self._words(entry)
        self._bar.update(self._task, description=words, completed=entry.step)
        if not self._console.is_terminal and time.monotonic() - self._told > _QUIET_SECONDS:
            self._say(words)

    def _words(self, entry: StepEntry) -> str:
        seconds = sum(e.seconds for e in self._recent)
        speed = sum(e.num_tokens for e in self._recent) / max(seconds, 1e-9)
        left = timedelta(seconds=(self._num_steps - entry.step) * seconds / len(self._recent))
        end = datetime.now() + left
        return (
            f"Step {entry.step:,} of {self._num_steps:,}, loss {entry.loss:.4f}, {speed:,.0f} tokens/s, "
            f"ends {end:%H:%M}" + (f" in {left.days} d" if left.days else "")
        )

    def _say(self, words: str) -> None:
        self._told = time.monotonic()
        self._console.print(words, markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
