"""Edit pairs: JSON lines of a text before and after an edit, with the instruction. Knows no model.

A file whose name ends in .gz is compressed; the same pairs give the same bytes.
"""

import gzip
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict, ValidationError

from copyspan.errors import SourceError, UsageError
from copyspan.jsonlines import read_lines, reason_of


class EditPair(BaseModel):
    """One edit that a model learns from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    """Unique in its file."""
    kind: str
    """What made it: "commit", "rename-everywhere", "fault-negated-condition", ..."""
    source: str
    """Where the text comes from: repository@commit:path, or a path. A file's older versions are told apart by it."""
    license: str = ""
    lang: str = ""
    """ "python", "javascript", "markdown", ..."""
    name: str = ""
    """The file's base name, which the model is told."""
    instruction: str
    before: str
    after: str
    """The same text as `before` where there is nothing to do."""


def read_pairs(path: Path) -> tuple[EditPair, ...]:
    """The pairs of a file, in order.

    Raises SourceError where the file cannot be read, and UsageError for a line that is no pair, for an id that occurs
    twice, and for a file without pairs. No message holds a pair's text.
    """
    pairs: dict[str, EditPair] = {}
    for place, line in read_lines(path):
        pair = _pair(line, place)
        if pair.id in pairs:
            raise UsageError(f"{path.name}: the id {pair.id!r} occurs twice. Ids tell the pairs apart.")
        pairs[pair.id] = pair
    if not pairs:
        raise UsageError(f"{path.name} holds no pairs. Make some: copyspan train mine, or copyspan train synthesize.")
    return tuple(pairs.values())


def write_pairs(path: Path, pairs: Iterable[EditPair]) -> int:
    """Write pairs as they come, and say how many there were. Makes the folder; an older file is replaced at the end.

    Raises SourceError where the file cannot be written, and UsageError for an id that occurs twice.
    """
    seen: set[str] = set()
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file, _writer(path, file) as out:
            for pair in pairs:
                if pair.id in seen:
                    raise UsageError(f"{path.name}: the id {pair.id!r} occurs twice. Ids tell the pairs apart.")
                seen.add(pair.id)
                out.write(pair.model_dump_json().encode() + b"\n")
        part.replace(path)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror}. Name another file: --out FILE.") from error
    finally:
        with suppress(OSError):
            part.unlink()
    return len(seen)


def _pair(line: bytes, place: str) -> EditPair:
    try:
        return EditPair.model_validate_json(line)
    except ValidationError as error:
        raise UsageError(f"{place} is no edit pair: {reason_of(error)}.") from error


def _writer(path: Path, file: BinaryIO) -> AbstractContextManager[BinaryIO | gzip.GzipFile]:
    # Neither name nor time is stored in the file, so that equal pairs are equal bytes.
    return gzip.GzipFile("", "wb", fileobj=file, mtime=0) if path.suffix == ".gz" else nullcontext(file)
