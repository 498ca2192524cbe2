"""The server as a process: how it starts, over which channels, what it does with nonsense, and that it ends."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from editor_client import CODE_POINTS, NEOVIM, VSCODE, EditorClient
from protocol_page import Connection
from pytest_lsp import ClientServerConfig
from scripted_sessions import Gate, connected, started

pytestmark = [pytest.mark.asyncio, pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning")]

INSTALLED = [sys.executable, "-c", "from copyspan.cli.app import main; main()", "serve"]
PATIENCE = 60


class TestStart:
    @pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="the system does not tell what a process loaded")
    async def test_it_answers_without_torch(self) -> None:
        """Seconds of importing would come before the first answer, in every editor that is opened."""
        editor = await started(ClientServerConfig(server_command=INSTALLED, client_factory=EditorClient))
        await editor.start_session(NEOVIM)
        buffer = editor.open("# ai: x\n")
        assert len(await editor.actions(buffer, buffer.at("# ai"))) == 1
        assert (await editor.ask("copyspan/status"))["state"] == "unloaded"
        loaded = Path(f"/proc/{editor.pid}/maps").read_text()
        assert "python" in loaded
        assert "torch" not in loaded
        assert "transformers" not in loaded
        assert await editor.leave() == 0

    @pytest.mark.parametrize(("kind", "encoding"), [(VSCODE, "utf-16"), (NEOVIM, "utf-8"), (CODE_POINTS, "utf-32")])
    async def test_it_says_what_it_can(self, kind: Any, encoding: str) -> None:
        async with connected(kind) as editor:
            capabilities = editor.initialized_with.capabilities
            assert capabilities.position_encoding == encoding
            assert capabilities.text_document_sync.change == 2
            assert capabilities.text_document_sync.open_close is True
            assert capabilities.experimental == {"copyspan": {"protocol": 1}}
            assert editor.initialized_with.server_info.name == "copyspan"


class TestEnd:
    async def test_a_proper_goodbye_ends_it_well(self) -> None:
        editor = await started()
        await editor.start_session()
        assert await editor.leave() == 0

    async def test_without_a_goodbye_it_ends_with_an_error(self) -> None:
        editor = await started()
        await editor.start_session()
        editor.exit(None)
        assert await self._ended(editor) == 1

    @pytest.mark.parametrize("busy", ["idle", "working", "loading"])
    async def test_it_does_not_outlive_its_client(self, gate: Gate, busy: str) -> None:
        editor = await started()
        await editor.start_session(options={"model": f"slow {gate}"} if busy == "loading" else None)
        if busy != "idle":
            edit = editor.edit(editor.open("total\n"), f"replace total with amount {gate}")
            await editor.until(lambda: editor.statuses and editor.statuses[-1]["state"] == busy)
        assert editor._server is not None
        assert editor._server.stdin is not None
        editor._server.stdin.close()
        assert await self._ended(editor) == 1
        if busy != "idle":
            with pytest.raises(Exception, match=r"cancel|exited|shutting down"):
                await edit

    async def test_an_edit_that_is_on_its_way_does_not_hold_it(self, gate: Gate) -> None:
        editor = await started()
        await editor.start_session()
        edit = editor.edit(editor.open("total\n"), f"replace total with amount {gate}")
        await editor.until(lambda: editor.statuses and editor.statuses[-1]["state"] == "working")
        assert await editor.leave() == 0
        with pytest.raises(Exception, match=r"cancel|shutting down|exited"):
            await edit

    async def _ended(self, editor: EditorClient) -> int:
        assert editor._server is not None
        code = await asyncio.wait_for(editor._server.wait(), PATIENCE)
        await editor.stop()
        return code


class TestTransports:
    @asynccontextmanager
    async def serving(self, option: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = await asyncio.create_subprocess_exec(*INSTALLED, option, "--port", str(port))
        try:
            yield process, port
            assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def connect(self, start: Callable[..., Any], port: int) -> None:
        """As soon as it listens."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    return await start("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.02)

    @pytest.mark.parametrize("option", ["--tcp", "--ws"])
    async def test_a_session_over_the_network(self, option: str) -> None:
        async with self.serving(option) as (_, port):
            editor = EditorClient()
            await self.connect(editor.start_tcp if option == "--tcp" else editor.start_ws, port)
            await editor.start_session()
            buffer = editor.open("x = 1\n# ai: 😀 é\n")
            [action] = await editor.actions(buffer, buffer.at("😀"))
            assert action.title == "AI edit: 😀 é"
            assert (await editor.ask("copyspan/status"))["state"] == "unloaded"
            await editor.shutdown_async(None)
            editor.exit(None)
            await editor.stop()


