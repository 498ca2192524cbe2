"""Edits of a batch and what becomes of them, one JSON object a line. Knows no model and no thread.

    {"file": "src/bill.py", "instruction": "Rename total to amount.", "lines": "3-20", "id": "bill-1"}

`file` is a path from the current folder; `lines` and `id` are optional, and the number of the line is the id then.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from copyspan.cli.files import in_words
from copyspan.cli.options import parse_lines
from copyspan.cli.report import CostReport
from copyspan.edits.text import LineRange
from copyspan.errors import UsageError
from copyspan.jsonlines import reason_of


class BatchEdit(BaseModel):
    """What is asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str = Field(min_length=1)
    instruction: str = Field(pattern=r"\S")
    lines: str | None = None
    id: str = ""

    @property
    def scope(self) -> LineRange | None:
        """Raises ValueError."""
        return None if self.lines is None else parse_lines(self.lines)

    @property
    def digest(self) -> str:
        """Tells it from another edit under the same id."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


class BatchResult(BaseModel):
    """What became of one edit. Either `error` or `cost` is there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    id: str
    digest: str
    """Of the edit that was asked for."""
    file: str
    changed: bool = False
    written: bool = False
    diff: str = ""
    strategy: str | None = None
    model: str | None = None
    cost: CostReport | None = None
    warning: str | None = None
    error: str | None = None
    """The kind of error, such as SourceError."""
    message: str | None = None


def read_edits(path: Path) -> tuple[BatchEdit, ...]:
    """Raises SourceError where the file cannot be read, and UsageError, naming the line, for what is no edit."""
    with in_words(path, "read"):
        data = path.read_bytes()
    edits: dict[str, BatchEdit] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        edit = _edit(line, number, path.name)
        if edit.id in edits:
            raise UsageError(
                f"{path.name}, line {number}: the id {edit.id!r} occurs twice. Ids tell the results apart."
            )
        edits[edit.id] = edit
    if not edits:
        raise UsageError(f"{path.name} holds no edit. Write one JSON object a line, with file and instruction.")
    return tuple(edits.values())


def _edit(line: bytes, number: int, name: str) -> BatchEdit:
    place = f"{name}, line {number}"
    try:
        edit = BatchEdit.model_validate_json(line)
        _ = edit.scope
    except ValidationError as error:
        raise UsageError(f"{place} is no edit ({reason_of(error)}). It needs file and instruction.") from None
    except ValueError as error:
        raise UsageError(f"{place}: {error}.") from None
    return edit if edit.id else edit.model_copy(update={"id": str(number)})


class ResultLog:
    """The file of results: what is in it is done. Every result is on the disk before the next edit is reported."""

    def __init__(self, path: Path, edits: Sequence[BatchEdit], *, resume: bool) -> None:
        """Raises UsageError where the file holds results of other edits, and SourceError where it cannot be written."""
        self.path = path
        self.done = self._ids_of_done(edits) if resume and path.exists() else set()
        with in_words(path, "written"):
            self._file = path.open("a" if self.done else "w", encoding="utf-8", newline="\n")

    def append(self, result: BatchResult) -> None:
        with in_words(self.path, "written"):
            self._file.write(result.model_dump_json() + "\n")
            self._file.flush()
        self.done.add(result.id)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ids_of_done(self, edits: Sequence[BatchEdit]) -> set[str]:
        """The edits whose results are there. A last line that was cut off is dropped, and its edit is made again."""
        with in_words(self.path, "read"):
            data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        digests = {edit.id: edit.digest for edit in edits}
        done = set()
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                result = BatchResult.model_validate_json(line)
            except ValidationError:
                raise UsageError(
                    f"{self.path.name}, line {number} is no result of a batch. Name another file: --out FILE."
                ) from None
            if digests.get(result.id) != result.digest:
                raise UsageError(
                    f"{self.path.name} holds results of other edits (the id {result.id!r}). Name another file with "
                    "--out FILE, or replace it with --restart."
                )
            done.add(result.id)
        if len(whole) < len(data):
            with in_words(self.path, "written"):
                os.truncate(self.path, len(whole))
        return done


def results_beside(edits: Path) -> Path:
    """Where the results go unless told otherwise."""
    return edits.with_name(f"{edits.stem}.results.jsonl")


def summary(results: Sequence[BatchResult]) -> str:
    """How a batch went, in a line."""
    changed, failed = sum(r.changed for r in results), sum(r.error is not None for r in results)
    written = sum(r.written for r in results)
    same = len(results) - changed - failed
    parts = [f"{changed:,} changed ({written:,} written)", f"{same:,} left as they were", f"{failed:,} failed"]
    return f"{len(results):,} edits: {', '.join(parts)}."
