"""The snippets of docs/EDITORS.md, as they stand there, in the editors that are tested.

`copyspan` on the path is a script that starts the scripted server; all else is as in test_real_editors.
"""

import os
import re
import shlex
from pathlib import Path

import pytest
from editor_runs import Terminal, Workplace, run_alone
from test_real_editors import HERE, PLAIN, SCRIPTED, check, type_edit
from test_real_editors import emacs as emacs
from test_real_editors import vim as vim

pytestmark = pytest.mark.editors

PAGE = Path(__file__).parents[2] / "docs" / "EDITORS.md"


def snippet(kind: str) -> str:
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    program = tmp_path / "bin" / "copyspan"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n[ "$*" = serve ] && exec {shlex.join(SCRIPTED)}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return Workplace.create(tmp_path / "run", PLAIN, SCRIPTED)


def written(place: Workplace, name: str, text: str) -> Path:
    path = place.root / name
    path.write_text(text)
    return path


def test_neovim(neovim: str, place: Workplace) -> None:
    setup = written(place, "init.lua", snippet("lua"))
    probe = f"luafile {HERE / 'neovim_probe.lua'}"
    run_alone([neovim, "--headless", "--clean", "--cmd", f"luafile {setup}", "-c", probe, place.document], place)
    check(place)


def test_emacs(emacs: str, place: Workplace) -> None:
    probe = (HERE / "emacs_probe.el").read_text()
    (setting,) = re.findall(r"^\(setq eglot-server-programs .*\n", probe, re.MULTILINE)
    run_alone([emacs, "--batch", "--load", written(place, "probe.el", probe.replace(setting, snippet("elisp")))], place)
    check(place)


def test_vim_with_ale(vim: str, tmux: str, place: Workplace) -> None:
    quiet = "set nocompatible nomore noswapfile shortmess+=aI\nfiletype plugin on\n"
    setup = written(place, "vimrc", quiet + snippet("vim"))
    terminal = Terminal([vim, "-N", "-i", "NONE", "-u", setup, place.document], place)
    terminal.expect("def bill")
    type_edit(terminal, place, ":ALECodeAction", "Enter")
    check(place)


def test_the_snippets_are_what_the_other_tests_set_up() -> None:
    lua = snippet("lua").replace("{ 'copyspan', 'serve' }", "vim.json.decode(vim.env.COPYSPAN_SERVER)")
    assert lua.removesuffix("vim.lsp.enable('copyspan')\n") in (HERE / "neovim_setup.lua").read_text()
    linters, _, definition = snippet("vim").partition("packadd! ale\n")
    server = "json_decode($COPYSPAN_SERVER)[0]", "join(map(json_decode($COPYSPAN_SERVER), 'shellescape(v:val)'))"
    for written_out, decoded in zip(("'executable': 'copyspan'", "'command': '%e serve'"), server, strict=True):
        definition = definition.replace(written_out, f"{written_out.partition(':')[0]}: {decoded}")
    vimrc = (HERE / "vim_ale_setup.vim").read_text()
    assert linters in vimrc
    assert definition in vimrc
