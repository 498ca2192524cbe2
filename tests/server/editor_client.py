"""An editor as a language server sees one: a client with buffers of its own, as strict as editors are, or more.

What the server sends is applied slowly and obviously, in the units in which the editor really counts. An edit for
another version than the buffer's is refused (`StaleEdit`), and so is one that no server should send (`BadEdit`).
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.client import JsonRPCClient
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage, default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features
from pytest_lsp.protocol import LanguageClientProtocol
from slow_positions import slow_lines, slow_offset, slow_position

CONVERTER = get_converter()
CAPABILITIES = Path(__file__).parent / "capabilities"
PATIENCE = 30
"""Seconds after which a test stops waiting for what does not come."""

Result = TypeVar("Result")


class StaleEdit(Exception):
    """The edit is for another version of the buffer; the editor keeps what it has, as real ones do."""


class BadEdit(AssertionError):
    """An edit that no server should send."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One editor: what it says of itself, and what it does."""

    name: str
    capabilities: dict[str, Any]
    client_info: dict[str, str] | None
    encoding: str
    """In what it counts columns, whatever the server believes."""
    first_version: int = 1
    sends_whole_text: bool = False
    checks_versions: bool = True
    answers_requests: bool = True


def _kind(file: str, encoding: str, **rest: Any) -> Kind:
    recorded = json.loads((CAPABILITIES / f"{file}.json").read_text())
    return Kind(file, recorded["capabilities"], recorded.get("clientInfo"), encoding, **rest)


def _with_encodings(kind: Kind, *encodings: str) -> dict[str, Any]:
    return {**kind.capabilities, "general": {**kind.capabilities.get("general", {}), "positionEncodings": encodings}}


VSCODE = _kind("vscode", "utf-16")
NEOVIM = _kind("neovim", "utf-8", first_version=0)
EMACS = _kind("emacs", "utf-16", first_version=0)
ALE = _kind("vim_ale", "utf-8", sends_whole_text=True, checks_versions=False, answers_requests=False)
CODE_POINTS = Kind("code points", _with_encodings(VSCODE, "utf-32", "utf-16"), None, "utf-32")
KINDS = {kind.name: kind for kind in (VSCODE, NEOVIM, EMACS, ALE, CODE_POINTS)}


@dataclass(slots=True)
class Buffer:
    """An open document, as the editor has it."""

    uri: str
    version: int
    text: str
    encoding: str
    undo: list[str] = field(default_factory=list)
    """The text before every edit that the server made."""

    def position(self, offset: int) -> dict[str, int]:
        line, character = slow_position(self.text, self.encoding, offset)
        return {"line": line, "character": character}

    def range(self, start: int, stop: int) -> dict[str, Any]:
        return {"start": self.position(start), "end": self.position(stop)}

    def lines(self, start: int, stop: int) -> dict[str, Any]:
        """From the start of one line to the start of another; with `stop` beyond the last line, to the end."""
        starts = [line[0] for line in slow_lines(self.text)]
        return self.range(starts[start], starts[stop] if stop < len(starts) else len(self.text))

    def at(self, piece: str) -> dict[str, int]:
        """Where a piece of text begins."""
        return self.position(self.text.index(piece))

    def span(self, where: dict[str, Any]) -> tuple[int, int]:
        """The characters of a range. Raises BadEdit where it is none of this text."""
        return self._offset(where["start"]), self._offset(where["end"])

    def spans(self, edits: Sequence[dict[str, Any]]) -> list[tuple[int, int, str]]:
        """Edits with offsets: in order, apart, and where an editor has positions."""
        found = [(*self.span(edit["range"]), edit["newText"]) for edit in edits]
        for (_, stop, _), (start, _, _) in pairwise(found):
            if stop > start:
                raise BadEdit(f"edits overlap or are out of order: {found}")
        for start, stop, new in found:
            if stop < start or self.text[start:stop] == new:
                raise BadEdit(f"an edit that changes nothing, or backwards: {start}-{stop} {new!r}")
        return found

    def edited(self, edits: Sequence[dict[str, Any]]) -> str:
        """The text after edits, all of which are for the text as it is."""
        text = self.text
        for start, stop, new in reversed(self.spans(edits)):
            text = text[:start] + new + text[stop:]
        return text

    def _offset(self, position: dict[str, int]) -> int:
        place = position["line"], position["character"]
        offset = slow_offset(self.text, self.encoding, *place)
        if slow_position(self.text, self.encoding, offset) != place:
            raise BadEdit(f"no position {place} in {self.encoding} of {self.text!r}")
        return offset


