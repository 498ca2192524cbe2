"""What a model folder must hold, and what is said of one that does not."""

import json
from pathlib import Path

import pytest
from tiny_models import safetensors, write_folder

from copyspan.errors import ModelUnusable, WeightsCorrupted
from copyspan.models.weights import fetch, locate


def index(*names: str) -> bytes:
    return json.dumps({"weight_map": {f"layer.{i}": name for i, name in enumerate(names)}}).encode()


def test_a_whole_folder_is_its_own_place(tmp_path: Path, cache: Path) -> None:
    folder = write_folder(tmp_path / "model")
    assert locate(str(folder)) == fetch(str(folder)) == folder
    assert not cache.exists()


def test_weights_in_shards(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", model_safetensors=None)
    (folder / "model.safetensors.index.json").write_bytes(index("a.safetensors", "b.safetensors", "a.safetensors"))
    (folder / "a.safetensors").write_bytes(safetensors())
    with pytest.raises(ModelUnusable, match=r"lacks b\.safetensors, one of the 2 weight files"):
        locate(str(folder))
    (folder / "b.safetensors").write_bytes(safetensors())
    assert locate(str(folder)) == folder


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json", "model.safetensors"])
def test_the_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    folder = write_folder(tmp_path / "model")
    (folder / missing).unlink()
    for call in (locate, fetch):
        with pytest.raises(ModelUnusable, match=rf"model lacks {missing}"):
            call(str(folder))


@pytest.mark.parametrize(
    ("other", "advice"),
    [
        ("pytorch_model.bin", "pytorch_model.bin alone"),
        ("adapter_config.json", "merge it into its base model"),
        ("weights.gguf", r"name the GGUF file itself: .*weights\.gguf"),
    ],
)
def test_what_to_do_with_other_kinds_of_weights(tmp_path: Path, other: str, advice: str) -> None:
    folder = write_folder(tmp_path / "model", model_safetensors=None)
    (folder / other).touch()
    with pytest.raises(ModelUnusable, match=advice):
        locate(str(folder))


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b'{"weight_map": 3}'])
def test_an_index_that_is_none(tmp_path: Path, text: bytes) -> None:
    folder = write_folder(tmp_path / "model", model_safetensors=None)
    (folder / "model.safetensors.index.json").write_bytes(text)
    with pytest.raises(ModelUnusable, match="not a list of weight files"):
        locate(str(folder))


WHOLE = safetensors()


@pytest.mark.parametrize(
    "data",
    [WHOLE[:-1], WHOLE + b"\0", WHOLE[:20], WHOLE[:4], b"", b"\xff" * 100, b"\2\0\0\0\0\0\0\0[]"],
    ids=["short", "long", "head alone", "length alone", "empty", "noise", "no table"],
)
def test_weights_that_are_cut_short(tmp_path: Path, data: bytes) -> None:
    folder = write_folder(tmp_path / "model", model_safetensors=data)
    with pytest.raises(WeightsCorrupted, match=r"model\.safetensors"):
        locate(str(folder))
