"""A loaded engine, and a person who watches it and may press Ctrl-C."""

import signal
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from copyspan.cli.activity import Loading, Working
from copyspan.cli.signals import catching
from copyspan.config import EngineSettings
from copyspan.engine import EditRequest, EditResult, Engine, Event
from copyspan.quiet import quieten_libraries


@dataclass(frozen=True, slots=True)
class Worker:
    """Edits with progress on standard error."""

    engine: Engine

    @classmethod
    def load(cls, settings: EngineSettings) -> "Worker":
        """Raises ModelError and OutOfMemory."""
        quieten()
        with Loading(settings.model) as progress:
            return cls(Engine.load(settings, progress))

    def edit(self, request: EditRequest) -> EditResult:
        """Raises what `Engine.edit` raises; Cancelled after Ctrl-C. A second Ctrl-C ends the process at once."""
        return _watched(request, lambda cancelled, see: self.engine.edit(request, cancelled, see))

    def search(self, request: EditRequest, result: EditResult) -> EditResult:
        """The result with more candidates. Raises as `edit`."""
        return _watched(request, lambda cancelled, see: self.engine.search(request, result, cancelled, see))


def _watched(
    request: EditRequest, work: Callable[[Callable[[], bool], Callable[[Event], None]], EditResult]
) -> EditResult:
    """Let the person see the work, and stop it."""
    shown = Working(request.scope or request.snapshot.all_lines)

    def stop(signum: int) -> None:
        signal.signal(signum, signal.SIG_DFL)
        shown.stopping()

    with catching((signal.SIGINT,), stop) as cancelled, shown:
        return work(cancelled, shown.see)


def quieten() -> None:
    """Keep the libraries below silent; to be called before they are imported."""
    quieten_libraries()
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
