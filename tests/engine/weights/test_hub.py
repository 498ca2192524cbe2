"""Models from the hub, by the real client against a hub on the loopback."""

import errno
import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_hub import REVISION, FakeHub
from huggingface_hub import close_session, constants
from tiny_models import Remembered, safetensors, write_folder

from copyspan.errors import Cancelled, ModelMissing, ModelUnusable, StorageError, WeightsCorrupted
from copyspan.models.weights import fetch, fetch_tokenizer, hub, locate, require
from copyspan.models.weights.catalogue import KnownModel
from copyspan.models.weights.folder import read_card

WEIGHTS = safetensors(os.urandom(3 << 20))
NEEDED = {
    "config.json": b'{"model_type": "tiny"}',
    "generation_config.json": b"{}",
    "model.safetensors": WEIGHTS,
    "tokenizer.json": b"{}",
    "tokenizer_config.json": b"{}",
}
OTHERS = {
    "README.md": b"# Tiny",
    "pytorch_model.bin": b"bin",
    "onnx/model.safetensors": b"onnx",
    "consolidated.safetensors": b"c",
}
TINY = "some-org/Tiny"


def reach(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", endpoint + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    close_session()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with FakeHub({TINY: NEEDED | OTHERS}) as fake:
        reach(monkeypatch, fake.endpoint)
        yield fake
    close_session()


def test_only_what_is_needed_is_fetched_and_afterwards_no_request_is_made(
    fake: FakeHub, cache: Path, progress: Remembered
) -> None:
    folder = fetch(TINY, progress=progress)
    assert {path.name for path in folder.iterdir()} == {*NEEDED, "copyspan.json"}
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert not (cache / "partial" / "some-org--Tiny").exists()
    assert progress.names == [f"Downloading {TINY}"]
    assert progress.stages[0].total == sum(map(len, NEEDED.values()))
    progress.check()
    fake.log.clear()
    assert fetch(TINY) == locate(TINY) == require(TINY) == folder
    assert fake.log == []


def test_the_card_says_where_it_came_from(fake: FakeHub, cache: Path) -> None:
    card = read_card(fetch(TINY))
    assert card is not None
    assert (card.name, card.source, card.licence) == (TINY, "hub", "mit")
    assert card.origin == f"{TINY}@{REVISION}"
    assert list(card.sha256) == ["model.safetensors"]


def test_shards_are_fetched_with_their_index(fake: FakeHub, cache: Path) -> None:
    shards = {f"model-0000{i}-of-00002.safetensors": safetensors(bytes(i)) for i in (1, 2)}
    index = json.dumps({"weight_map": dict(zip("ab", shards, strict=True))}).encode()
    fake.models[TINY] = {name: data for name, data in NEEDED.items() if name != "model.safetensors"} | shards
    fake.models[TINY]["model.safetensors.index.json"] = index
    assert {path.name for path in fetch(TINY).iterdir()} == {*fake.models[TINY], "copyspan.json"}


def test_a_known_model_comes_from_the_hub_first(fake: FakeHub, cache: Path, tiny: KnownModel) -> None:
    fake.models[tiny.hub_id] = NEEDED
    folder = fetch("TINY")
    card = read_card(folder)
    assert card is not None
    assert (card.name, card.source) == (tiny.name, "hub")
    assert locate(tiny.hub_id.upper()) == locate(tiny.name) == folder


def test_a_file_that_came_corrupted_is_fetched_again(fake: FakeHub, cache: Path, progress: Remembered) -> None:
    fake.corrupted["model.safetensors"] = 1
    assert (fetch(TINY, progress=progress) / "model.safetensors").read_bytes() == WEIGHTS
    assert progress.notes == ["model.safetensors came corrupted and is fetched again."]
    assert len(fake.downloads("model.safetensors")) == 2


def test_a_file_that_comes_corrupted_twice_is_an_error(fake: FakeHub, cache: Path) -> None:
    fake.corrupted["model.safetensors"] = 2
    with pytest.raises(WeightsCorrupted, match=r"model\.safetensors of some-org/Tiny came corrupted 2 times"):
        fetch(TINY)
    assert locate(TINY) is None
    assert (fetch(TINY) / "model.safetensors").read_bytes() == WEIGHTS


class Impatient(Remembered):
    """Breaks off after two megabytes."""

    def advanced(self, n: int) -> None:
        super().advanced(n)
        if self.stages[-1].advanced > 2 << 20:
            raise Cancelled


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_an_interrupted_download_goes_on_in_the_middle_of_a_file(
    fake: FakeHub, cache: Path, progress: Remembered, knows_ranges: bool
) -> None:
    with pytest.raises(Cancelled):
        fetch(TINY, progress=Impatient())
    assert locate(TINY) is None
    fake.knows_ranges = knows_ranges
    assert (fetch(TINY, progress=progress) / "model.safetensors").read_bytes() == WEIGHTS
    first, second = fake.downloads("model.safetensors")
    assert first.endswith(" bytes=0-")
    assert int(second.partition("bytes=")[2].strip("-")) > 2_000_000
    assert len(fake.downloads("config.json")) == 1
    progress.check()


def test_what_was_left_of_another_revision_is_not_mixed_in(fake: FakeHub, cache: Path) -> None:
    with pytest.raises(Cancelled):
        fetch(TINY, progress=Impatient())
    fake.revision = "f" * 40
    fake.models[TINY]["config.json"] = b'{"model_type": "newer"}'
    with pytest.raises(Cancelled):
        fetch(TINY, progress=Impatient())
    assert [path.name for path in (cache / "partial" / "some-org--Tiny" / "hub").iterdir()] == ["f" * 40]
    assert (fetch(TINY) / "config.json").read_bytes() == b'{"model_type": "newer"}'
    assert [line.partition(" bytes=")[2] for line in fake.downloads("model.safetensors")][:2] == ["0-", "0-"]


def test_a_break_in_the_connection_is_bridged(
    fake: FakeHub, cache: Path, progress: Remembered, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "_PAUSE", 0.0)
    fake.cut["model.safetensors"] = 2
    assert (fetch(TINY, progress=progress) / "model.safetensors").read_bytes() == WEIGHTS
    assert len(fake.downloads("model.safetensors")) == 3
    progress.check()


def test_a_hub_that_goes_away_is_an_error_and_what_came_is_kept(
    fake: FakeHub, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "_PAUSE", 0.0)
    fake.unavailable.add("tokenizer.json")
    with pytest.raises(ModelMissing, match=r"the hub: the download broke off \(.*503.*goes on where it stopped"):
        fetch(TINY)
    fake.unavailable.clear()
    fetch(TINY)
    assert len(fake.downloads("model.safetensors")) == 1


@pytest.mark.parametrize(
    ("hub_id", "status", "words"),
    [
        ("no-org/none", 404, "knows no such model"),
        ("gated-org/gated", 401, "accepted licence: run `hf auth login`"),
        ("broken-org/broken", 500, "500"),
    ],
)
def test_a_refusal_is_told_with_its_reason(fake: FakeHub, cache: Path, hub_id: str, status: int, words: str) -> None:
    fake.status[hub_id] = status
    with pytest.raises(ModelMissing, match=words) as caught:
        fetch(hub_id)
    assert f"`copyspan models fetch {hub_id}`" in str(caught.value)
    assert not (cache / "partial").exists()


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"config.json": b"{}", "tiny-q4.gguf": b"GGUF"}, "holds GGUF files: download one"),
        ({"config.json": b"{}", "pytorch_model.bin": b""}, r"no tokenizer\.json and no model\.safetensors"),
        ({"model.safetensors": WEIGHTS, "config.json": b"{}"}, r"no tokenizer\.json"),
    ],
)
def test_a_model_of_another_kind_is_refused_before_the_download(
    fake: FakeHub, cache: Path, files: dict[str, bytes], words: str
) -> None:
    fake.models[TINY] = files
    with pytest.raises(ModelUnusable, match=words):
        fetch(TINY)
    assert not any("resolve" in line for line in fake.log)


