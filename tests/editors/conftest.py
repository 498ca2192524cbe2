"""The programs that several files here need; one that is missing skips or fails the test (editors_installed)."""

import pytest
from editors_installed import NEOVIM, require


@pytest.fixture(scope="session")
def tmux() -> str:
    return require("tmux", "-V")


@pytest.fixture(scope="session")
def neovim() -> str:
    program = str(NEOVIM) if NEOVIM.exists() else "nvim"
    return require(program, "--clean", "--headless", "+if !has('nvim-0.11') | cquit | endif", "+qall")
