"""The language server with a model that an inference server runs: edits, cancelling, failures, where text goes."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import BaseLanguageClient
from scripted_server import script

from byte_tokenizer import write_byte_tokenizer
from copyspan.testing import ByteTokenizer
from fake_server import FakeServer, fine, hung

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(120)]

SECRET = "sk-very-secret"
TEXT = "".join(f"line {i}\n" for i in range(40))
PATIENCE = 60


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_byte_tokenizer(tmp_path_factory.mktemp("tokenizer") / "scripted")


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(script, key=SECRET) as made:
        yield made


class Person:
    """An editor's user."""

    def __init__(self, client: BaseLanguageClient, logs: Path) -> None:
        self.client = client
        self.logs = logs

    def open(self, name: str) -> None:
        item = types.TextDocumentItem(f"file:///{name}", "python", 1, TEXT)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    async def edit(self, name: str, instruction: str = "replace 7 with SEVEN") -> Any:
        wanted = {"textDocument": {"uri": f"file:///{name}", "version": 1}, "instruction": instruction}
        return await asyncio.wait_for(self.client.protocol.send_request_async("copyspan/edit", wanted), PATIENCE)

    async def status(self) -> Any:
        return await asyncio.wait_for(self.client.protocol.send_request_async("copyspan/status", {}), PATIENCE)


@pytest_asyncio.fixture
async def person(
    server: FakeServer, tokenizer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Person]:
    monkeypatch.setenv("COPYSPAN_API_KEY", SECRET)
    client = BaseLanguageClient("test", "1")
    logs: list[str] = []
    client.feature(types.WINDOW_LOG_MESSAGE)(lambda params: logs.append(params.message))
    await client.start_io(sys.executable, "-m", "copyspan_lsp")
    options = {"copyspan": {"model": str(tokenizer), "serverUrl": server.url, "trace": True}}
    await client.initialize_async(types.InitializeParams(types.ClientCapabilities(), initialization_options=options))
    client.initialized(types.InitializedParams())
    yield Person(client, tmp_path)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    assert SECRET not in "".join(logs)


async def test_the_tokenizer_in_the_folder_is_the_one_of_the_script(tokenizer: Path) -> None:
    from copyspan.models.tokenizer import load_tokenizer

    loaded, ours = load_tokenizer(tokenizer), ByteTokenizer()
    assert tuple(loaded.vocabulary) == tuple(ours.vocabulary)
    assert loaded.end_tokens == ours.end_tokens
    assert loaded.chat("über ", ["a", "\tb"]) == ours.chat("über ", ["a", "\tb"])


async def test_an_edit_and_where_its_text_goes(person: Person, server: FakeServer) -> None:
    assert (await person.status()).server == f"127.0.0.1:{server.port}"
    person.open("a.py")
    result = await person.edit("a.py")
    assert [hunk.newText for hunk in result.hunks] == [
        line.replace("7", "SEVEN") for line in TEXT.splitlines(keepends=True) if "7" in line
    ]
    assert (result.model, result.device) == ("scripted", f"127.0.0.1:{server.port}")
    assert result.cost.forwards == len([body for body in server.bodies if len(body["prompt"]) > 600])


async def test_several_documents_at_once(person: Person, server: FakeServer) -> None:
    person.open("a.py")
    await person.edit("a.py")
    server.seconds = 0.1
    names = [f"{number}.py" for number in range(4)]
    for name in names:
        person.open(name)
    results = await asyncio.gather(*(person.edit(name, f"replace 7 with {name}") for name in names))
    for name, result in zip(names, results, strict=True):
        assert {hunk.newText for hunk in result.hunks} == {
            line.replace("7", name) for line in TEXT.splitlines(keepends=True) if "7" in line
        }
    assert server.most_at_once >= 2


async def test_a_cancelled_request_is_given_up_at_the_server(person: Person, server: FakeServer) -> None:
    person.open("a.py")
    await person.edit("a.py")
    server.faults = [fine, hung]
    task = asyncio.ensure_future(person.edit("a.py", "replace 8 with EIGHT"))
    for _ in range(PATIENCE * 100):
        if not server.faults:
            break
        await asyncio.sleep(0.01)
    await asyncio.wait_for(
        person.client.workspace_execute_command_async(types.ExecuteCommandParams("copyspan.cancel", [{}])), PATIENCE
    )
    with pytest.raises(JsonRpcException):
        await task
    for _ in range(PATIENCE * 100):
        if server.aborted:
            break
        await asyncio.sleep(0.01)
    assert server.aborted == 1
    assert (await person.edit("a.py")).hunks


async def test_a_server_that_is_gone_is_told_in_words(person: Person, server: FakeServer) -> None:
    person.open("a.py")
    await person.edit("a.py")
    server.__exit__()
    with pytest.raises(JsonRpcException, match=r"cannot be reached|broke off"):
        await person.edit("a.py", "replace 8 with EIGHT")
    with FakeServer(script, key=SECRET, port=server.port):
        assert (await person.edit("a.py", "replace 8 with EIGHT")).hunks
