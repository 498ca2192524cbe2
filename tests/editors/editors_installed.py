"""Finds the editors that tests/editors/install.sh installs, and says what is missing. Knows no test."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

NEOVIM = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "copyspan/editors/neovim/bin/nvim"


def require(*command: str) -> str:
    """The program of a command that ends with status 0 where the editor is there, complete and new enough."""
    if (problem := _problem(command)) is None:
        return command[0]
    message = f"{command[0]} {problem}; tests/editors/install.sh installs the editors"
    if os.environ.get("COPYSPAN_REQUIRE_EDITORS") == "1":
        pytest.fail(message)
    pytest.skip(message)


def _problem(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    except OSError:
        return "is not installed"
    return f"is too old or incomplete: {(done.stdout + done.stderr).strip()[-500:]}" if done.returncode else None
