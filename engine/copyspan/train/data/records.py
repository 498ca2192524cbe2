"""Edit pairs from an edit set: JSON lines whose records hold a text before and after an edit, and an instruction."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from copyspan.errors import UsageError
from copyspan.jsonlines import ALL, Numbers, read_lines
from copyspan.train.data.synthetic.edit import LANGUAGES
from copyspan.train.pairs import EditPair


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields of a record are what."""

    before: str = "before"
    after: str = "after"
    instruction: str = "instruction"


def from_edit_set(
    path: Path,
    fields: Fields,
    *,
    kind: str = "record",
    license: str = "",
    numbers: Sequence[Numbers] = (ALL,),
) -> Iterator[EditPair]:
    """Pairs of the records that any of `numbers` names.

    A record without a file name is told to be "main" in its language. Raises SourceError where the file cannot be read,
    and UsageError for a line that is no record with these fields; no message holds a record's text.
    """
    for number, (place, line) in enumerate(read_lines(path)):
        if any(number in some for some in numbers):
            yield _pair(line, place, number, fields, kind, license)


def _pair(line: bytes, place: str, number: int, fields: Fields, kind: str, license: str) -> EditPair:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{place} is not JSON in UTF-8.") from error
    texts = [_text(record, name, place) for name in (fields.before, fields.after, fields.instruction)]
    before, after, instruction = texts
    lang = str(record.get("lang", ""))
    id = str(record.get("id", number))
    return EditPair(
        id=id,
        kind=kind,
        source=_source(record, id),
        license=str(record.get("license", license)),
        lang=lang,
        name=_name(id, lang),
        instruction=instruction,
        before=before,
        after=after,
    )


def _source(record: Mapping[str, Any], id: str) -> str:
    """Many records can come from one file; each is a text of its own all the same."""
    source = str(record.get("source", id))
    return source if source == id else f"{source}#{id}"


def _text(record: Mapping[str, Any], name: str, place: str) -> str:
    text = record.get(name) if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise UsageError(f"{place} has no text {name!r}. Name its fields: --before, --after.")
    return text


def _name(id: str, lang: str) -> str:
    path = PurePosixPath(id.rpartition(":")[2])
    if ":" in id and path.suffix:
        return path.name
    suffix = next((suffix for suffix, name in LANGUAGES.items() if name == lang), "")
    return f"main{suffix}" if suffix else ""
