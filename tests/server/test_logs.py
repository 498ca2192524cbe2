"""What must not be in a log is a word that stands for a document's text; it is put wherever pygls may log it."""

import ast
import asyncio
import functools
import gc
import io
import json
import logging
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pygls
import pytest
from lsprotocol.types import LogMessageParams, MessageType
from pygls.exceptions import JsonRpcInternalError
from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCProtocol, LanguageServerProtocol, default_converter
from pygls.server import JsonRPCServer

from copyspan.errors import UsageError
from copyspan_lsp.logs import Logs, configure

SECRET = "qzsecret"
ours = logging.getLogger("copyspan_lsp.jobs")
foreign = logging.getLogger("pygls.test")


class Output:
    """Everything that is logged, with `sent` to the client and `stream` in place of stderr."""

    def __init__(self, level: int = logging.DEBUG) -> None:
        self.stream = io.StringIO()
        self.sent: list[LogMessageParams] = []
        self.logs: Logs = configure(level, self.stream)
        self.logs.send_to(self.sent.append)

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def messages(self) -> str:
        return "\n".join(params.message for params in self.sent)


@pytest.fixture
def output() -> Iterator[Output]:
    output = Output()
    yield output
    output.logs.close()


def secret_error() -> ValueError:
    return ValueError(f"not a number: {SECRET}")


# The wire of a real server


class Wire:
    """What pygls writes to; `write` may fail, at once or later."""

    def __init__(self, error: Exception | None = None, late: bool = False) -> None:
        self.error, self.late = error, late

    def write(self, data: bytes) -> Any:
        if self.late:
            return self._fail()
        if self.error:
            raise self.error
        return None

    def close(self) -> None: ...

    async def _fail(self) -> None:
        assert self.error
        raise self.error


class Server(LanguageServer):
    """Its thread pool takes no work, and says so with the document's text."""

    refusal: Exception = RuntimeError(SECRET)

    @property
    def thread_pool(self) -> Any:
        raise self.refusal


one_converter = functools.cache(default_converter)
"""To build one takes longer than all else here."""


def make_server(error: Exception | None = None) -> Server:
    server = Server("test", "1", protocol_cls=LanguageServerProtocol, converter_factory=one_converter)
    server.protocol.set_writer(Wire())
    raised = error or secret_error()
    # A first parameter that a server would fit, such as an `object`, is given the server.

    @server.feature("test/fail")
    def fail(params: dict[str, Any]) -> None:
        raise raised

    @server.feature("test/failLater")
    async def fail_later(params: dict[str, Any]) -> None:
        raise raised

    @server.feature("test/echo")
    def echo(params: dict[str, Any]) -> str:
        return SECRET

    @server.feature("test/thread")
    @server.thread()
    def in_thread(params: dict[str, Any]) -> None: ...

    @server.command("typed")
    def typed(number: int) -> None: ...

    return server


