"""Result files: JSON lines, a header first and then one record a case. Knows no benchmark's meaning.

The header says where and how the figures came about; a command line in it names no folder of the user.
"""

import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from copyspan import __version__
from copyspan.errors import SourceError, UsageError

_SAME = ("bench", "model", "dtype", "device", "gpu", "cpu", "copyspan", "seed", "options")
"""What must not differ between the parts of one file."""

Option = str | int | float | bool

_SHARE = re.compile(r"(?:^|=)\d+/\d+$")


class Record(BaseModel):
    """One measured case. Subclasses say what was measured, and fix `kind`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    set: str
    case: str

    @property
    def key(self) -> tuple[str, ...]:
        """What tells this record from the others of its file."""
        return (self.set, self.case)


class Header(BaseModel):
    """How the records of a file came about."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["header"] = "header"
    bench: str
    command: str
    date: str
    seed: int
    model: str | None
    """The model's name; that of its tokenizer where no model ran."""
    dtype: str | None = None
    device: str | None = None
    gpu: str | None = None
    cpu: str
    cores: int
    python: str
    copyspan: str
    torch: str | None
    transformers: str | None
    tokenizers: str | None
    options: dict[str, Option] = {}
    """What else the figures depend on, by name."""

    @classmethod
    def now(
        cls,
        bench: str,
        *,
        seed: int,
        model: str | None,
        dtype: str | None = None,
        device: str | None = None,
        gpu: str | None = None,
        argv: Sequence[str] | None = None,
        options: Mapping[str, Option] | None = None,
    ) -> "Header":
        """The header of a run that starts now, here. Imports none of the packages whose versions it states."""
        return cls(
            bench=bench,
            command=public_command(sys.argv if argv is None else argv),
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            seed=seed,
            model=model if model is None else Path(model).name if Path(model).exists() else model,
            dtype=dtype,
            device=device,
            gpu=gpu,
            cpu=_cpu(),
            cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
            python=platform.python_version(),
            copyspan=__version__,
            torch=_version("torch"),
            transformers=_version("transformers"),
            tokenizers=_version("tokenizers"),
            options=dict(options or {}),
        )


R = TypeVar("R", bound=Record)


class ResultFile(Generic[R]):
    """A file that records are appended to, each on the disk before the next one is measured.

        with ResultFile(path, header, EditRecord, resume=True) as results:
            for case in cases:
                if (case.set, case.id) not in results.done: results.append(measure(case))

    Without `resume` a file of that name is replaced. With it, the records that are there count as done, and a last line
    that was cut off is dropped. Raises UsageError where the file's header differs in what the figures depend on, and
    SourceError where it cannot be written.
    """

    def __init__(self, path: Path, header: Header, kind: type[R], *, resume: bool = False) -> None:
        self.path = path
        old = _complete_lines(path) if resume and path.exists() else []
        if old:
            _check_same(path, _header(path, old), header)
        self.done = {record.key for record in _records(path, old, kind)}
        lines = old or [header.model_dump_json().encode()]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(line + b"\n" for line in lines))
            self._file = path.open("a", encoding="utf-8", newline="\n")
        except OSError as error:
            raise SourceError(f"{path} cannot be written: {error.strerror}. Name another folder: --out DIR.") from error

    def append(self, record: R) -> None:
        """Write a record down. Raises ValueError for one that is there already."""
        if record.key in self.done:
            raise ValueError(f"{'/'.join(record.key)} is in {self.path.name} already")
        self._file.write(record.model_dump_json() + "\n")
        self._file.flush()
        self.done.add(record.key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def write_results(path: Path, header: Header, records: Sequence[R]) -> None:
    """A whole result file at once; it replaces an older one. Raises as `ResultFile`."""
    with ResultFile(path, header, type(records[0]) if records else Record) as results:
        for record in records:
            results.append(record)


def read_results(path: Path, kind: type[R]) -> tuple[Header, list[R]]:
    """The header and the records of a result file, which are all of one kind.

    A last line that was cut off is left out. Raises SourceError where the file cannot be read, and UsageError where it
    is no result file, or one of another kind.
    """
    lines = _complete_lines(path)
    return _header(path, lines), list(_records(path, lines, kind))


def read_header(path: Path) -> Header:
    """The header of a result file. Raises as `read_results`."""
    return _header(path, _complete_lines(path)[:1])


def public_command(argv: Sequence[str]) -> str:
    """The command line with the last part of every path alone; numbers such as 1/4 are none."""
    return " ".join(word if _SHARE.search(word) else re.sub(r"[^=\s]*[/\\]", "", word) for word in argv)


def _complete_lines(path: Path) -> list[bytes]:
    try:
        return [line for line in path.read_bytes().split(b"\n")[:-1] if line]
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}. Name a result file of copyspan bench.") from error


def _header(path: Path, lines: Sequence[bytes]) -> Header:
    try:
        return Header.model_validate_json(lines[0])
    except (IndexError, ValidationError) as error:
        raise UsageError(f"{path.name} is no result file of this copyspan: its first line is no header.") from error


def _records(path: Path, lines: Sequence[bytes], kind: type[R]) -> Iterator[R]:
    for number, line in enumerate(lines[1:], 2):
        try:
            yield kind.model_validate_json(line)
        except ValidationError as error:
            expected = kind.model_fields["kind"].default
            raise UsageError(f"{path.name}, line {number} is no result of the kind {expected!r}.") from error


def _check_same(path: Path, old: Header, new: Header) -> None:
    differing = [name for name in _SAME if getattr(old, name) != getattr(new, name)]
    if differing:
        was = ", ".join(f"{name} {getattr(old, name)} (now {getattr(new, name)})" for name in differing)
        raise UsageError(f"{path.name} cannot be resumed: it was made with {was}. Name another folder: --out DIR.")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    match = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE) if info.exists() else None
    return match[1].strip() if match else platform.processor() or platform.machine()
