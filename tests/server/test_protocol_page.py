"""docs/PROTOCOL.md says what the server does: its session is played, its tables are compared with the code."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from protocol_page import Connection, Message, Player, Turn, session, tables

from copyspan import errors
from copyspan_lsp import protocol, refusals
from copyspan_lsp.convert import error_of
from copyspan_lsp.server import CopyspanServer

SESSION = session()
TABLES = tables()
PAYLOADS = [
    protocol.EditParams,
    protocol.NextParams,
    protocol.CancelParams,
    protocol.DocumentIdentifier,
    protocol.EditResult,
    protocol.Scope,
    protocol.Hunk,
    protocol.Cost,
    protocol.Status,
    protocol.CommandResult,
]
NEVER_SENT = {
    "CopyspanError",  # bases of others
    "ModelError",
    "ProgramError",
    "ProgramSyntaxError",  # of programs that models write, which the server does not ask for
    "ProgramRangeError",
}


@pytest.fixture
def player() -> Iterator[Player]:
    connection = Connection()
    yield Player(connection)
    connection.kill()


def test_the_session_goes_as_the_page_says(player: Player) -> None:
    for turn in SESSION:
        received, shown = player.play(turn)
        assert received == shown
    assert player.connection.exit_code() == 0


def payloads(turns: list[Turn]) -> Iterator[tuple[type[protocol.Payload], Any]]:
    """Everything of ours in the session, with its model."""
    results: dict[Any, type[protocol.Payload]] = {}
    for message in (message for turn in turns for message in turn.messages):
        method, params = message.get("method"), message.get("params", {})
        match method:
            case protocol.EDIT | protocol.NEXT:
                results[message["id"]] = protocol.EditResult
                yield (protocol.EditParams if method == protocol.EDIT else protocol.NextParams), params
            case protocol.STATUS:
                results[message["id"]] = protocol.Status
            case protocol.STATUS_CHANGED:
                yield protocol.Status, params
            case "workspace/executeCommand":
                results[message["id"]] = protocol.CommandResult
                yield protocol.EditParams, params["arguments"][0]
            case "codeAction/resolve":
                yield protocol.ActionData, params["data"]
            case "$/progress" if "items" in params["value"]:
                yield protocol.PartialResults, params["value"]
        if "error" in message:
            yield protocol.ErrorData, message["error"]["data"]
        elif "result" in message and message["id"] in results:
            yield results[message["id"]], message["result"]


def test_the_payloads_of_the_session_fit_their_models() -> None:
    found = list(payloads(SESSION))
    shown = {kind for kind, _ in found}
    assert shown >= {protocol.EditResult, protocol.PartialResults, protocol.Status, protocol.ErrorData}
    for kind, payload in found:
        assert kind.model_validate(payload).to_wire() == payload


def test_the_session_shows_every_kind_of_partial_result() -> None:
    items = [item for kind, value in payloads(SESSION) if kind is protocol.PartialResults for item in value["items"]]
    kinds = {get_args(part.model_fields["kind"].annotation)[0]: part for part in get_args(protocol.PartialResult)}
    assert {item["kind"] for item in items} == kinds.keys()
    for kind, fields, _ in TABLES["kind"][: len(kinds)]:
        assert set(fields.split(", ")) | {"kind"} == names_of(kinds[kind])


def test_what_is_told_of_an_answer_joins_to_the_new_text() -> None:
    (told,) = (value["items"] for kind, value in payloads(SESSION) if kind is protocol.PartialResults)
    (opened,) = (message for turn in SESSION for message in turn.messages if is_of(message, "textDocument/didOpen"))
    lines = opened["params"]["textDocument"]["text"].splitlines(keepends=True)
    result = next(value for kind, value in payloads(SESSION) if kind is protocol.EditResult)
    new = list(lines)
    for hunk in reversed(result["hunks"]):
        new[hunk["range"]["start"]["line"] : hunk["range"]["end"]["line"]] = [hunk["newText"]]
    pieces = {
        "text": lambda item: item["text"],
        "copied": lambda item: "".join(lines[item["startLine"] : item["stopLine"]]),
    }
    assert "".join(pieces[item["kind"]](item) for item in told if item["kind"] in pieces) == "".join(new)
    assert [item["hunk"] for item in told if item["kind"] == "hunk"] == result["hunks"]


def is_of(message: Message, method: str) -> bool:
    return message.get("method") == method


def names_of(payload: type[protocol.Payload]) -> set[str]:
    return {field.alias or name for name, field in payload.model_fields.items()}


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload.__name__)
def test_the_table_of_a_payload_has_its_fields(payload: type[protocol.Payload]) -> None:
    fields = [
        f"{field.alias or name}{'?' if field.default is None else ''}" for name, field in payload.model_fields.items()
    ]
    assert [row[0] for row in TABLES[payload.__name__]] == fields


def test_the_table_of_states_is_complete() -> None:
    assert [row[0] for row in TABLES["state"]] == list(get_args(protocol.State))


def test_the_table_of_commands_is_complete() -> None:
    assert {row[0] for row in TABLES["command"]} == set(CopyspanServer().protocol.fm.commands)


def test_the_table_of_errors_has_every_kind_with_its_code() -> None:
    kinds = {
        kind.__name__: kind
        for module in (errors, refusals)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, errors.CopyspanError) and kind.__name__ not in NEVER_SENT
    }
    listed = {kind: int(code) for kind, code, _ in TABLES["kind"][len(get_args(protocol.PartialResult)) :]}
    assert listed == {name: error_of(made(kind)).code for name, kind in kinds.items()}


def made(kind: type[errors.CopyspanError]) -> errors.CopyspanError:
    return kind(2, 1) if kind is errors.ContextTooLong else kind("why")  # type: ignore[call-arg]