class _Protocol(LanguageClientProtocol):
    """Notes what arrives; as silent to requests as the editor that it plays."""

    _server: "EditorClient"

    def get_result_type(self, method: str) -> Any:
        """A list of code actions comes as it is: lsprotocol takes an action that has a command for a command."""
        return None if method == types.TEXT_DOCUMENT_CODE_ACTION else super().get_result_type(method)

    def handle_message(self, message: Any) -> None:
        super().handle_message(message)
        self._server.arrived.set()

    def _handle_request(self, msg_id: Any, method_name: str, params: Any) -> None:
        self._server.requests.append((method_name, params))
        if method_name in self._server.unanswered or not self._server.kind.answers_requests:
            if method_name == types.WORKSPACE_APPLY_EDIT:
                self._server.take(CONVERTER.unstructure(params.edit))
            return
        super()._handle_request(msg_id, method_name, params)


class EditorClient(LanguageClient):
    """An editor with a server. `start_session` first, unless pytest-lsp's fixture has done it."""

    protocol: _Protocol

    def __init__(self) -> None:
        super().__init__(protocol_cls=_Protocol, converter_factory=_plain_converter)
        self.kind = VSCODE
        self.arrived = asyncio.Event()
        self.requests: list[tuple[str, Any]] = []
        self.unanswered: set[str] = set()
        """Requests of the server that this editor never answers."""
        self.progress: dict[int | str, list[dict[str, Any]]] = {}
        """All values by token, of work done and of partial results alike."""
        self.statuses: list[dict[str, Any]] = []
        self.button: str | None = None
        """What the person clicks when a message asks something; None leaves it alone."""
        self.stderr = b""
        self.buffers: dict[str, Buffer] = {}
        self.initialized_with: types.InitializeResult
        register_lsp_features(self, {**DEFAULT_CLIENT_FEATURES, **_FEATURES})

    # -- the session

    async def start_io(self, cmd: str, *args: str, **kwargs: Any) -> None:
        await JsonRPCClient.start_io(self, cmd, *args, **kwargs)
        self._stderr_forwarder = asyncio.create_task(self._read_stderr())

    async def start_session(
        self, kind: Kind = VSCODE, options: object = None, configuration: dict[str, Any] | None = None
    ) -> None:
        """Introduce the editor. `configuration` is what it holds under "copyspan"."""
        self.kind = kind
        if configuration is not None:
            self.set_configuration({"copyspan": configuration})
        info = kind.client_info
        self.initialized_with = await self.initialize_session(
            types.InitializeParams(
                capabilities=CONVERTER.structure(kind.capabilities, types.ClientCapabilities),
                client_info=types.ClientInfo(**info) if info else None,
                initialization_options=options,
            )
        )

    async def leave(self) -> int | None:
        """Say goodbye, and wait for the process; its exit code."""
        await self.shutdown_session()
        await self.stop()
        return self._server.returncode if self._server else None

    @property
    def pid(self) -> int:
        assert self._server is not None
        return self._server.pid

    async def _read_stderr(self) -> None:
        assert self._server is not None
        assert self._server.stderr is not None
        while chunk := await self._server.stderr.read(4096):
            self.stderr += chunk

    # -- the person

    def open(self, text: str, uri: str | None = None, told: str | None = None) -> Buffer:
        """Open a Python document. `told` is its text where the server is told another one than the buffer's."""
        uri = uri or f"file:///work/{uuid4().hex}/bill.py"
        buffer = Buffer(uri, self.kind.first_version, text, self.kind.encoding)
        self.buffers[uri] = buffer
        item = types.TextDocumentItem(uri, "python", buffer.version, told or text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return buffer

    def type(self, buffer: Buffer, start: int, stop: int, text: str) -> None:
        """Replace some characters of the buffer, by hand."""
        change = {"range": buffer.range(start, stop), "text": text}
        buffer.text = buffer.text[:start] + text + buffer.text[stop:]
        self._tell(buffer, [change])

    def insert(self, buffer: Buffer, before: str, text: str) -> None:
        """Type some text before a piece of text."""
        place = buffer.text.index(before)
        self.type(buffer, place, place, text)

    def close(self, buffer: Buffer) -> None:
        del self.buffers[buffer.uri]
        identifier = types.TextDocumentIdentifier(buffer.uri)
        self.text_document_did_close(types.DidCloseTextDocumentParams(identifier))

    def ask(self, method: str, params: object = None, msg_id: str | None = None) -> "asyncio.Future[Any]":
        """Send a request of any kind, now; the future is of its plain result."""
        return asyncio.wrap_future(self.protocol.send_request(method, params, msg_id=msg_id))

    def edit(
        self, buffer: Buffer, instruction: str, *, msg_id: str | None = None, **rest: object
    ) -> "asyncio.Future[dict[str, Any]]":
        """`copyspan/edit` of the buffer as it is."""
        document = {"uri": buffer.uri, "version": buffer.version}
        return self.ask("copyspan/edit", {"textDocument": document, "instruction": instruction, **rest}, msg_id)

    async def actions(
        self, buffer: Buffer, where: dict[str, Any], only: list[str] | None = None, problems: Sequence[str] = ()
    ) -> list[types.CodeAction]:
        """The list of code actions for a range, or for a position; `problems` are diagnostics there."""
        spot = CONVERTER.structure(where if "start" in where else {"start": where, "end": where}, types.Range)
        context = types.CodeActionContext([types.Diagnostic(spot, problem) for problem in problems], only)
        params = types.CodeActionParams(types.TextDocumentIdentifier(buffer.uri), spot, context)
        return CONVERTER.structure(await self.ask(types.TEXT_DOCUMENT_CODE_ACTION, params), list[types.CodeAction])

    async def choose(self, action: types.CodeAction) -> None:
        """What this editor does with an action that a person chose."""
        if action.edit is None and action.command is None:
            action = await self.code_action_resolve_async(action)
        if action.edit is not None:
            self.apply(CONVERTER.unstructure(action.edit))
        if action.command is not None:
            await self.command(action.command.command, *action.command.arguments or ())

    async def command(self, name: str, *arguments: object) -> Any:
        params = types.ExecuteCommandParams(name, list(arguments))
        return await self.workspace_execute_command_async(params)

    async def until(self, seen: Callable[[], Result]) -> Result:
        """Wait for something to be true of what the server has sent."""
        async with asyncio.timeout(PATIENCE):
            while not (result := seen()):
                self.arrived.clear()
                await self.arrived.wait()
        return result

    async def settled(self) -> None:
        """Wait for an answer to a request that is sent now: all that the server sent before has arrived by then."""
        await self.ask("copyspan/status")

    # -- edits of the server

    def apply(self, edit: dict[str, Any]) -> None:
        """Apply a WorkspaceEdit, and tell the server. Raises StaleEdit, with all buffers as they were."""
        if ("documentChanges" in edit) != self._takes_document_changes and edit:
            raise BadEdit(f"not the form of edit that {self.kind.name} announced: {edit}")
        changes = edit.get("documentChanges") or [
            {"textDocument": {"uri": uri, "version": None}, "edits": edits} for uri, edits in edit["changes"].items()
        ]
        texts: dict[str, str] = {}
        for change in changes:
            buffer = self.buffers[change["textDocument"]["uri"]]
            wanted = change["textDocument"]["version"]
            if self.kind.checks_versions and wanted != buffer.version:
                raise StaleEdit(f"the edit is for version {wanted}, and the buffer has version {buffer.version}")
            if buffer.uri in texts:
                raise BadEdit("one document is edited twice")
            texts[buffer.uri] = buffer.edited(change["edits"])
        for change in changes:
            buffer = self.buffers[change["textDocument"]["uri"]]
            events = [{"range": edit["range"], "text": edit["newText"]} for edit in reversed(change["edits"])]
            buffer.undo.append(buffer.text)
            buffer.text = texts[buffer.uri]
            self._tell(buffer, events)

    def take(self, edit: dict[str, Any]) -> types.ApplyWorkspaceEditResult:
        """`workspace/applyEdit`."""
        try:
            self.apply(edit)
        except StaleEdit as error:
            return types.ApplyWorkspaceEditResult(applied=False, failure_reason=str(error))
        return types.ApplyWorkspaceEditResult(applied=True)

    @property
    def _takes_document_changes(self) -> bool:
        edits = self.kind.capabilities["workspace"].get("workspaceEdit", {})
        return bool(edits.get("documentChanges") or edits.get("resourceOperations"))

    def _tell(self, buffer: Buffer, changes: list[dict[str, Any]]) -> None:
        buffer.version += 1
        if self.kind.sends_whole_text:
            changes = [{"text": buffer.text}]
        document = {"uri": buffer.uri, "version": buffer.version}
        params = {"textDocument": document, "contentChanges": changes}
        self.text_document_did_change(CONVERTER.structure(params, types.DidChangeTextDocumentParams))


def _progress(client: EditorClient, params: types.ProgressParams) -> None:
    client.progress.setdefault(params.token, []).append(params.value)


def _apply_edit(client: EditorClient, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
    return client.take(CONVERTER.unstructure(params.edit))


async def _ask_person(client: EditorClient, params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
    return next((item for item in params.actions or () if item.title == client.button), None)


def _status_changed(client: EditorClient, params: dict[str, Any]) -> None:
    client.statuses.append(params)


def _register(client: EditorClient, params: types.RegistrationParams) -> None:
    pass  # the protocol notes all requests


_FEATURES: dict[str, Callable[..., Any]] = {
    types.PROGRESS: _progress,
    types.WORKSPACE_APPLY_EDIT: _apply_edit,
    types.WINDOW_SHOW_MESSAGE_REQUEST: _ask_person,
    types.CLIENT_REGISTER_CAPABILITY: _register,
    "copyspan/statusChanged": _status_changed,
}


def _plain_converter() -> Any:
    """Params and results of our own requests as they travel."""
    converter = default_converter()
    for kind in (JsonRPCRequestMessage, JsonRPCNotification):
        converter.register_structure_hook(kind, lambda message, cls: cls(**{"params": None, **message}))
    converter.register_structure_hook(JsonRPCResponseMessage, lambda message, cls: cls(**message))
    return converter
