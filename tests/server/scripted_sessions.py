"""Editors connected to servers with a scripted model, and a way to hold that model."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from editor_client import VSCODE, EditorClient, Kind
from pytest_lsp import ClientServerConfig

CONFIG = ClientServerConfig(
    server_command=[sys.executable, str(Path(__file__).parent / "scripted_server.py")], client_factory=EditorClient
)


class Gate:
    """What a model waits for whose instruction, or whose name, holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        return f"[until {self._path}]"

    def open(self) -> None:
        self._path.touch()


async def started(config: ClientServerConfig = CONFIG) -> EditorClient:
    """An editor with a server of its own, to which it has not said a word."""
    editor = await config.start()
    assert isinstance(editor, EditorClient)
    return editor


@asynccontextmanager
async def connected(
    kind: Kind = VSCODE, options: object = None, configuration: dict[str, Any] | None = None
) -> AsyncIterator[EditorClient]:
    """An editor with a server of its own, which has to end well."""
    editor = await started()
    try:
        await editor.start_session(kind, options, configuration)
        yield editor
    finally:
        code = await editor.leave()
    assert code == 0
