"""Models from the hub, by huggingface_hub, which is imported only when it is needed.

Only what a language model needs is taken: the configuration, the tokeniser, the safetensors. Whether the hub can be
reached is asked once, with a deadline, before anything else. Weight files are checked against the hub's own SHA-256.
The client's own downloads start a file anew after an interruption; these go on in the middle of it.
"""

import queue
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copyspan.errors import ModelError, ModelUnusable, WeightsCorrupted
from copyspan.models.weights.files import CHUNK, disk_errors, sha256_of
from copyspan.models.weights.folder import ESSENTIAL, INDEX, WEIGHTS, check_folder
from copyspan.models.weights.progress import Meter, Progress

HTTP_TIMEOUT = 5.0
READ_TIMEOUT = 10.0
DEADLINE = 8.0
"""Seconds; longer than HTTP_TIMEOUT, because looking up a host's name is not bounded by it."""

_SMALL_FILES = frozenset(
    {
        *ESSENTIAL,
        INDEX,
        "generation_config.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "added_tokens.json",
        "vocab.json",
        "merges.txt",
        "chat_template.jinja",
    }
)
_ATTEMPTS = 2
_BREAKS = 3
"""How many times in a row a connection may bring nothing."""
_PAUSE = 1.0
"""Seconds to wait after a break."""


class HubUnavailable(Exception):
    """The hub cannot be reached, or refuses; the message says why, for people. Never leaves this package."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file that a model needs."""

    name: str
    size: int
    sha256: str | None
    """None for small files, which the hub does not hash."""


