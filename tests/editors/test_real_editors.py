"""Editors as they are, without a plugin of ours, take an AI edit from the server by their own code actions.

The tests of an editor that is missing are skipped; with COPYSPAN_REQUIRE_EDITORS=1 they fail. tests/editors/install.sh
installs all editors. COPYSPAN_TEST_SERVER is another server command than the scripted one, as a JSON list.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from editor_runs import Terminal, Workplace, run_alone
from editors_installed import require

pytestmark = pytest.mark.editors

HERE = Path(__file__).parent
SCRIPTED = [sys.executable, str(HERE.parent / "server" / "scripted_server.py")]

PLAIN = "def bill(total):\n    # ai: replace total with amount\n    return total + 1\n"
DOCUMENTS = {
    "plain": PLAIN,
    "not ASCII": "def bill(total):  # é\n    # ai: replace total with amount\n    return '😀é', total, 'ü', total\n",
    "CRLF, no final newline": PLAIN.replace("\n", "\r\n").removesuffix("\r\n"),
}


def edited(text: str) -> str:
    """What the document has to be: the instruction is carried out, and its comment is gone."""
    kept = [line for line in text.splitlines(keepends=True) if "# ai:" not in line]
    return "".join(kept).replace("total", "amount")


@pytest.fixture(scope="session")
def emacs() -> str:
    return require("emacs", "--batch", "--eval", "(require 'eglot)")


@pytest.fixture(scope="session")
def vim() -> str:
    return require(
        "vim", "-Nes", "-u", "NONE", "-i", "NONE", "+if !has('job') | cquit | endif", "+packadd ale", "+qall"
    )


@pytest.fixture(params=DOCUMENTS.values(), ids=list(DOCUMENTS))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workplace]:
    command = os.environ.get("COPYSPAN_TEST_SERVER")
    workplace = Workplace.create(tmp_path / "run", request.param, json.loads(command) if command else SCRIPTED)
    yield workplace
    workplace.end()


def type_edit(terminal: Terminal, place: Workplace, *ask: str) -> None:
    """Type what a person would: to the comment, ask for actions, choose, write; undo, write elsewhere, quit."""
    terminal.type(":2", "Enter")
    terminal.type(*ask)
    number = terminal.expect(r"(\d+)[:)] AI edit: replace total with amount")[1]
    terminal.type(number, "Enter")
    terminal.expect(r"bill\(amount\)")
    terminal.type(":write", "Enter", "u")
    terminal.type(f":write {place.undone}", "Enter")
    terminal.wait(place.undone.exists, "what one undo gave")
    terminal.type(":qall!", "Enter")


def check(place: Workplace) -> None:
    place.expect_quiet()
    assert place.document.read_bytes() == edited(place.text).encode()
    assert place.undone.read_bytes() == place.text.encode()


def test_neovim_applies_the_edit(neovim: str, place: Workplace) -> None:
    setup, probe = (f"luafile {HERE / name}" for name in ("neovim_setup.lua", "neovim_probe.lua"))
    run_alone([neovim, "--headless", "--clean", "--cmd", setup, "-c", probe, place.document], place)
    check(place)


@pytest.mark.parametrize("place", [PLAIN], indirect=True, ids=["plain"])
def test_neovim_applies_the_edit_by_its_default_key(neovim: str, tmux: str, place: Workplace) -> None:
    terminal = Terminal([neovim, "--clean", "--cmd", f"luafile {HERE / 'neovim_setup.lua'}", place.document], place)
    terminal.wait(place.attached.exists, "the client to attach")
    type_edit(terminal, place, "gra")
    check(place)


def test_emacs_applies_the_edit(emacs: str, place: Workplace) -> None:
    run_alone([emacs, "--batch", "--load", HERE / "emacs_probe.el"], place)
    check(place)


def test_vim_with_ale_applies_the_edit(vim: str, tmux: str, place: Workplace) -> None:
    terminal = Terminal([vim, "-N", "-i", "NONE", "-u", HERE / "vim_ale_setup.vim", place.document], place)
    terminal.expect("def bill")
    type_edit(terminal, place, ":ALECodeAction", "Enter")
    check(place)
