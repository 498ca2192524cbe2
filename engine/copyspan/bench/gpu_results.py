"""What a run on a borrowed machine leaves behind: one JSON file with all figures, whole after every step."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from copyspan.bench.edit_records import EditRecord
from copyspan.bench.results import Header
from copyspan.bench.speedup import KernelRecord
from copyspan.errors import SourceError, UsageError


class GpuRun(BaseModel):
    """The figures of one model."""

    model_config = ConfigDict(extra="forbid")

    kernel_header: Header
    kernel: list[KernelRecord] = []
    edit_header: Header
    edit: list[EditRecord] = []


class GpuFile(BaseModel):
    """The figures of all models, in the order in which they ran."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["gpu"] = "gpu"
    runs: list[GpuRun] = []

    def save(self, path: Path) -> None:
        """Replace the file as a whole, so that a run that is stopped leaves its last complete state."""
        part = path.with_suffix(".part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(self.model_dump_json(), encoding="utf-8")
            part.replace(path)
        except OSError as error:
            raise SourceError(f"{path} cannot be written: {error.strerror}. Name another folder: --out DIR.") from error


def read_gpu(path: Path) -> GpuFile:
    """Raises SourceError where the file cannot be read, and UsageError where it is no such file."""
    try:
        return GpuFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}. Name a result file of copyspan bench.") from error
    except ValidationError as error:
        raise UsageError(f"{path.name} is no result of `copyspan bench gpu`.") from error
