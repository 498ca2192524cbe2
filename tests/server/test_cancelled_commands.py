"""`$/cancelRequest` for a command stops what the command has begun, and not only the waiting for it."""

from collections.abc import Iterator

import pytest
from protocol_page import Connection

TEXT = "".join(f"total += {i}\n" for i in range(40))
DOCUMENT = {"uri": "file:///bill.py", "languageId": "python", "version": 1, "text": TEXT}


@pytest.fixture
def connection() -> Iterator[Connection]:
    connection = Connection()
    connection.send(
        {"id": 0, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}
    )
    connection.send({"method": "initialized", "params": {}})
    connection.send({"method": "textDocument/didOpen", "params": {"textDocument": DOCUMENT}})
    yield connection
    connection.kill()


def test_a_cancelled_command_applies_nothing(connection: Connection) -> None:
    ask = {"textDocument": {"uri": DOCUMENT["uri"]}, "instruction": "replace total with amount"}
    slow = {**ask, "instruction": "replace total with amount [slow]", "partialResultToken": "parts"}
    params = {"command": "copyspan.apply", "arguments": [slow]}
    connection.send({"id": 1, "method": "workspace/executeCommand", "params": params})
    connection.until({"method": "$/progress"})
    connection.send({"method": "$/cancelRequest", "params": {"id": 1}})
    answer = connection.until({"id": 1})[-1]
    assert answer["error"]["code"] == -32800
    connection.send({"id": 2, "method": "copyspan/edit", "params": ask})  # the model works again, so it had stopped
    after = connection.until({"id": 2})
    assert "result" in after[-1]
    assert "workspace/applyEdit" not in [message.get("method") for message in after]


def test_an_unknown_command_is_refused_by_name(connection: Connection) -> None:
    params = {"command": "copyspan.nothing"}
    connection.send({"id": 1, "method": "workspace/executeCommand", "params": params})
    error = connection.until({"id": 1})[-1]["error"]
    assert error["code"] == -32602
    assert "copyspan.nothing" in error["message"]
