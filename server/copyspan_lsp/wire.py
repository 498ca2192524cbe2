"""pygls' protocol with the parts replaced that do not fit us: documents, cancelling, our own requests, bad messages.

- Documents are ours: pygls breaks lines where no editor does (form feed, U+2028, ...).
- Params of our own requests stay plain JSON values, for pydantic.
- A request that cannot be decoded is answered; pygls leaves the client waiting.
- A refusal is an answer like any other; pygls logs each with a traceback.
- A reply that comes for a request of ours that was given up is dropped; pygls raises.
- A command that is cancelled stops; pygls answers, and lets it run on.
"""

import inspect
import logging
from collections.abc import Generator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)

from copyspan.errors import CopyspanError
from copyspan_lsp.changes import TextChange

if TYPE_CHECKING:
    from copyspan_lsp.server import CopyspanServer

_logger = logging.getLogger(__name__)


def converter() -> Converter:
    """pygls' converter, with the params of methods that the protocol does not know as plain JSON values."""
    made: Converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in (JsonRPCRequestMessage, JsonRPCNotification):
        made.register_structure_hook(kind, lambda message, cls: cls(**{"params": None, **message}))
    return made


class CopyspanProtocol(LanguageServerProtocol):
    """The protocol of one connection."""

    _server: "CopyspanServer"

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        result = yield from super().lsp_initialize(params)
        result.capabilities.experimental = {"copyspan": {"protocol": 1}}
        return result

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        it = params.text_document
        self._server.documents.open(it.uri, it.language_id, it.version, it.text)
        self._server.document_changed(it.uri)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        it = params.text_document
        self._server.documents.change(it.uri, it.version, [_text_change(change) for change in params.content_changes])
        self._server.document_changed(it.uri)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.documents.close(params.text_document.uri)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]  # a generator cannot be cancelled
        self, params: types.ExecuteCommandParams
    ) -> Any:
        command = self.fm.commands.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams(f"There is no command {params.command}. See executeCommandProvider.commands.")
        result = command(*(params.arguments or ()))
        return await result if inspect.isawaitable(result) else result

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: types.WorkDoneProgressCancelParams) -> None:
        self._server.cancellers.get(params.token, lambda: None)()

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" not in data or "method" not in data:
                raise
            _logger.warning("A request for %s could not be decoded.", data["method"])
            refusal = JsonRpcInvalidParams(f"The parameters of {data['method']} do not fit the protocol.")
            self._send_response(data["id"], None, refusal.to_response_error())
            raise Undecodable from error

    def handle_message(self, message: Any) -> None:
        """pygls leaves requests before `initialize` to chance, and those after `shutdown` without an answer."""
        refusal = self._refusal_of(getattr(message, "method", None))
        if refusal is None or not hasattr(message, "id"):
            super().handle_message(message)
        else:
            self._send_response(message.id, None, refusal.to_response_error())

    def _refusal_of(self, method: str | None) -> JsonRpcException | None:
        if method is None or method in (types.EXIT, types.INITIALIZE):
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("The server is shutting down.")
        if self._workspace is None:
            return JsonRpcServerNotInitialized("The first request has to be initialize.")
        return None

    def _send_handler_result(self, future: "Future[Any]", *, msg_id: Any) -> None:
        if not future.cancelled() and isinstance(refusal := future.exception(), JsonRpcException):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=refusal.to_response_error())
            return
        super()._send_handler_result(future, msg_id=msg_id)

    def _handle_response(
        self, msg_id: Any, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        future = self._request_futures.get(msg_id)
        if future is not None and future.cancelled():
            del self._request_futures[msg_id]
            return
        super()._handle_response(msg_id, result, error)


class Undecodable(CopyspanError):
    """A message that was answered already, and needs nothing more."""


def _text_change(change: types.TextDocumentContentChangeEvent) -> TextChange:
    if isinstance(change, types.TextDocumentContentChangeWholeDocument):
        return TextChange(change.text)
    start, end = change.range.start, change.range.end
    return TextChange(change.text, (start.line, start.character), (end.line, end.character))