def receive(server: LanguageServer, *messages: dict[str, Any] | bytes) -> None:
    """Let the server read the messages as it does from stdin."""

    async def main() -> None:
        reader = asyncio.StreamReader()
        for message in messages:
            body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0"} | message).encode()
            reader.feed_data(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        reader.feed_eof()
        await run_async(
            stop_event=threading.Event(),
            reader=reader,
            protocol=server.protocol,
            logger=logging.getLogger("pygls.server"),
            error_handler=server.report_server_error,
        )
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gc.collect()

    asyncio.run(main())


def notification(method: str, params: object) -> dict[str, Any]:
    return {"method": method, "params": params}


def request(method: str, params: object) -> dict[str, Any]:
    return {"id": 1, "method": method, "params": params}


TEXT = {"text": SECRET}
INITIALIZE = request(
    "initialize", {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": TEXT}
)
DOCUMENT = {"uri": "file:///a.py", "languageId": "python", "version": SECRET, "text": SECRET}
FOLDERS = {"event": {"added": [{"uri": "file:///a", "name": SECRET}], "removed": []}}
CELL = {"kind": 2, "document": f"file:///{SECRET}"}
HOVER = {"textDocument": {"uri": "file:///a"}, "position": {"line": SECRET, "character": 0}}
NOTEBOOK = {"uri": "file:///n", "notebookType": "x", "version": 1, "cells": []}
NOTEBOOK_CHANGE = {"notebookDocument": {"uri": "file:///n", "version": 2}, "change": {"cells": {"data": [CELL]}}}

RECEIVED: dict[str, tuple[str, list[dict[str, Any] | bytes]]] = {
    "a document that is no document": (
        "Unable to deser",
        [notification("textDocument/didOpen", {"textDocument": DOCUMENT})],
    ),
    "a request that is none": ("Unable to deser", [request("textDocument/hover", HOVER)]),
    "another protocol": ("Unknown message", [notification("test/echo", TEXT) | {"jsonrpc": SECRET}]),
    "initialize": ("Language server initialized", [INITIALIZE]),
    "workspace folders": (
        "Workspace folders",
        [INITIALIZE, notification("workspace/didChangeWorkspaceFolders", FOLDERS)],
    ),
    "notebook": (
        "Ignoring metadata",
        [
            INITIALIZE,
            notification("notebookDocument/didOpen", {"notebookDocument": NOTEBOOK, "cellTextDocuments": []}),
            notification("notebookDocument/didChange", NOTEBOOK_CHANGE),
        ],
    ),
    "progress token": ("Ignoring work done", [notification("window/workDoneProgress/cancel", {"token": SECRET})]),
    "cancelled request": ("Cancel notification", [notification("$/cancelRequest", {"id": SECRET})]),
    "unknown notification": ("Ignoring notification", [notification(SECRET, {})]),
    "unknown request": ("Failed to handle request", [request(SECRET, {})]),
    "result": ("Sending data", [request("test/echo", {})]),
    "failed notification": ("Sending data", [notification("test/fail", TEXT)]),
    "failed request": ("Exception occurred", [request("test/fail", TEXT)]),
    "failed coroutine": ("Exception occurred", [request("test/failLater", TEXT)]),
    "refused notification": ("Failed to handle notification", [notification("test/thread", TEXT)]),
    "refused request": ("Failed to handle request", [request("test/thread", TEXT)]),
    "command": (
        "Exception occurred",
        [request("workspace/executeCommand", {"command": "typed", "arguments": [SECRET]})],
    ),
    "unknown command": ("Exception occurred", [request("workspace/executeCommand", {"command": SECRET})]),
    "unknown response": ("Received response", [{"id": SECRET, "result": {}}]),
}


def rpc_error(server: Server) -> None:
    server.refusal = JsonRpcInternalError(SECRET)
    receive(server, request("test/thread", TEXT))


def rpc_error_of_a_handler(_: Server) -> None:
    receive(make_server(JsonRpcInternalError(SECRET)), request("test/fail", {}))


def answer(server: Server, answer: dict[str, Any], callback: Callable[[Any], None] | None = None) -> Future[Any]:
    future = server.protocol.send_request("test/ask", TEXT, callback, msg_id=7)
    receive(server, {"id": 7} | answer)
    return future


def error_for_a_callback(server: Server) -> None:
    answer(server, {"error": {"code": -32603, "message": SECRET}}, print)


def broken_wire(error: Exception, late: bool = False) -> Callable[[Server], None]:
    def act(server: Server) -> None:
        server.protocol.set_writer(Wire(error, late))
        receive(server, request("test/echo", {}))

    return act


def base_server(_: Server) -> None:
    JsonRPCServer(JsonRPCProtocol, default_converter).report_server_error(secret_error(), JsonRpcInternalError)


ACTS: dict[str, tuple[str, Callable[[Server], object]]] = {
    "notify": ("Sending notification", lambda server: server.protocol.notify("test/told", TEXT)),
    "send_request": ("Sending request", lambda server: server.protocol.send_request("test/ask", TEXT)),
    "result for us": ("Received result", lambda server: answer(server, {"result": TEXT})),
    "error for us": ("Received error", lambda server: answer(server, {"error": {"code": 1, "message": SECRET}})),
    "result for a callback": ("Client response", lambda server: answer(server, {"result": TEXT}, lambda _: None)),
    "error for a callback": ("concurrent.futures", error_for_a_callback),
    "an error of the protocol": ("Failed to handle request", rpc_error),
    "an error of the protocol from a handler": ("Exception occurred", rpc_error_of_a_handler),
    "wire that fails": ("Error sending data", broken_wire(secret_error())),
    "wire that is closed": ("BrokenPipeError", broken_wire(BrokenPipeError(SECRET))),
    "wire that fails later": ("asyncio", broken_wire(secret_error(), late=True)),
    "server without a client": ("pygls.server", base_server),
}
PATHS: dict[str, tuple[str, Callable[[Server], object]]] = ACTS | {
    name: (logged, lambda server, messages=messages: receive(server, *messages))
    for name, (logged, messages) in RECEIVED.items()
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("logged", "act"), PATHS.values(), ids=PATHS)
def test_text_that_passes_through_pygls_is_logged_under_trace_alone(
    output: Output, logged: str, act: Callable[[Server], object]
) -> None:
    act(make_server())
    assert logged in output.text
    assert SECRET not in output.text + output.messages
    output.logs.trace = True
    act(make_server())
    assert SECRET in output.text


# Every call in pygls that logs, one by one


class Everything(dict[str, Any]):
    """A namespace in which every name stands for the secret."""

    def __missing__(self, name: str) -> Any:
        return Secret(SECRET)


class Secret(str):
    """A text of which every attribute and every result is the secret."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self


def log_calls() -> Iterator[Any]:
    for path in sorted(Path(pygls.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and re.match(r"(\w+\.)?log(ger)?\.\w+$", ast.unparse(node.func)):
                name = f"{path.name}:{node.lineno}"
                yield pytest.param(compile(ast.Expression(node), str(path), "eval"), len(node.args) > 1, id=name)


CALLS = list(log_calls())


def test_calls_of_pygls_are_found() -> None:
    assert len(CALLS) > 50


@pytest.mark.parametrize(("call", "has_arguments"), CALLS)
def test_no_call_of_pygls_logs_text_but_under_trace(output: Output, call: Any, has_arguments: bool) -> None:
    def log() -> None:
        try:
            raise secret_error()
        except ValueError:
            eval(call, {}, Everything(logger=foreign, log=foreign))

    log()
    assert output.text.count("\n") == 1
    assert SECRET not in output.text
    output.logs.trace = True
    log()
    assert not has_arguments or SECRET in output.text


# Other libraries, and Python itself


def line(output: Output) -> str:
    """The one line that was logged, without its time."""
    (first,) = output.text.splitlines()
    return re.sub(r"^\d\d:\d\d:\d\d\.\d\d\d ", "", first)


def test_a_template_shows_dots_for_its_arguments(output: Output) -> None:
    foreign.info("%s of %(x)s: %d%%, %-8.3f", SECRET, 1, 2)
    assert line(output) == "info    pygls.test: ... of ...: ...%, ..."


def test_a_template_without_arguments_is_shown_as_it_is(output: Output) -> None:
    foreign.info("100% of %s")
    assert line(output) == "info    pygls.test: 100% of %s"


@pytest.mark.parametrize(
    "message", [f"found {SECRET}", SECRET, ValueError(SECRET), {"a": SECRET}, "\n".join(["a", SECRET]), b"qzsecret"]
)
def test_a_message_made_at_run_time_is_withheld(output: Output, message: Any) -> None:
    foreign.warning(message)
    assert "may hold text" in line(output)
    assert SECRET not in output.text


def test_an_error_is_shown_by_type_and_places(output: Output) -> None:
    def parse() -> None:
        raise secret_error()

    try:
        parse()
    except ValueError:
        foreign.exception("Cannot parse", stack_info=True)
    assert re.fullmatch(
        r"error   pygls\.test: Cannot parse "
        r"\(ValueError at test_logs\.py:\d+ in parse, test_logs\.py:\d+ in test_an_error_\w+\)",
        line(output),
    )


def test_handlers_of_others_see_no_text_either(output: Output, caplog: pytest.LogCaptureFixture) -> None:
    foreign.warning("Sent %s", SECRET)
    assert caplog.messages == ["Sent ..."]
    assert SECRET not in repr(vars(caplog.records[0]))


def test_what_does_not_fit_its_template_is_not_printed(output: Output, capsys: pytest.CaptureFixture[str]) -> None:
    foreign.warning("Sent %d", SECRET)
    ours.warning("Sent %d", SECRET)
    assert SECRET not in output.text + output.messages + "".join(capsys.readouterr())
    assert "jobs: Sent %d (its arguments do not fit: TypeError)" in output.text


def test_warnings_do_not_reach_stderr(output: Output, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(False)
        logging.captureWarnings(True)
        warnings.warn(SECRET, stacklevel=1)
        output.logs.trace = True
        ours.info("between")
        warnings.warn(SECRET, stacklevel=1)
        logging.captureWarnings(False)
    before, after = output.text.split("between")
    assert SECRET not in before + capsys.readouterr().err
    assert SECRET in after


def test_errors_that_nobody_catches_are_logged_without_text(output: Output) -> None:
    error = secret_error()
    sys.excepthook(ValueError, error, None)
    info = {"exc_type": ValueError, "exc_value": error, "exc_traceback": None}
    threading.excepthook(SimpleNamespace(**info, thread=None))  # type: ignore[arg-type]
    sys.unraisablehook(SimpleNamespace(**info, err_msg=SECRET, object=SECRET))
    assert output.messages.split("\n") == ["An error was caught by nobody (ValueError)"] * 3
    assert SECRET not in output.text


def test_a_thread_may_end_by_exit(output: Output) -> None:
    threading.excepthook(SimpleNamespace(exc_type=SystemExit, exc_value=SystemExit(), exc_traceback=None))  # type: ignore[arg-type]
    assert output.text == ""


# Our own records


def test_our_records_are_shown_whole_on_one_line(output: Output) -> None:
    ours.info("The model %s took %.1f s\nto load", "m", 2)
    ours.info("%(a)s", {"a": 3})
    assert [re.sub(r"^[\d:.]+ ", "", line) for line in output.text.splitlines()] == [
        "info    jobs: The model m took 2.0 s to load",
        "info    jobs: 3",
    ]
    assert output.messages == "The model m took 2.0 s to load\n3"


def test_of_an_error_our_records_show_only_messages_of_our_own(output: Output) -> None:
    for error in (UsageError("The document is empty."), secret_error()):
        try:
            raise error
        except Exception as caught:
            ours.error("Edit failed: %s", caught)
            ours.exception("Edit failed")
            ours.error(caught)
    first, second, third, fourth, fifth, sixth = output.messages.split("\n")
    assert [first, second, third] == [
        "Edit failed: The document is empty.",
        "Edit failed (UsageError: The document is empty.)",
        "The document is empty.",
    ]
    assert fourth == "Edit failed: ValueError"
    assert fifth.startswith("Edit failed (ValueError at test_logs.py:")
    assert sixth == "ValueError"


def test_trace_shows_a_traceback_in_indented_lines(output: Output) -> None:
    output.logs.trace = True
    try:
        raise secret_error()
    except ValueError:
        foreign.exception("Cannot parse")
    first, *rest = output.text.splitlines()
    assert first.endswith("error   pygls.test: Cannot parse")
    assert all(line.startswith("    ") for line in rest)
    assert rest[-1] == f"    ValueError: not a number: {SECRET}"


def test_similar_names_are_not_ours(output: Output) -> None:
    logging.getLogger("copyspan_lspx").warning("Sent %s", SECRET)
    assert SECRET not in output.text
    assert output.sent == []


# The client


@pytest.mark.parametrize(
    ("level", "kind"),
    [
        (logging.CRITICAL, MessageType.Error),
        (logging.ERROR, MessageType.Error),
        (logging.WARNING, MessageType.Warning),
        (logging.INFO, MessageType.Info),
        (logging.DEBUG, MessageType.Log),
    ],
)
def test_the_client_is_sent_our_records_with_their_kind(output: Output, level: int, kind: MessageType) -> None:
    ours.log(level, "Loaded")
    assert output.sent == [LogMessageParams(kind, "Loaded")]


def test_what_sending_logs_is_not_sent(output: Output) -> None:
    def send(params: LogMessageParams) -> None:
        output.sent.append(params)
        ours.info("Sending")

    output.logs.send_to(send)
    ours.info("Loaded")
    ours.info("Edited")
    assert output.messages == "Loaded\nEdited"
    assert output.text.count("Sending") == 2


def test_what_sending_logs_later_is_not_sent_either(output: Output) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()

        def deliver(params: LogMessageParams) -> None:
            output.sent.append(params)
            ours.info("Delivered")

        output.logs.send_to(lambda params: loop.call_soon_threadsafe(deliver, params))
        await asyncio.to_thread(ours.info, "Loaded")
        for _ in range(5):
            await asyncio.sleep(0)

    asyncio.run(main())
    assert output.messages == "Loaded"
    assert output.text.count("Delivered") == 1


@pytest.mark.parametrize("trace", [False, True])
def test_a_real_server_sends_one_message_a_record(output: Output, trace: bool) -> None:
    written: list[bytes] = []
    server = make_server()
    server.protocol.set_writer(SimpleNamespace(write=written.append, close=lambda: None), include_headers=False)
    output.logs.trace = trace
    output.logs.send_to(server.window_log_message)
    ours.info("Loaded")
    (message,) = map(json.loads, written)
    assert message["method"] == "window/logMessage"
    assert message["params"] == {"type": 3, "message": "Loaded"}


def test_a_client_that_is_gone_is_no_error(output: Output) -> None:
    def send(params: LogMessageParams) -> None:
        raise RuntimeError("Event loop is closed")

    output.logs.send_to(send)
    ours.info("Loaded")
    assert line(output) == "info    jobs: Loaded"


def test_a_new_client_takes_the_place_of_the_old(output: Output) -> None:
    new: list[LogMessageParams] = []
    output.logs.send_to(new.append)
    ours.info("Loaded")
    output.logs.send_to(None)
    ours.info("Edited")
    assert (len(output.sent), len(new)) == (0, 1)


# Levels, and the process


def test_by_default_only_warnings_of_others_are_shown() -> None:
    output = Output(logging.INFO)
    try:
        for logger in (ours, foreign, logging.getLogger("torch.nn"), logging.getLogger("other")):
            for level in (logging.DEBUG, logging.INFO, logging.WARNING):
                logger.log(level, "Loaded")
        shown = [(found[1], found[2]) for found in re.finditer(r"(\w+) +([\w.]+): Loaded", output.text)]
        assert shown == [("info", "jobs"), ("warning", "jobs"), ("warning", "pygls.test"), ("warning", "other")]
        output.logs.trace = True
        foreign.debug("Sent %s", SECRET)
        output.logs.trace = False
        foreign.debug("Sent %s again", SECRET)
        ours.debug("Sent again")
        assert output.text.endswith(f"debug   pygls.test: Sent {SECRET}\n")
    finally:
        output.logs.close()


def test_the_stream_is_stderr_unless_another_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    logs = configure()
    ours.info("Loaded")
    logs.close()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith(" info    jobs: Loaded\n")


def test_close_leaves_the_process_as_it_was() -> None:
    def state() -> tuple[object, ...]:
        loggers = [logging.getLogger(name) for name in ("", "copyspan_lsp", "pygls", "torch")]
        hooks = sys.excepthook, threading.excepthook, sys.unraisablehook, warnings.showwarning
        return logging.getLogRecordFactory(), *hooks, *[(logger.level, list(logger.handlers)) for logger in loggers]

    before = state()
    output = Output()
    assert state() != before
    output.logs.close()
    assert state() == before


def test_libraries_are_quiet_unless_the_person_wants_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_VERBOSITY", raising=False)
    monkeypatch.setenv("TRANSFORMERS_VERBOSITY", "info")
    Output().logs.close()
    assert os.environ.pop("HF_HUB_VERBOSITY") == "error"
    assert os.environ["TRANSFORMERS_VERBOSITY"] == "info"
