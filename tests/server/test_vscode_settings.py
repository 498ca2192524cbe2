"""The settings that the VS Code extension shows are the server's, with the same defaults and limits."""

import json
from pathlib import Path
from typing import Any

import pytest

from copyspan_lsp.settings import ServerSettings

MANIFEST = Path(__file__).parents[2] / "vscode-client" / "package.json"
SHOWN: dict[str, dict[str, Any]] = json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]["configuration"][
    "properties"
]
SCHEMA: dict[str, dict[str, Any]] = ServerSettings.model_json_schema()["properties"]


def test_the_names_are_the_same() -> None:
    ours = {name for name in SHOWN if not name.startswith("copyspan.server.")}
    assert ours == {f"copyspan.{name}" for name in SCHEMA}


@pytest.mark.parametrize("name", SCHEMA)
def test_what_a_setting_takes_is_the_same(name: str) -> None:
    told = ("type", "default", "enum", "minimum", "maximum", "minLength")
    shown = SHOWN[f"copyspan.{name}"]
    assert {key: shown[key] for key in told if key in shown} == {
        key: SCHEMA[name][key] for key in told if key in SCHEMA[name]
    }