def test_a_disk_that_is_too_small_is_found_before_the_download(
    fake: FakeHub, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("copyspan.models.weights.store.free_space", lambda path: 100_000_000)
    with pytest.raises(StorageError, match=r"Fetching some-org/Tiny needs 103 MB of disk, and .*cache has 100 MB free"):
        fetch(TINY)
    assert not any("resolve" in line for line in fake.log)


def test_a_disk_that_fills_up_meanwhile(fake: FakeHub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(meter: object, num_bytes: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("copyspan.models.weights.progress.Meter.__call__", full)
        with pytest.raises(StorageError, match=r"No room to write .*what has been fetched is kept"):
            fetch(TINY)
    assert fetch(TINY)


def test_a_hub_that_nobody_serves_fails_at_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reach(monkeypatch, "http://127.0.0.1:9")
    begin = time.monotonic()
    with pytest.raises(ModelMissing, match=r"the hub: ConnectError"):
        fetch(TINY)
    assert time.monotonic() - begin < hub.DEADLINE


def test_a_hub_that_never_answers_fails_after_the_timeout(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "HTTP_TIMEOUT", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        reach(monkeypatch, f"http://127.0.0.1:{silent.getsockname()[1]}")
        begin = time.monotonic()
        with pytest.raises(ModelMissing, match="the hub: ReadTimeout"):
            fetch(TINY)
    assert 0.3 <= time.monotonic() - begin < hub.DEADLINE


def test_a_name_server_that_never_answers_fails_at_the_deadline(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*args: object, **kwargs: object) -> None:
        time.sleep(5)

    reach(monkeypatch, "http://hub.invalid")
    monkeypatch.setattr(hub, "DEADLINE", 0.3)
    monkeypatch.setattr(socket, "getaddrinfo", slow)
    with pytest.raises(ModelMissing, match="no answer within"):
        fetch(TINY)


def test_offline_no_request_is_made(fake: FakeHub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelMissing, match="HF_HUB_OFFLINE is set"):
        fetch(TINY)
    assert fake.log == []


def own_cache(folder: Path, **files: bytes | None) -> Path:
    """A snapshot as huggingface_hub keeps it."""
    model = folder / "models--some-org--Tiny"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text(REVISION)
    return write_folder(model / "snapshots" / REVISION, **files)


def test_a_model_in_the_hubs_own_cache_is_used_from_there(fake: FakeHub, cache: Path, tmp_path: Path) -> None:
    snapshot = own_cache(tmp_path / "hub-cache")
    assert fetch(TINY) == locate(TINY) == snapshot
    assert fake.log == []
    assert not cache.exists()


def test_an_incomplete_model_in_the_hubs_own_cache_counts_as_not_there(cache: Path, tmp_path: Path) -> None:
    own_cache(tmp_path / "hub-cache", tokenizer_json=None)
    assert locate(TINY) is None


def test_of_a_served_model_the_tokenizer_alone_is_fetched_once(
    fake: FakeHub, cache: Path, progress: Remembered
) -> None:
    folder = fetch_tokenizer(TINY, progress=progress)
    assert {path.name for path in folder.iterdir()} == set(NEEDED) - {"model.safetensors"}
    assert not fake.downloads("model.safetensors")
    assert not list((cache / "partial").glob("*"))
    fake.log.clear()
    assert fetch_tokenizer(TINY) == folder
    assert not fake.log
    with pytest.raises(ModelMissing):
        require(TINY)


def test_the_tokenizer_of_a_model_that_is_there_is_taken_from_it(fake: FakeHub, tmp_path: Path) -> None:
    folder = fetch(TINY)
    fake.log.clear()
    assert fetch_tokenizer(TINY) == folder
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "tokenizer.json").write_text("{}")
    assert fetch_tokenizer(str(tmp_path / "own")) == tmp_path / "own"
    assert not fake.log


def test_a_model_without_a_tokenizer_is_refused(fake: FakeHub, cache: Path) -> None:
    fake.models["some-org/Bare"] = {"config.json": b"{}"}
    with pytest.raises(ModelUnusable, match=r"tokenizer\.json"):
        fetch_tokenizer("some-org/Bare")


def test_a_tokenizer_that_cannot_be_had_is_told_with_what_to_do(cache: Path) -> None:
    with pytest.raises(ModelMissing, match="name a folder"):
        fetch_tokenizer(TINY)
