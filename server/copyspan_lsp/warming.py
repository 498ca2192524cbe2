"""Reading a document ahead of its edit: after it was left alone for a moment, while nobody needs the model."""

import asyncio
from collections.abc import Callable

from copyspan.engine import Engine
from copyspan_lsp.documents import Document, Documents
from copyspan_lsp.jobs import Jobs
from copyspan_lsp.languages import language
from copyspan_lsp.settings import ServerSettings
from copyspan_lsp.task import name_of

QUIET_SECONDS = 1.0
"""How long a document has to be left alone."""


class Warming:
    """Waits for a document to be left alone, and reads it then; a newer change begins the waiting anew."""

    def __init__(self, documents: Documents, jobs: Jobs, settings: Callable[[], ServerSettings]) -> None:
        self._documents = documents
        self._jobs = jobs
        self._settings = settings
        self._timer: asyncio.TimerHandle | None = None

    def document_changed(self, document: Document) -> None:
        """A document was opened or changed."""
        self._jobs.stop_warming(document.uri)
        if self._timer is not None:
            self._timer.cancel()
        if self._is_wanted():
            self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._warm, document)

    def _is_wanted(self) -> bool:
        setting = self._settings().warm_start
        on_gpu = self._jobs.state.device is not None and not self._jobs.state.device.startswith("cpu")
        return setting == "on" or (setting == "auto" and on_gpu)

    def _warm(self, document: Document) -> None:
        snapshot = document.snapshot
        if document.is_closed or not 0 < snapshot.num_lines <= self._settings().max_lines:
            return
        name = name_of(document.uri, language(document.language))
        strategy = self._settings().strategy

        def work(engine: Engine, cancelled: Callable[[], bool]) -> None:
            engine.warm(snapshot, name, cancelled, strategy)

        self._jobs.warm(document.uri, work)
