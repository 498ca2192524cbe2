"""One vLLM server for all tests here. `make test-served` installs it; without it they are skipped."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from vllm_server import KEY, PYTHON, VllmServer

from copyspan.engine import Engine, EngineSettings
from copyspan.models.weights import fetch
from real_model import REAL_MODEL


@pytest.fixture(scope="session")
def vllm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmServer]:
    if not PYTHON.exists():
        if os.environ.get("COPYSPAN_REQUIRE_VLLM"):
            pytest.fail("vLLM is not installed: tests/served/install_vllm.sh")
        pytest.skip("vLLM is not installed; make test-served does it")
    os.environ["COPYSPAN_API_KEY"] = KEY
    log = tmp_path_factory.mktemp("vllm") / "vllm.log"
    with VllmServer(fetch(REAL_MODEL), REAL_MODEL, log) as server:
        yield server


@pytest.fixture(scope="session")
def served(vllm: VllmServer) -> Iterator[Engine]:
    engine = Engine.load(EngineSettings(model=REAL_MODEL, server=vllm.url))
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def here() -> Iterator[Engine]:
    """The same weights in this process."""
    engine = Engine.load(EngineSettings(model=REAL_MODEL, adapter="none", dtype="bfloat16"))
    yield engine
    engine.close()


@pytest.fixture
def example(tmp_path: Path) -> Path:
    source = Path(__file__).parents[2] / "examples" / "inventory.py"
    copy = tmp_path / source.name
    copy.write_bytes(source.read_bytes())
    return copy
