"""An editor as a language server sees it: a process of its own, one document, no window."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

_NO_CAPABILITIES = types.ClientCapabilities()


class Editor:
    """A server with one open document of Python. What the server tells unasked is left alone, but for progress."""

    def __init__(
        self, name: str, uri: str, text: str, on_progress: Callable[[types.ProgressParams], None] = lambda _: None
    ) -> None:
        self.uri = uri
        self.client = LanguageClient(name, "1")
        self._text = text
        # pygls marks what it is given, which a method does not allow.
        self.client.feature(types.PROGRESS)(lambda params: on_progress(params))
        for method in (types.WINDOW_LOG_MESSAGE, "copyspan/statusChanged"):
            self.client.feature(method)(lambda _: None)

    async def start(
        self,
        command: Sequence[str],
        settings: Mapping[str, Any],
        capabilities: types.ClientCapabilities = _NO_CAPABILITIES,
    ) -> None:
        """Start the server, and introduce the editor."""
        await self.client.start_io(*command)
        options = {"copyspan": dict(settings)}
        await self.client.initialize_async(types.InitializeParams(capabilities, initialization_options=options))
        self.client.initialized(types.InitializedParams())

    def open(self) -> None:
        item = types.TextDocumentItem(self.uri, "python", 1, self._text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def ask(self, instruction: str, identifier: str | None = None, **more: object) -> Any:
        """Request an edit, by our own method; a future of its result."""
        params = {"textDocument": {"uri": self.uri, "version": 1}, "instruction": instruction, **more}
        return self.client.protocol.send_request_async("copyspan/edit", params, msg_id=identifier)

    async def leave(self) -> None:
        """Let the server end, and wait for that."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]  # of pygls
