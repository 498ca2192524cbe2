"""The Neovim plugin in a headless Neovim, mostly with the real server and a scripted model behind it.

The specs are Lua files in nvim_specs, each a Neovim of its own. Neovim that is missing skips the tests; with
COPYSPAN_REQUIRE_EDITORS=1 they fail (tests/editors/install.sh installs it).
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from editor_runs import Terminal, Workplace, run_alone

from copyspan_lsp.settings import ServerSettings

pytestmark = pytest.mark.editors

HERE = Path(__file__).parent
SPECS = HERE / "nvim_specs"
PLUGIN = HERE.parents[1] / "nvim"
SCRIPTED = [sys.executable, str(HERE.parent / "server" / "scripted_server.py")]
DOCUMENT = "def bill(total):\n    tax = total / 5\n    return total + tax\n"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workplace]:
    workplace = Workplace.create(tmp_path / "run", DOCUMENT, SCRIPTED)
    yield workplace
    workplace.end()


def with_plugin(neovim: str, *arguments: str | Path) -> list[str | Path]:
    """Neovim with the plugin and nothing else in its runtime path, and the test's server."""
    return [
        neovim, "--clean", "--cmd", f"let $COPYSPAN_SPECS='{SPECS}'", "--cmd", f"set rtp+={PLUGIN}",
        "--cmd", "let g:copyspan = {'cmd': json_decode($COPYSPAN_SERVER)}", *arguments,
    ]  # fmt: skip


def test_units(neovim: str, place: Workplace) -> None:
    run_alone(with_plugin(neovim, "-l", SPECS / "units.lua"), place)


@pytest.mark.parametrize("spec", sorted(path.stem for path in SPECS.glob("*_spec.lua")))
def test_spec(spec: str, neovim: str, place: Workplace) -> None:
    run_alone(with_plugin(neovim, "--headless", "-c", f"luafile {SPECS / spec}.lua"), place)
    place.expect_quiet()


def test_the_help_file_names_every_setting() -> None:
    text = (PLUGIN / "doc" / "copyspan.txt").read_text()
    section = text[text.index("*copyspan-settings*") : text.index("*copyspan-lua*")]
    told = set(re.findall(r"^    (\w+)  +\w?", section, re.MULTILINE))
    assert told == {field.alias for field in ServerSettings.model_fields.values()}


def test_a_person_sees_the_preview_and_decides(neovim: str, tmux: str, place: Workplace) -> None:
    terminal = Terminal(with_plugin(neovim, place.document), place)
    terminal.expect("def bill")
    terminal.type(":Copyspan replace total with amount", "Enter")
    terminal.expect(r"def bill\(total\): +1/1")
    terminal.expect("    return amount \\+ tax")
    terminal.expect("ga accept")
    assert place.document.read_text() == DOCUMENT
    terminal.type("gA")
    terminal.expect("1 of 1 hunks accepted")
    terminal.type(":wqall", "Enter")
    place.expect_quiet()
    assert place.document.read_text() == DOCUMENT.replace("total", "amount")
