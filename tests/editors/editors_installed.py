"""Finds the editors that the scripts beside this file install, and says what is missing. Knows no test."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest

NEOVIM = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "copyspan/editors/neovim/bin/nvim"


def require(*command: str) -> str:
    """The program of a command that ends with status 0 where the editor is there, complete and new enough."""
    if (problem := _problem(command)) is not None:
        do_without(f"{command[0]} {problem}; tests/editors/install.sh installs the editors")
    return command[0]


def do_without(message: str) -> NoReturn:
    """Skip the test of an editor that is missing, or fail it where all editors have to be there."""
    if os.environ.get("COPYSPAN_REQUIRE_EDITORS") == "1":
        pytest.fail(message)
    pytest.skip(message)


def _problem(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    except OSError:
        return "is not installed"
    return f"is too old or incomplete: {(done.stdout + done.stderr).strip()[-500:]}" if done.returncode else None
