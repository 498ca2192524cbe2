"""The tokenizer of a model that runs elsewhere: a few megabytes instead of gigabytes."""

from pathlib import Path

from copyspan.errors import ModelMissing, WeightsCorrupted
from copyspan.models.weights import hub
from copyspan.models.weights.acquire import fetch
from copyspan.models.weights.catalogue import KnownModel
from copyspan.models.weights.files import disk_errors
from copyspan.models.weights.lookup import key_of, on_disk
from copyspan.models.weights.names import Folder, HubModel, resolve, title
from copyspan.models.weights.progress import Progress, Silent
from copyspan.models.weights.store import Store, cache_root

TOKENIZER = "tokenizer.json"


def fetch_tokenizer(name: str, cache_dir: Path | None = None, progress: Progress | None = None) -> Path:
    """A folder with the model's tokenizer, and with its configuration where that is to be had.

    Where the whole model is on disk, it is the model's folder; any folder that holds tokenizer.json will do. Else it
    comes from the hub. Raises UsageError, ModelMissing, ModelUnusable, WeightsCorrupted and StorageError.
    """
    reference, store, progress = resolve(name), Store(cache_root(cache_dir)), progress or Silent()
    if isinstance(reference, Folder) and (reference.path / TOKENIZER).is_file():
        return reference.path
    if not isinstance(reference, KnownModel | HubModel):
        return fetch(name, cache_dir, progress)
    with disk_errors(store.root):
        try:
            found = on_disk(reference, store, progress)
        except WeightsCorrupted:  # its tokenizer may be, too
            found = None
        return found or _from_hub(reference, store, progress)


def _from_hub(reference: KnownModel | HubModel, store: Store, progress: Progress) -> Path:
    folder = store.tokenizer(key_of(reference, store))
    key = f"tokenizer--{folder.name}"
    if folder.is_dir():
        return folder
    with store.locked(key, title(reference), progress):
        if folder.is_dir():  # the process that held the lock before has fetched it
            return folder
        try:
            listing = hub.list_files(reference.hub_id, weights=False)
            built = hub.download(listing, store.workspace(key).hub, progress)
        except hub.HubUnavailable as error:
            raise ModelMissing(
                f"The tokenizer of {title(reference)} is not on this machine and cannot be fetched now ({error}). "
                "Try again, or name a folder that holds the model's tokenizer.json as the model, and what the server "
                "calls it beside that."
            ) from error
        return store.publish(built, key, folder)
