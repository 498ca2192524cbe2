"""The extension in real VS Code, the newest and the oldest that it supports: in the extension host, and at the window.

Without VS Code these tests are skipped; with COPYSPAN_REQUIRE_EDITORS=1 they fail (tests/editors/install_vscode.sh
installs it). COPYSPAN_SCREENSHOTS names a folder for pictures of an edit by a real model, COPYSPAN_TEST_MODEL another
model for it.
"""

import os
import sys
from pathlib import Path

import pytest
from vscode_runs import DRIVERS, Version, build_extension, require_vscode, running

from copyspan.models.weights.store import cache_root
from real_model import REAL_MODEL

pytestmark = pytest.mark.editors

# Short drafts, so that a mark can stop the model in the middle of a line.
SCRIPTED = [
    *("env", "SCRIPTED_DRAFT_LIMIT=4"),
    *(sys.executable, str(Path(__file__).parents[1] / "server" / "scripted_server.py")),
]
LONGEST = 150  # seconds
BILL = '''\
"""Bills."""


def bill(total, rate):
    """What to pay, with tax."""
    tax = total * rate
    return total + tax


class Account:
    # ai: replace owner with holder
    def __init__(self, owner):
        self.owner = owner
        self.total = 0

    def add(self, price):
        self.total += price
'''


@pytest.fixture(scope="session")
def extension() -> Path:
    return build_extension()


@pytest.fixture(params=["new", "old"], ids=["1.139", "1.99"])
def version(request: pytest.FixtureRequest, extension: Path) -> Version:
    return require_vscode(request.param)


def test_inside_the_extension_host(version: Version) -> None:
    with running(version, BILL, SCRIPTED, suite=True) as code:
        suite = code.extension / "suite"  # inside the extension's folder it sees what the extension sees
        suite.mkdir()
        for path in DRIVERS.glob("*.js"):
            (suite / path.name).write_text(path.read_text())
        said = code.drive("host.mjs", code.extension, suite / "suite.js", seconds=LONGEST)
    assert said
    assert all(line.startswith("ok - ") for line in said)


def test_at_the_window(version: Version) -> None:
    with running(version, BILL, SCRIPTED) as code:
        assert code.drive("window.mjs", seconds=LONGEST)


@pytest.mark.real
def test_with_a_real_model(extension: Path, qwen_tokenizer_file: Path) -> None:
    pictures = os.environ.get("COPYSPAN_SCREENSHOTS", "")
    model = os.environ.get("COPYSPAN_TEST_MODEL", REAL_MODEL)
    server = ["env", f"COPYSPAN_CACHE={cache_root()}", sys.executable, "-m", "copyspan_lsp"]
    bill = "".join(line for line in BILL.splitlines(keepends=True) if "# ai:" not in line)  # a model may obey it
    with running(require_vscode("new"), bill, server, **{"copyspan.model": model}) as code:
        assert code.drive("real.mjs", seconds=500, SCREENSHOTS=pictures and str(Path(pictures).absolute()))
