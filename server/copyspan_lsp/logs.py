"""Where the server's log records go: to stderr, and those of this package to the client as well.

None of them holds a document's text, unless tracing is on. They are cut down where they are made, so that no handler,
of whatever library, sees more; `discreet` says to what. This module knows no server and no event loop; whoever gives it
a way to the client takes care of both.
"""

import logging
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TextIO

from lsprotocol.types import LogMessageParams, MessageType

from copyspan.quiet import quieten_libraries
from copyspan_lsp.discreet import ErrorInfo, foreign_text, own_text

Send = Callable[[LogMessageParams], object]

_OURS = "copyspan_lsp"
_NOISY = ("accelerate", "filelock", "httpx", "huggingface_hub", "py.warnings", "torch", "transformers", "urllib3")
_QUIET = {"HF_HUB_VERBOSITY": "error"}
"""What the hub's library needs beside what all libraries are told."""

_sending = ContextVar("_sending", default=False)


def configure(level: int = logging.INFO, stream: TextIO | None = None) -> "Logs":
    """Log to `stream`, by default stderr, from now on; to be called once, before libraries of models are imported.

    `level` is that of this package; pygls tells of its work from DEBUG on. Warnings, and exceptions that nobody
    catches, are logged like everything else.
    """
    return Logs(level, stream or sys.stderr)


class Logs:
    """The process's logging. All methods may be called from any thread."""

    def __init__(self, level: int, stream: TextIO) -> None:
        self._level = level
        self._trace = False
        self._client: LspHandler | None = None
        self._undo = ExitStack()
        self._make_record = logging.getLogRecordFactory()
        quieten_libraries(_QUIET)
        for logger in map(logging.getLogger, (_OURS, "pygls", *_NOISY)):
            self._undo.callback(logger.setLevel, logger.level)
        self.trace = False
        logging.setLogRecordFactory(self._make_discreet_record)
        self._undo.callback(logging.setLogRecordFactory, self._make_record)
        handler = logging.StreamHandler(stream)
        handler.setFormatter(_LineFormatter())
        logging.getLogger().addHandler(handler)
        self._undo.callback(logging.getLogger().removeHandler, handler)
        self._catch_what_passes_logging()

    @property
    def trace(self) -> bool:
        """Whether records may hold documents' text. Turning it on shows all that this package and pygls log."""
        return self._trace

    @trace.setter
    def trace(self, on: bool) -> None:
        self._trace = on
        verbose = on or self._level <= logging.DEBUG
        logging.getLogger(_OURS).setLevel(logging.DEBUG if on else self._level)
        logging.getLogger("pygls").setLevel(logging.DEBUG if verbose else logging.WARNING)
        for name in _NOISY:
            logging.getLogger(name).setLevel(logging.WARNING if verbose else logging.ERROR)

    def send_to(self, send: Send | None) -> None:
        """Send this package's records to a client as well, in place of an earlier one; None for no client.

        See LspHandler for what `send` must do.
        """
        logger = logging.getLogger(_OURS)
        if self._client:
            logger.removeHandler(self._client)
        self._client = LspHandler(send) if send else None
        if self._client:
            logger.addHandler(self._client)

    def close(self) -> None:
        """Leave the process's logging as it was before."""
        self.send_to(None)
        self._undo.close()

    def _make_discreet_record(
        self,
        name: str | None,
        level: int,
        path: str,
        line: int,
        message: object,
        args: tuple[object, ...],
        error: ErrorInfo,
        function: str | None = None,
        stack: str | None = None,
        **rest: Any,
    ) -> logging.LogRecord:
        """Stands in for the class LogRecord wherever a logger makes a record."""
        if self._trace:
            return self._make_record(name, level, path, line, message, args, error, function, stack, **rest)
        is_ours = (name or "").partition(".")[0] == _OURS
        text = own_text(message, args, error) if is_ours else foreign_text(message, args, error, path, line)
        return self._make_record(name, level, path, line, text, (), None, function, None, **rest)

    def _catch_what_passes_logging(self) -> None:
        """Python itself writes these to stderr, with whatever stands in the exceptions."""
        logging.captureWarnings(True)
        self._undo.callback(logging.captureWarnings, False)
        for module, name, hook in (
            (sys, "excepthook", _on_uncaught),
            (sys, "unraisablehook", _on_uncaught_in_place),
            (threading, "excepthook", _on_uncaught_in_place),
        ):
            self._undo.callback(setattr, module, name, getattr(module, name))
            setattr(module, name, hook)


class LspHandler(logging.Handler):
    """Sends records as window/logMessage.

    `send` is called in the thread that logs, whichever that is, and has to bring the message to the event loop and
    return at once: `lambda params: loop.call_soon_threadsafe(server.window_log_message, params)`. What is logged while
    a message is sent is not sent: neither in `send` itself, nor in what it puts off by call_soon_threadsafe or a task,
    which run in a copy of its context. Errors of `send` are dropped, for the client may be gone, and stderr has it all.
    """

    def __init__(self, send: Send) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        if _sending.get():
            return
        token = _sending.set(True)
        try:
            with suppress(Exception):
                self._send(LogMessageParams(type=_message_type(record.levelno), message=self.format(record)))
        finally:
            _sending.reset(token)


class _LineFormatter(logging.Formatter):
    """One line a record: "14:03:22.041 info    jobs: The model is loaded.". More lines, under trace, are indented."""

    default_time_format = "%H:%M:%S"
    default_msec_format = "%s.%03d"

    def formatMessage(self, record: logging.LogRecord) -> str:
        name = record.name.removeprefix(f"{_OURS}.")
        return f"{self.formatTime(record)} {record.levelname.lower():<7} {name}: {record.message}"

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\n", "\n    ")


def _message_type(level: int) -> MessageType:
    types = (
        (logging.ERROR, MessageType.Error),
        (logging.WARNING, MessageType.Warning),
        (logging.INFO, MessageType.Info),
    )
    return next((kind for least, kind in types if level >= least), MessageType.Log)


def _on_uncaught(kind: type[BaseException], error: BaseException, tb: TracebackType | None) -> None:
    logging.getLogger(_OURS).critical("An error was caught by nobody", exc_info=(kind, error, tb))


def _on_uncaught_in_place(args: Any) -> None:
    """For threads (threading.ExceptHookArgs) and finalizers (sys.UnraisableHookArgs)."""
    if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):  # which only ends a thread
        _on_uncaught(args.exc_type, args.exc_value, args.exc_traceback)
