"""What the person sees while the model loads and works: one line on standard error, gone afterwards.

Nothing is shown where standard error is no terminal.
"""

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from copyspan.cli.progress import RichProgress
from copyspan.cli.show import counted
from copyspan.edits.text import LineRange
from copyspan.engine import DepartureTried, Event, LinesCopied, PromptRead, SearchStarted, TextGenerated


class _Line:
    """A spinner, words, a bar where an end is known, and the seconds."""

    def __init__(self, console: Console, words: str) -> None:
        self._console = console
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(words, total=None)

    def tell(self, words: str, done: int = 0, total: int | None = None) -> None:
        self._bar.update(self._task, description=words, completed=done, total=total)

    def start(self) -> None:
        self._bar.start()

    def stop(self) -> None:
        self._bar.stop()


class Loading:
    """Shows how a model is fetched and loaded. Implements `copyspan.models.weights.Progress`."""

    def __init__(self, model: str) -> None:
        console = _console()
        self._fetch = RichProgress(console)
        self._line = _Line(console, f"Loading {model}")
        self._is_fetching = False

    def started(self, name: str, total: int | None, unit: str) -> None:
        self._is_fetching = bool(unit)
        if not self._is_fetching:  # what has no amount needs no bar of its own
            self._line.tell(name)
            return
        self._line.stop()
        self._fetch.started(name, total, unit)

    def advanced(self, n: int) -> None:
        self._fetch.advanced(n)

    def finished(self) -> None:
        if self._is_fetching:
            self._fetch.finished()
            self._line.start()

    def noted(self, message: str) -> None:
        self._fetch.noted(message)

    def __enter__(self) -> "Loading":
        self._line.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._fetch.close()
        self._line.stop()


class Working:
    """Shows how far an edit is, by the events of the engine."""

    def __init__(self, scope: LineRange) -> None:
        self._num_lines = len(scope)
        self._copied = self._written = 0
        self._search = ""
        self._console = _console()
        self._line = _Line(self._console, "Reading the prompt")

    def see(self, event: Event) -> None:
        match event:
            case PromptRead(done, total):
                self._line.tell(f"Reading the prompt, {done:,} of {total:,} tokens", done, total)
                return
            case SearchStarted(total):
                self._begin_search(0, total)
            case DepartureTried(done, total):
                self._begin_search(done, total)
            case LinesCopied(lines):
                self._copied += len(lines)
            case TextGenerated():
                self._written += 1
        done = min(self._copied, self._num_lines)
        copied = f"copied {done:,} of {counted(self._num_lines, 'line')}, wrote {counted(self._written, 'token')}"
        self._line.tell(f"{self._search}{copied}", done, self._num_lines)

    def stopping(self) -> None:
        """Say that Ctrl-C was seen. The cursor comes back already, for the next Ctrl-C ends the process at once."""
        self._line.tell("Stopping (Ctrl-C again ends at once)")
        self._console.show_cursor()

    def _begin_search(self, done: int, total: int) -> None:
        self._copied = self._written = 0
        self._search = f"Search {min(done + 1, total)} of {total}: "

    def __enter__(self) -> "Working":
        self._line.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._line.stop()


def _console() -> Console:
    return Console(file=sys.stderr)
