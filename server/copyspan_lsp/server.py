"""The language server: what its parts are, how they come together, and what the client is told. Knows no torch."""

import asyncio
import logging
from contextlib import suppress
from typing import Any

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from copyspan import __version__
from copyspan.edits.text import Snapshot
from copyspan_lsp.client import Client
from copyspan_lsp.convert import Converter
from copyspan_lsp.documents import Documents
from copyspan_lsp.download import Download
from copyspan_lsp.editing import Editing
from copyspan_lsp.handlers import register
from copyspan_lsp.holder import Loader, load_installed
from copyspan_lsp.jobs import Jobs
from copyspan_lsp.logs import Logs
from copyspan_lsp.progress import Cancellers, WorkDone
from copyspan_lsp.protocol import STATUS_CHANGED, Status, Token
from copyspan_lsp.reporting import PartialResults, Report
from copyspan_lsp.settings import ServerSettings
from copyspan_lsp.warming import Warming
from copyspan_lsp.wire import CopyspanProtocol, Undecodable, converter

_logger = logging.getLogger(__name__)

_SETTINGS_SECONDS = 2.0


class CopyspanServer(LanguageServer):
    """One client, one model, many documents."""

    protocol: CopyspanProtocol

    def __init__(self, load: Loader = load_installed, logs: Logs | None = None) -> None:
        super().__init__(
            "copyspan",
            __version__,
            types.TextDocumentSyncKind.Incremental,
            protocol_cls=CopyspanProtocol,
            converter_factory=converter,
            max_workers=2,
        )
        self.client = Client()
        self.documents = Documents()
        self.settings = ServerSettings()
        self.cancellers: Cancellers = {}
        self._load = load
        self._logs = logs
        self._status: Status | None = None
        self._is_configured = asyncio.Event()
        register(self)

    def start_session(self, params: types.InitializeParams) -> None:
        """Begin to work for the client that introduced itself. To be called on the loop."""
        self.client = Client.of(params)
        encoding = ServerCapabilitiesBuilder.choose_position_encoding(params.capabilities)
        self.documents.encoding = types.PositionEncodingKind(encoding).value
        self.jobs = Jobs(self._load, self.settings.engine_settings(), self.tell_status)
        self.jobs.prepare = self.wait_for_settings
        self.editing = Editing(self.documents, self.jobs, lambda: self.settings)
        self.download = Download(self)
        self.warming = Warming(self.documents, self.jobs, lambda: self.settings)
        if self._logs is not None:
            loop = asyncio.get_running_loop()
            self._logs.send_to(lambda message: loop.call_soon_threadsafe(self.window_log_message, message))

    def take_settings(self, settings: ServerSettings) -> None:
        """Work by these settings from now on."""
        self.settings = settings
        self.jobs.configure(settings.engine_settings())
        self.jobs.unload_after = settings.unload_after * 60
        if self._logs is not None:
            self._logs.trace = settings.trace

    def note_configured(self) -> None:
        """The client has told its settings, or has none to tell."""
        self._is_configured.set()

    async def wait_for_settings(self) -> None:
        """Wait for the client's settings, which an edit can overtake; not for ever, since some clients never answer."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._is_configured.wait(), _SETTINGS_SECONDS)
        self._is_configured.set()

    def document_changed(self, uri: str) -> None:
        self.warming.document_changed(self.documents.get(uri))

    def report(self, work_done_token: Token | None, partial_token: Token | None) -> Report:
        """How a request tells what becomes of it."""
        partial = None
        if partial_token is not None:
            partial = PartialResults(self.protocol.notify, partial_token, lambda task: self.converter(task.document))
        return Report(self.work_done(work_done_token), partial)

    def work_done(self, token: Token | None = None) -> WorkDone:
        """A progress bar: the client's, or one that the client opens for us."""
        create = self.window_work_done_progress_create_async if self.client.shows_progress else None
        return WorkDone(self.protocol.notify, self.cancellers, token, create)

    def converter(self, snapshot: Snapshot) -> Converter:
        return Converter(snapshot, self.documents.encoding, self.client)

    def say(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Show a person a message."""
        self.window_show_message(types.ShowMessageParams(kind, message))

    @property
    def status(self) -> Status:
        state = self.jobs.state
        is_working = state.phase == "ready" and self.jobs.current is not None
        return Status(
            state="working" if is_working else state.phase,
            model=self.settings.model,
            device=state.device,
            dtype=state.dtype,
            document=self.jobs.current or None,
            queue=self.jobs.num_waiting,
            server=self.settings.server_host,
            message=state.message,
        )

    def tell_status(self) -> None:
        """Notify the client where something changed."""
        status = self.status
        if status != self._status:
            self._status = status
            self.protocol.notify(STATUS_CHANGED, status.to_wire())

    @property
    def said_goodbye(self) -> bool:
        """Whether the client sent `shutdown`."""
        return bool(self.protocol._shutdown)

    def wait_for_jobs(self, timeout: float) -> None:
        """After the connection is over: give the worker this many seconds."""
        if hasattr(self, "jobs"):
            self.jobs.join(timeout)

    def shutdown(self) -> None:
        """Called by pygls when the connection is over, on the loop or after it."""
        if hasattr(self, "jobs"):
            self.jobs.close()
        if self._logs is not None:
            self._logs.send_to(None)
        if self._thread_pool is not None:  # its thread waits for input that may never come
            self._thread_pool.shutdown(wait=False)
            self._thread_pool = None
        super().shutdown()  # type: ignore[no-untyped-call]

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002  # all are logged alike
        """A fault outside a request. pygls would show people the error, which can hold a document's text."""
        if isinstance(error, Undecodable | JsonRpcException):
            return
        _logger.error("A message could not be handled.", exc_info=error)
