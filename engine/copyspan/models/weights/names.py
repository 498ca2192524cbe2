"""What a model's name means: a known model, another model of the hub, a folder, or a GGUF file. Uses no network."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from copyspan.errors import UsageError
from copyspan.models.weights.catalogue import KnownModel, catalogue, find

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class HubModel:
    """A model of the hub that the catalogue does not have."""

    hub_id: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a person's own, used where it is."""

    path: Path


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A GGUF file of a person's own, to be converted into the cache."""

    path: Path


Reference = KnownModel | HubModel | Folder | GgufFile


def resolve(name: str) -> Reference:
    """What `name` means. Known names come first, so that a folder in the current directory cannot stand in for them.

    Raises UsageError for a name that means nothing, with the names that there are.
    """
    known = find(name)
    if known is not None:
        return known
    path = Path(name).expanduser()
    if not name:
        raise UsageError(f"The model has no name. Known models: {_known_names()}.")
    if path.is_file() and path.suffix.lower() == ".gguf":
        return GgufFile(path.absolute())
    if path.is_dir():
        return Folder(path.absolute())
    if path.is_file():
        raise UsageError(f"{name} is a file, but not a GGUF file. A model is a hub id, a folder, or a GGUF file.")
    if _HUB_ID.fullmatch(name) and not name.lower().endswith(".gguf"):
        return HubModel(name)
    raise UsageError(
        f"No model is called {name!r}, and no such folder or GGUF file exists. "
        f"Known models: {_known_names()}; any other model of the hub is named ORG/NAME."
    )


def _known_names() -> str:
    return ", ".join(model.name for model in catalogue())


def title(reference: Reference) -> str:
    """What people call it."""
    match reference:
        case KnownModel():
            return reference.name
        case HubModel():
            return reference.hub_id
        case Folder() | GgufFile():
            return reference.path.name


def fetch_command(reference: Reference) -> str:
    """The command that gets it."""
    target = str(reference.path) if isinstance(reference, Folder | GgufFile) else title(reference)
    return f"copyspan models fetch {shlex.quote(target)}"
