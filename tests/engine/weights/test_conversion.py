"""GGUF to safetensors: real conversions of a tiny model, in the process that does them."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import END_OF_TEXT, IM_END, TEMPLATE, Remembered, write_gguf

from copyspan.errors import Cancelled, ModelUnusable, OutOfMemory, StorageError
from copyspan.models.weights import gguf as module
from copyspan.models.weights import locate
from copyspan.models.weights.folder import check_folder
from copyspan.models.weights.gguf import check_gguf, content_hash, convert_gguf
from copyspan.models.weights.store import Store

CONVERT = [sys.executable, "-m", "copyspan.models.weights.convert"]


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Remembered]:
    """A GGUF file, the folder that became of it, and what was told meanwhile."""
    base, progress = tmp_path_factory.mktemp("converted"), Remembered()
    gguf = write_gguf(base / "tiny.gguf")
    (base / "model").mkdir()
    convert_gguf(gguf, base / "model", "Tiny", progress)
    return gguf, base / "model", progress


def test_the_folder_is_whole_and_its_end_tokens_are_named(converted: tuple[Path, Path, Remembered]) -> None:
    _, folder, _ = converted
    check_folder(folder)
    assert json.loads((folder / "generation_config.json").read_text())["eos_token_id"] == [IM_END, END_OF_TEXT]
    assert "quantization_config" not in json.loads((folder / "config.json").read_text())
    assert (folder / "chat_template.jinja").read_text() == TEMPLATE


def test_the_files_are_as_readable_as_any_other(converted: tuple[Path, Path, Remembered]) -> None:
    _, folder, _ = converted
    assert len({path.stat().st_mode for path in folder.iterdir()}) == 1


def test_every_tensor_is_told(converted: tuple[Path, Path, Remembered]) -> None:
    progress = converted[2]
    assert progress.names == ["Reading Tiny", "Converting Tiny", "Saving Tiny"]
    assert (progress.stages[1].total, progress.stages[1].unit) == (26, "tensors")
    progress.check()


def test_the_weights_are_those_of_the_file(converted: tuple[Path, Path, Remembered]) -> None:
    import gguf
    from safetensors import safe_open

    path, folder, _ = converted
    published = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    names = {
        "token_embd.weight": "model.embed_tokens.weight",
        "blk.1.ffn_down.weight": "model.layers.1.mlp.down_proj.weight",
    }
    with safe_open(folder / "model.safetensors", "pt") as saved:
        for theirs, ours in names.items():
            tensor = published[theirs]
            expected = gguf.dequantize(tensor.data, tensor.tensor_type)
            weights = saved.get_tensor(ours)
            assert str(weights.dtype) == "torch.bfloat16"
            np.testing.assert_allclose(weights.float().numpy(), expected, rtol=2**-8)


def test_the_tokeniser_is_that_of_the_file(converted: tuple[Path, Path, Remembered]) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(converted[1] / "tokenizer.json"))
    assert tokenizer.decode(tokenizer.encode("cabé\n").ids) == "cabé\n"
    assert tokenizer.encode("<|im_end|>").ids == [IM_END]
    assert tokenizer.token_to_id("ab") in tokenizer.encode("cab").ids


def test_a_file_that_lacks_a_tensor_is_not_filled_with_random_numbers(tmp_path: Path) -> None:
    gguf = write_gguf(tmp_path / "tiny.gguf", leave_out="blk.1.ffn_up.weight")
    with pytest.raises(ModelUnusable, match=r"lacks 1 tensors, model\.layers\.1\.mlp\.up_proj\.weight among them"):
        convert_gguf(gguf, tmp_path, "Tiny", Remembered())


def test_a_file_that_is_cut_short(tmp_path: Path) -> None:
    gguf = write_gguf(tmp_path / "tiny.gguf")
    os.truncate(gguf, 20_000)
    with pytest.raises(ModelUnusable, match="cannot be converted"):
        convert_gguf(gguf, tmp_path, "Tiny", Remembered())


def test_the_process_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    """Its lock is gone with the parent, so that another fetch may already be at work."""
    gguf = write_gguf(tmp_path / "tiny.gguf")
    process = subprocess.Popen([*CONVERT, str(gguf), str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=60) == 1
    assert not (tmp_path / "model.safetensors").exists()


def test_a_disk_that_refuses_the_weights(tmp_path: Path) -> None:
    """The writer of safetensors is not Python, and tells the system's error in words of its own."""
    gguf = write_gguf(tmp_path / "tiny.gguf")
    (tmp_path / "model").mkdir()
    code = (
        "import resource, sys; from copyspan.models.weights.convert import main; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)); sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, str(gguf), str(tmp_path / "model")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        last = json.loads(process.stdout.read().splitlines()[-1])
        assert process.wait() == 1
    assert last["error"] == "StorageError"
    assert "No room to write" in last["message"]


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str, progress: Remembered | None = None) -> None:
    """convert_gguf with a shell script in the converter's place."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    (folder / "x.gguf").write_bytes(b"GGUF" + bytes(1000))
    monkeypatch.setattr(sys, "executable", str(program))
    convert_gguf(folder / "x.gguf", folder, "x", progress or Remembered())


@pytest.mark.parametrize(
    ("script", "error", "words"),
    [
        ("kill -9 $$", OutOfMemory, "lack of memory"),
        ('echo \'{"error": "StorageError", "message": "full"}\'; exit 1', StorageError, "^full$"),
        ("echo noise >&2; echo 'ImportError: no torch' >&2; exit 1", ModelUnusable, "ImportError: no torch"),
        ("exit 3", ModelUnusable, "exit status 3"),
    ],
)
def test_how_a_process_may_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        run(monkeypatch, tmp_path, script)


def test_the_caller_may_break_off_while_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Impatient(Remembered):
        def advanced(self, n: int) -> None:
            raise Cancelled

    begin = time.monotonic()
    with pytest.raises(Cancelled):
        run(monkeypatch, tmp_path, "exec sleep 60", Impatient())
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.gguf", b"PK\3\4", "is not a GGUF file"),
        ("a.gguf", b"", "is not a GGUF file"),
        ("a-00001-of-00003.gguf", b"GGUF", r"llama-gguf-split --merge"),
    ],
)
def test_what_is_no_whole_gguf_file(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ModelUnusable, match=words):
        check_gguf(tmp_path / name)
    with pytest.raises(ModelUnusable, match=words):
        locate(str(tmp_path / name))


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(ModelUnusable, match=r"a\.gguf cannot be read \(Permission denied\)"):
        locate(str(tmp_path / "a.gguf"))


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were really read."""
    read: list[Path] = []
    genuine = module.sha256_of

    def sha256_of(path: Path, *rest: Any) -> str:
        read.append(path)
        return genuine(path, *rest)

    monkeypatch.setattr(module, "sha256_of", sha256_of)
    return read


def test_a_file_is_hashed_once_until_it_changes(tmp_path: Path, hashed: list[Path]) -> None:
    store, path = Store(tmp_path / "cache"), tmp_path / "a.gguf"
    path.write_bytes(b"GGUF one")
    first = content_hash(path, store)
    assert content_hash(path, store) == first
    assert hashed == [path]
    path.write_bytes(b"GGUF two")
    os.utime(path, ns=(1, 1))
    assert content_hash(path, store) != first
    assert hashed == [path, path]


def test_the_hash_does_not_need_the_cache(tmp_path: Path, hashed: list[Path]) -> None:
    (tmp_path / "cache").touch()
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    assert len(content_hash(tmp_path / "a.gguf", Store(tmp_path / "cache"))) == 64


def test_a_note_that_is_broken_is_written_anew(tmp_path: Path, hashed: list[Path]) -> None:
    store, path = Store(tmp_path / "cache"), tmp_path / "a.gguf"
    path.write_bytes(b"GGUF")
    first = content_hash(path, store)
    (note,) = (store.root / "hashes").iterdir()
    note.write_text("{")
    assert content_hash(path, store) == first == content_hash(path, store)
    assert len(hashed) == 2