@pytest.fixture(scope="module")
def wire() -> Iterator[Connection]:
    connection = Connection()
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    connection.send({"id": 0, "method": "initialize", "params": params})
    connection.until({"id": 0})
    connection.send({"method": "initialized", "params": {}})
    yield connection
    connection.send({"id": "bye", "method": "shutdown"})
    connection.until({"id": "bye"})
    connection.send({"id": "late", "method": "copyspan/status"})
    assert connection.until({"id": "late"})[-1]["error"]["code"] == -32600
    connection.send({"method": "exit"})
    assert connection.exit_code() == 0


class TestNonsense:
    """Messages that no client should send get an answer where they are requests, also after `shutdown`."""

    @pytest.mark.parametrize(
        ("method", "params"),
        [
            ("textDocument/codeAction", {"textDocument": 1}),
            ("textDocument/codeAction", None),
            ("codeAction/resolve", []),
            ("workspace/executeCommand", {"command": {}}),
            ("copyspan/edit", None),
            ("copyspan/edit", []),
            ("copyspan/edit", {"textDocument": {"uri": 1}, "instruction": "x"}),
            ("copyspan/edit", {"textDocument": {"uri": "file:///a"}, "instruction": "x", "position": {"line": -1}}),
            ("copyspan/next", {"editId": None}),
        ],
    )
    async def test_a_request_that_cannot_be_read_is_answered(self, wire: Connection, method: str, params: Any) -> None:
        for id in (7, "eight"):
            wire.send({"id": id, "method": method, "params": params})
            answer = wire.until({"id": id})[-1]
            assert answer["error"]["code"] == -32602, answer
            assert answer["error"]["message"]
        wire.send({"id": 9, "method": "copyspan/status"})
        assert wire.until({"id": 9})[-1]["result"]["state"] == "unloaded"

    async def test_an_unknown_request_is_answered_and_an_unknown_notification_is_not(self, wire: Connection) -> None:
        wire.send({"method": "nonsense", "params": {"a": 1}})
        wire.send({"method": "$/nonsense"})
        wire.send({"id": 1, "method": "nonsense", "params": {}})
        assert wire.until({"id": 1})[-1]["error"]["code"] == -32601

    async def test_a_notification_that_cannot_be_read_does_no_harm(self, wire: Connection) -> None:
        document = {"uri": "file:///a.py", "languageId": "python", "version": 1, "text": "total\n"}
        wire.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        wire.send({"method": "textDocument/didChange", "params": {"textDocument": 1}})
        identifier = {"uri": "file:///nowhere.py", "version": 2}
        wire.send(
            {
                "method": "textDocument/didChange",
                "params": {"textDocument": identifier, "contentChanges": [{"text": ""}]},
            }
        )
        wire.send({"method": "textDocument/didClose", "params": {"textDocument": identifier}})
        wire.send({"method": "$/cancelRequest", "params": {"id": 99}})
        wire.send({"id": 5, "result": "of nothing"})
        ask = {"textDocument": {"uri": document["uri"]}, "instruction": "replace total with amount"}
        wire.send({"id": 1, "method": "copyspan/edit", "params": ask})
        assert wire.until({"id": 1})[-1]["result"]["hunks"][0]["newText"] == "amount\n"

    async def test_before_the_first_message_nothing_else_counts(self) -> None:
        connection = Connection()
        connection.send({"id": 1, "method": "copyspan/status"})
        assert connection.until({"id": 1})[-1]["error"]["code"] == -32002
        connection.send({"method": "exit"})
        assert connection.exit_code() == 1
