"""Editors that share a server with the other tests of their module."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_lsp
from editor_client import KINDS, VSCODE, EditorClient
from scripted_sessions import CONFIG, Gate


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = Gate(tmp_path / "gate")
    yield made
    made.open()


@pytest_lsp.fixture(config=CONFIG, scope="module")
async def editor(client: EditorClient) -> AsyncIterator[None]:
    """VS Code."""
    await client.start_session(VSCODE)
    yield
    assert await client.leave() == 0


@pytest_lsp.fixture(config=CONFIG, scope="module", params=[*KINDS])
async def any_editor(client: EditorClient, request: pytest.FixtureRequest) -> AsyncIterator[None]:
    """Every editor in turn, and with them the three position encodings."""
    await client.start_session(KINDS[request.param])
    yield
    assert await client.leave() == 0
