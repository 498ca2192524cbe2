"""No test here reaches a network: the hub is switched off, pip looks into a local folder alone, the cache is new."""

import os
from importlib import import_module
from pathlib import Path

import pytest
from huggingface_hub import constants
from tiny_models import Remembered, tiny_model, write_gguf

from copyspan.models.weights.catalogue import KnownModel


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("COPYSPAN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """The folder that pip takes for its index."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    return folder


@pytest.fixture
def progress() -> Remembered:
    return Remembered()


@pytest.fixture(scope="session")
def gguf_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A real, tiny GGUF file."""
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf").read_bytes()


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, gguf_bytes: bytes) -> KnownModel:
    """The one model of the catalogue, in three parts."""
    model = tiny_model(gguf_bytes)
    # By import_module, because the package has a function of the module's name.
    monkeypatch.setattr(import_module("copyspan.models.weights.catalogue"), "_KNOWN", (model,))
    return model
