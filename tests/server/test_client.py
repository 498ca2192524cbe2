"""What the recorded editors can do, and what they cannot."""

import json
from pathlib import Path

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from copyspan_lsp.client import Client

CAPABILITIES = Path(__file__).parent / "capabilities"


def params(recorded: dict, **more) -> types.InitializeParams:
    return get_converter().structure({"processId": None, "rootUri": None, **recorded, **more}, types.InitializeParams)


def recorded(editor: str) -> dict:
    return json.loads((CAPABILITIES / f"{editor}.json").read_text())


@pytest.mark.parametrize(
    ("editor", "expected"),
    [
        (
            "vscode",
            Client(
                versioned_edits=True,
                resolves_edits=True,
                counts_units=True,
                shows_progress=True,
                asks_messages=True,
                pulls_settings=True,
                pushes_settings=True,
            ),
        ),
        (  # it takes documentChanges, and announces only the operations that come in them
            "neovim",
            Client(
                versioned_edits=True,
                resolves_edits=True,
                counts_units=True,
                shows_progress=True,
                asks_messages=True,
                pulls_settings=True,
            ),
        ),
        ("emacs", Client(versioned_edits=True, counts_units=False, pulls_settings=True)),
        ("vim_ale", Client(counts_units=False)),
    ],
)
def test_recorded_editors(editor, expected):
    assert Client.of(params(recorded(editor))) == expected


def test_a_client_that_says_nothing_is_trusted_with_little():
    assert Client.of(params({"capabilities": {}})) == Client(counts_units=False)


@pytest.mark.parametrize("name", ["Eglot", "eglot", "Emacs", "emacs"])
def test_an_editor_that_blocks_while_it_resolves_gets_commands(name):
    able = recorded("vscode")
    assert not Client.of(params(able, clientInfo={"name": name})).resolves_edits
    assert Client.of(params(able, clientInfo={"name": f"{name} fork"})).resolves_edits
    assert Client.of(params(able, clientInfo={"name": name})) == Client(
        **{
            field: getattr(Client.of(params(able)), field)
            for field in Client.__dataclass_fields__
            if field != "resolves_edits"
        }
    )


@pytest.mark.parametrize(
    ("action", "resolves"),
    [
        ({"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}, True),
        ({"dataSupport": True, "resolveSupport": {"properties": ["command", "edit"]}}, True),
        ({"dataSupport": True, "resolveSupport": {"properties": ["command"]}}, False),
        ({"dataSupport": False, "resolveSupport": {"properties": ["edit"]}}, False),
        ({"resolveSupport": {"properties": ["edit"]}}, False),
        ({"dataSupport": True}, False),
        ({}, False),
    ],
)
def test_an_edit_is_resolved_where_it_is_announced_and_data_comes_back(action, resolves):
    capabilities = {"textDocument": {"codeAction": action}}
    assert Client.of(params({"capabilities": capabilities})).resolves_edits == resolves


@pytest.mark.parametrize(
    ("edits", "versioned"),
    [
        ({"documentChanges": True}, True),
        ({"resourceOperations": ["rename"]}, True),
        ({"resourceOperations": []}, False),
        ({"documentChanges": False}, False),
        ({}, False),
    ],
)
def test_versions_go_to_those_who_take_them(edits, versioned):
    assert Client.of(params({"capabilities": {"workspace": {"workspaceEdit": edits}}})).versioned_edits == versioned


@pytest.mark.parametrize(
    ("options", "command"), [({"askCommand": "x.ask"}, "x.ask"), ({"askCommand": 1}, None), (7, None)]
)
def test_our_own_clients_can_ask(options, command):
    assert Client.of(params({"capabilities": {}}, initializationOptions=options)).ask_command == command
