"""The server with the real 0.5B model, started as a person starts it. Texts and counts are asserted, never times."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.lsp.client import BaseLanguageClient

from copyspan.models.weights import require
from real_model import REAL_MODEL

pytestmark = pytest.mark.real

EXAMPLE = (Path(__file__).parents[2] / "examples" / "inventory.py").read_text(encoding="utf-8")
URI = "file:///project/inventory.py"


@pytest_asyncio.fixture
async def client(real_engine: object) -> AsyncIterator[BaseLanguageClient]:
    """A client of `copyspan serve`; `real_engine` has seen to it that the model is on disk."""
    require(REAL_MODEL)
    client = BaseLanguageClient("test", "1")
    await client.start_io(sys.executable, "-m", "copyspan_lsp")
    options = {"copyspan": {"model": REAL_MODEL, "warmStart": "on"}}
    capabilities = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
        ),
        text_document=types.TextDocumentClientCapabilities(
            code_action=types.CodeActionClientCapabilities(
                data_support=True, resolve_support=types.ClientCodeActionResolveOptions(["edit"])
            )
        ),
    )
    await client.initialize_async(types.InitializeParams(capabilities, initialization_options=options))
    client.initialized(types.InitializedParams())
    yield client
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


def open_document(client: BaseLanguageClient, text: str) -> None:
    item = types.TextDocumentItem(URI, "python", 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))


async def request(client: BaseLanguageClient, method: str, params: dict[str, Any]) -> Any:
    return await client.protocol.send_request_async(method, params)


def applied(text: str, hunks: Any) -> str:
    """The text after hunks, each of which replaces whole lines."""
    lines = text.splitlines(keepends=True)
    for hunk in reversed(hunks):
        lines[hunk.range.start.line : hunk.range.end.line] = [hunk.newText]
    return "".join(lines)


@pytest.mark.asyncio
async def test_an_edit_streams_and_comes_with_its_cost(client: BaseLanguageClient) -> None:
    items: list[Any] = []
    client.feature(types.PROGRESS)(lambda params: items.extend(params.value["items"]))
    open_document(client, EXAMPLE)
    document = {"uri": URI, "version": 1}
    instruction = "Rename the function discount to reduced."
    wanted = {"textDocument": document, "instruction": instruction, "partialResultToken": "p"}
    result = await request(client, "copyspan/edit", wanted)
    text = applied(EXAMPLE, result.hunks)
    assert "def reduced(price: float, percent: float) -> float:" in text
    assert result.changedLines < 8
    assert result.cost.forwards < result.cost.plainForwards / 4  # a program and a search included
    kinds = [item["kind"] for item in items]
    assert kinds[0] == "answer"
    assert {"copied", "text", "hunk"} <= set(kinds)
    status = await request(client, "copyspan/status", {})
    assert (status.state, status.model) == ("ready", REAL_MODEL)


@pytest.mark.asyncio
async def test_a_cancelled_edit_leaves_the_model_ready_for_the_next(client: BaseLanguageClient) -> None:
    open_document(client, EXAMPLE)
    started = asyncio.Event()
    client.feature(types.PROGRESS)(lambda params: started.set() if params.token == "p" else None)
    document = {"uri": URI, "version": 1}
    wanted = {"textDocument": document, "instruction": "Add a docstring to discount.", "partialResultToken": "p"}
    future = client.protocol.send_request("copyspan/edit", wanted, msg_id="first")
    await started.wait()
    client.cancel_request(types.CancelParams("first"))
    with pytest.raises(Exception, match="canceled"):
        await asyncio.wrap_future(future)
    wanted = {"textDocument": document, "instruction": "Rename the function discount to reduced."}
    result = await request(client, "copyspan/edit", wanted)
    assert "def reduced(" in applied(EXAMPLE, result.hunks)
    assert result.cost.reusedTokens > 400


@pytest.mark.asyncio
async def test_an_instruction_comment_is_carried_out_and_goes_away(client: BaseLanguageClient) -> None:
    text = EXAMPLE.replace("def discount(", "# ai: Rename the function discount to reduced.\ndef discount(")
    open_document(client, text)
    line = text[: text.index("# ai:")].count("\n")
    place = types.Range(types.Position(line, 3), types.Position(line, 3))
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(types.TextDocumentIdentifier(URI), place, types.CodeActionContext([]))
    )
    resolved = await client.code_action_resolve_async(actions[0])
    change = resolved.edit.document_changes[0]
    assert change.text_document.version == 1
    lines = text.splitlines(keepends=True)
    for edit in reversed(change.edits):
        start, end = edit.range.start, edit.range.end
        head, tail = lines[start.line][: start.character], "".join(lines[end.line : end.line + 1])[end.character :]
        lines[start.line : end.line + 1] = [head + edit.new_text + tail]
    assert "# ai:" not in "".join(lines)
    assert "def reduced(" in "".join(lines)
