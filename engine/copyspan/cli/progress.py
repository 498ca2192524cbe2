"""Progress of a fetch on a terminal: one bar a stage. Where the output is no terminal, a line for each stage."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from copyspan.models.weights import format_size


class RichProgress:
    """Implements `copyspan.models.weights.Progress`. A context manager, so that no bar is left behind by an error."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars: Bars | None = None
        self._name = ""
        self._started = 0.0

    def started(self, name: str, total: int | None, unit: str) -> None:
        self.close()
        self._name, self._started = name, time.monotonic()
        if self._console.is_terminal:
            self._bars = Bars(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=30),
                _Amount(),
                TimeRemainingColumn(compact=True),
                console=self._console,
                transient=True,
            )
            self._bars.add_task(name, total=total, unit=unit)
            self._bars.start()

    def advanced(self, n: int) -> None:
        if self._bars is not None:
            self._bars.advance(self._bars.task_ids[0], n)

    def finished(self) -> None:
        self.close()
        seconds = time.monotonic() - self._started
        self._console.print(f"{self._name}: done in {seconds:.1f} s", markup=False, highlight=False, soft_wrap=True)

    def noted(self, message: str) -> None:
        self._console.print(message, markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """Take the bar away, if there is one."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None

    def __enter__(self) -> "RichProgress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Amount(ProgressColumn):
    """ "310 MB of 1.1 GB, 24 MB/s" for bytes, "12 of 291 tensors" for anything else, nothing where no end is known."""

    def render(self, task: Task) -> Text:
        unit = task.fields["unit"]
        if task.total is None:
            return Text("")
        done, total = int(task.completed), int(task.total)
        if unit != "B":
            return Text(f"{done} of {total} {unit}")
        speed = f", {format_size(int(task.speed))}/s" if task.speed else ""
        return Text(f"{format_size(done)} of {format_size(total)}{speed}")
