"""docs/EDITORS.md: the table of settings, and snippets that are well formed. tests/editors runs those that can be."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from copyspan.edits.text import Snapshot
from copyspan_lsp.comments import find_instructions
from copyspan_lsp.languages import language
from copyspan_lsp.settings import ServerSettings, read_settings

PAGE = (Path(__file__).parents[2] / "docs" / "EDITORS.md").read_text(encoding="utf-8")
EDITORS = ["Neovim", "Emacs", "Vim", "Helix", "Sublime Text", "Kate", "Zed"]


def snippets(kind: str) -> list[str]:
    found = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found


def section(editor: str) -> str:
    found = re.search(rf"^## {editor}\b.*?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found[0]


def rows(head: str) -> list[list[str]]:
    """The cells of the table whose first column has this head."""
    table = re.search(rf"^\| {head} \|.*\n\|---.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert table
    return [[cell.strip().replace("`", "") for cell in row.split("|")[1:-1]] for row in table[1].splitlines()]


def test_the_table_of_settings_has_every_setting_with_its_default() -> None:
    listed = {name: json.loads(default) for name, default, *_ in rows("setting")}
    assert listed == ServerSettings().model_dump(by_alias=True)


@pytest.mark.parametrize("row", rows("setting"), ids=lambda row: row[0])
def test_the_table_of_settings_says_what_a_setting_takes(row: list[str]) -> None:
    name, _, takes, _ = row
    _, (complaint,) = read_settings({name: {}}, ServerSettings())
    assert f"has to be {takes}." in complaint


@pytest.mark.parametrize("editor", EDITORS)
def test_every_editor_has_a_comment_and_a_way_to_the_actions(editor: str) -> None:
    assert re.search(r"`# ai: \.\.\.` (press|type|choose) `", section(editor))


def test_the_example_is_an_instruction_comment() -> None:
    (example,) = snippets("python")
    (comment,) = find_instructions(Snapshot(example), language("python"))
    assert comment.text == "raise a ValueError if total is negative"


def test_snippets_are_well_formed_and_start_the_server() -> None:
    (helix,) = map(tomllib.loads, snippets("toml"))
    server = helix["language-server"]["copyspan"]
    assert [server["command"], *server["args"]] == ["copyspan", "serve"]
    assert "copyspan" in helix["language"][0]["language-servers"]
    sublime, kate = map(json.loads, snippets("json"))
    assert sublime["clients"]["copyspan"]["command"] == ["copyspan", "serve"]
    assert kate["servers"]["python"]["command"] == ["copyspan", "serve"]