@dataclass(frozen=True, slots=True)
class HubListing:
    """What the hub offers of a model, at one revision."""

    hub_id: str
    revision: str
    licence: str | None
    files: tuple[HubFile, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def cached_folder(hub_id: str) -> Path | None:
    """The model's folder in the user's own hub cache, if all of it is there. Uses no network."""
    from huggingface_hub import try_to_load_from_cache

    try:
        config = try_to_load_from_cache(hub_id, "config.json")
    except (OSError, ValueError):
        return None
    if not isinstance(config, str):
        return None
    folder = Path(config).parent
    try:
        check_folder(folder)
    except (ModelError, OSError):
        return None
    return folder


def list_files(hub_id: str, *, weights: bool = True) -> HubListing:
    """Ask the hub what it has of a model, within DEADLINE. Without `weights`, what a tokenizer needs will do.

    Raises HubUnavailable, and ModelUnusable where the model is there but in no form that copyspan reads.
    """
    from huggingface_hub import HfApi, constants

    if constants.HF_HUB_OFFLINE:
        raise HubUnavailable("HF_HUB_OFFLINE is set")
    try:
        info = _within(DEADLINE, lambda: HfApi().model_info(hub_id, files_metadata=True, timeout=HTTP_TIMEOUT))
    except HubUnavailable:
        raise
    except Exception as error:  # the client lets pass whatever its HTTP library raises, which changed from 1.x to 2.x
        raise HubUnavailable(_reason(error)) from error
    files = {
        sibling.rfilename: HubFile(sibling.rfilename, sibling.size or 0, sibling.lfs.sha256 if sibling.lfs else None)
        for sibling in info.siblings or ()
    }
    licences = [tag.removeprefix("license:") for tag in info.tags or () if tag.startswith("license:")]
    return HubListing(
        hub_id,
        info.sha or "main",
        licences[0] if licences else None,
        _needed(hub_id, files) if weights else _tokenizer(hub_id, files),
    )


def download(listing: HubListing, space: Path, progress: Progress) -> Path:
    """Bring all files of the listing into a folder inside `space`, and return it.

    What an interrupted download left there is continued, in the middle of a file too; what it left of another revision
    is removed.

    Raises HubUnavailable where the download breaks off, WeightsCorrupted where a file came corrupted twice, and
    StorageError.
    """
    folder = space / listing.revision
    with disk_errors(space):
        for other in space.iterdir():
            if other != folder:
                shutil.rmtree(other)
        folder.mkdir(exist_ok=True)
        progress.started(f"Downloading {listing.hub_id}", listing.size, "B")
        for file in listing.files:
            if (folder / file.name).exists():
                progress.advanced(file.size)
            else:
                _fetch_file(listing, file, folder, progress)
        progress.finished()
    return folder


def _needed(hub_id: str, files: dict[str, HubFile]) -> tuple[HubFile, ...]:
    """The files to take, all from the top folder. Weights under other names are copies for other programs."""
    weights = [name for name in files if name.startswith("model") and name.endswith(".safetensors") and "/" not in name]
    missing = [name for name in ESSENTIAL if name not in files]
    if not weights:
        if any(name.endswith(".gguf") for name in files):
            raise ModelUnusable(f"{hub_id} holds GGUF files: download one of them and pass its path as the model.")
        missing.append(WEIGHTS)
    if missing:
        raise ModelUnusable(f"{hub_id} has no {' and no '.join(missing)}, which copyspan needs. Take another model.")
    if WEIGHTS in weights:
        weights = [WEIGHTS]
    return tuple(files[name] for name in sorted({*weights, *(_SMALL_FILES & files.keys())}))


def _tokenizer(hub_id: str, files: dict[str, HubFile]) -> tuple[HubFile, ...]:
    """The small files."""
    if "tokenizer.json" not in files:
        raise ModelUnusable(f"{hub_id} has no tokenizer.json, which copyspan needs. Take another model.")
    return tuple(files[name] for name in sorted(_SMALL_FILES & files.keys()))


def _fetch_file(listing: HubListing, file: HubFile, folder: Path, progress: Progress) -> None:
    """One file, checked, at its place by a rename."""
    meter = Meter(file.size, progress)
    partial = folder / f"{file.name}.part"
    for attempt in range(1, _ATTEMPTS + 1):
        _continue_file(listing, file, partial, meter)
        if partial.stat().st_size == file.size and file.sha256 in (None, sha256_of(partial, lambda _: meter(0))):
            meter(file.size)
            partial.replace(folder / file.name)
            return
        partial.unlink()
        again = " and is fetched again" if attempt < _ATTEMPTS else ""
        progress.noted(f"{file.name} came corrupted{again}.")
    raise WeightsCorrupted(
        f"{file.name} of {listing.hub_id} came corrupted {_ATTEMPTS} times: it is not what the hub has announced. A "
        "proxy between may be at fault; try again later, or on another network."
    )


def _continue_file(listing: HubListing, file: HubFile, partial: Path, meter: Meter) -> None:
    """Append to `partial` what is missing. Breaks in the connection are bridged while something still comes."""
    from huggingface_hub import hf_hub_url

    url = hf_hub_url(listing.hub_id, file.name, revision=listing.revision)
    breaks = 0
    with partial.open("ab") as out:
        while out.tell() < file.size:
            before = out.tell()
            try:
                for chunk in _chunks(url, before):
                    out.write(chunk)
                    meter(out.tell())
                return
            except HubUnavailable:
                breaks = breaks + 1 if out.tell() == before else 0
                if breaks == _BREAKS:
                    raise
                time.sleep(_PAUSE)


def _chunks(url: str, start: int) -> Iterator[bytes]:
    """The bytes of a file from `start` on. Raises HubUnavailable, for whatever the client raises."""
    from huggingface_hub import get_session
    from huggingface_hub.utils import (  # type: ignore[attr-defined]  # public, but not marked as re-exported
        build_hf_headers,
        hf_raise_for_status,
    )

    headers = build_hf_headers() | {"Accept-Encoding": "identity", "Range": f"bytes={start}-"}
    try:
        with get_session().stream("GET", url, headers=headers, timeout=READ_TIMEOUT, follow_redirects=True) as response:
            hf_raise_for_status(response)
            skip = start if response.status_code == 200 else 0  # a server that knows no ranges sends the whole file
            for chunk in response.iter_bytes(CHUNK):
                yield chunk[skip:]
                skip = max(0, skip - len(chunk))
    except Exception as error:  # as in list_files
        raise HubUnavailable(f"the download broke off ({_reason(error)})") from error


def _within(seconds: float, ask: Callable[[], Any]) -> Any:
    """The answer of `ask`, or what it raises; HubUnavailable after `seconds`, when the asking thread is left behind."""
    answers: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            answers.put((ask(), None))
        except Exception as error:
            answers.put((None, error))

    threading.Thread(target=run, name="copyspan-hub", daemon=True).start()
    try:
        answer, error = answers.get(timeout=seconds)
    except queue.Empty:
        raise HubUnavailable(f"no answer within {seconds:.0f} seconds") from None
    if error is not None:
        raise error
    return answer


def _reason(error: Exception) -> str:
    """The first line of what a client says, without the help that follows it."""
    from huggingface_hub import errors

    if isinstance(error, errors.GatedRepoError):
        return "the hub asks for a login and an accepted licence: run `hf auth login`"
    if isinstance(error, errors.RepositoryNotFoundError):
        return "the hub knows no such model, or hides it: check the name, or run `hf auth login`"
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
