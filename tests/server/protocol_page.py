"""docs/PROTOCOL.md as tests read it: its tables, and the session that it shows, played with the scripted server.

A message of the session is compared but for what differs from run to run: ids, costs, versions of the program, and how
partial results and reports of progress are cut into notifications.
"""

import json
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Message = dict[str, Any]

PAGE = Path(__file__).parents[2] / "docs" / "PROTOCOL.md"
SERVER = Path(__file__).parent / "scripted_server.py"
_PATIENCE = 60
"""Seconds after which a message that does not come is given up."""
_VARYING = {"seconds", "forwards", "plainForwards", "promptTokens", "reusedTokens", "copiedTokens", "generatedTokens"}


@dataclass(frozen=True, slots=True)
class Turn:
    """Messages that one side sends in a row."""

    sender: Literal["client", "server"]
    messages: tuple[Message, ...]


def session() -> list[Turn]:
    """The JSON blocks of the page, in order: all of them belong to the session."""
    blocks = re.findall(r"^```([^\n]+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    turns = []
    for info, body in blocks:
        sender = {"json client": "client", "json server": "server"}[info]
        turns.append(Turn(sender, tuple(_messages(body))))  # type: ignore[arg-type]
    return turns


def _messages(body: str) -> Iterator[Message]:
    decoder, rest = json.JSONDecoder(), body.strip()
    while rest:
        message, stop = decoder.raw_decode(rest)
        yield message
        rest = rest[stop:].lstrip()


def tables() -> dict[str, list[list[str]]]:
    """The rows of the page's tables, cells without backticks, by the heading of the table's first column or section.

    A table under a heading of level 4, the name of a payload, goes by that name.
    """
    found: dict[str, list[list[str]]] = {}
    name, is_head = "", True
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            is_head = True
            if line.startswith("#"):
                name = line[5:] if line.startswith("#### ") else ""
        elif is_head:
            is_head, key = False, name or line.split("|")[1].strip()
            name = ""
        elif not line.startswith("|---"):
            found.setdefault(key, []).append([cell.strip().replace("`", "") for cell in line.split("|")[1:-1]])
    return found


class Connection:
    """A client that sends and receives messages as they are."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._received: queue.SimpleQueue[Message] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def until(self, last: Message) -> list[Message]:
        """What comes up to a message like `last`: the same method, or the answer to the same request."""
        received: list[Message] = []
        while not received or not _is_like(received[-1], last):
            received.append(self._received.get(timeout=_PATIENCE))
        return received

    def exit_code(self) -> int:
        """After `exit`."""
        return self._process.wait(_PATIENCE)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(length))
            del message["jsonrpc"]
            self._received.put(message)


def _is_like(message: Message, wanted: Message) -> bool:
    if "method" in wanted:
        return message.get("method") == wanted["method"]
    return "method" not in message and message.get("id") == wanted["id"]


@dataclass(slots=True)
class Player:
    """Plays the client's part, with the ids that the server really gave for those on the page."""

    connection: Connection
    _real: dict[Any, Any] = field(default_factory=dict)

    def play(self, turn: Turn) -> tuple[list[Message], list[Message]]:
        """What came in the server's turn and what the page says, both without what may differ."""
        if turn.sender == "client":
            for message in turn.messages:
                self.connection.send(self._with_real_ids(message))
            return [], []
        received = self.connection.until(turn.messages[-1])
        self._learn_ids(received[-1], turn.messages[-1])
        return steady(received, turn.messages), steady(turn.messages, turn.messages)

    def _learn_ids(self, received: Message, wanted: Message) -> None:
        if "method" in wanted:
            self._real[wanted["id"]] = received["id"]
        elif isinstance(wanted.get("result"), dict) and "editId" in wanted["result"]:
            self._real[wanted["result"]["editId"]] = received["result"]["editId"]

    def _with_real_ids(self, message: Message) -> Message:
        ids = {"id": self._real.get(message["id"], message["id"])} if "id" in message else {}
        params = message.get("params", {})
        edit_id = {"params": {**params, "editId": self._real[params["editId"]]}} if "editId" in params else {}
        return {**message, **ids, **edit_id}


def steady(messages: Sequence[Message], shown: Sequence[Message]) -> list[Message]:
    """The messages of the kinds that are shown, without what differs from run to run."""
    methods = {message.get("method") for message in shown}
    kept = [message for message in messages if message.get("method") in methods]
    return _without_later_reports(_with_joined_parts([_masked(message) for message in kept]))


def _masked(message: Message) -> Message:
    """Ids of the server's, costs and versions of programs as what they are."""

    def mask(name: str, value: Any) -> Any:
        if name in _VARYING or (name == "version" and isinstance(value, str)):
            return type(value).__name__ if name != "seconds" else "number"
        if name == "editId":
            return "id"
        if name == "message":
            return re.sub(r", \d+ times fewer decode steps", "", value)
        if isinstance(value, dict):
            return {key: mask(key, item) for key, item in value.items()}
        return [mask("", item) for item in value] if isinstance(value, list) else value

    ids = {"id": "server's"} if "id" in message and "method" in message else {}
    return {**{key: mask(key, value) for key, value in message.items()}, **ids}


def _with_joined_parts(messages: list[Message]) -> list[Message]:
    """All partial results in the last of their notifications, their text as if it had come in one piece."""
    parts = [message for message in messages if "items" in _progress(message)]
    if not parts:
        return messages
    items: list[Message] = []
    for item in (item for message in parts for item in _progress(message)["items"]):
        if items and item["kind"] == items[-1]["kind"] == "text" and item["line"] == items[-1]["line"]:
            items[-1] = {**item, "text": items[-1]["text"] + item["text"]}
        elif items and item["kind"] == items[-1]["kind"] == "copied" and item["startLine"] == items[-1]["stopLine"]:
            items[-1] = {**items[-1], "stopLine": item["stopLine"]}
        else:
            items.append(item)
    joined = {**parts[-1], "params": {**parts[-1]["params"], "value": {"items": items}}}
    return [joined if it is parts[-1] else it for it in messages if it is parts[-1] or "items" not in _progress(it)]


def _without_later_reports(messages: list[Message]) -> list[Message]:
    """Of the reports of progress the first alone: the others depend on the time."""
    reports = [message for message in messages if _progress(message).get("kind") == "report"]
    return [message for message in messages if message not in reports[1:]]


def _progress(message: Message) -> dict[str, Any]:
    return message["params"]["value"] if message.get("method") == "$/progress" else {}
