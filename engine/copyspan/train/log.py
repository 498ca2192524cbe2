"""What a training run writes down: JSON lines, one for each step and each validation. Knows no torch."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from copyspan.errors import SourceError


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StepEntry(_Entry):
    kind: Literal["step"] = "step"
    step: int
    """How many steps are done."""
    epoch: int
    loss: float
    """Over the learnt tokens of the step, before it."""
    learning_rate: float
    norm: float
    """Of the gradients, before they are cut."""
    num_tokens: int
    """Prompts and answers, without padding."""
    num_learnt: int
    seconds: float


class ValidationEntry(_Entry):
    kind: Literal["validation"] = "validation"
    step: int
    num_pairs: int
    loss: float
    exact: float
    """The share of examples in which every token is the likeliest: decoding without a mask would give the program."""
    seconds: float


Entry = StepEntry | ValidationEntry

_entry: TypeAdapter[Entry] = TypeAdapter(Annotated[Entry, Field(discriminator="kind")])


class Log:
    """A log that goes on after `step` steps: later entries, of a run that was killed, are dropped.

    Raises SourceError where it cannot be written.
    """

    def __init__(self, path: Path, step: int) -> None:
        self._path = path
        self.validated = 0
        """After how many steps the last validation was."""
        kept = [entry for entry in read_log(path) if entry.step <= step] if step and path.exists() else []
        for entry in kept:
            self._note(entry)
        try:
            path.write_text("".join(map(_line, kept)), encoding="utf-8")
        except OSError as error:
            raise SourceError(f"{path} cannot be written: {error.strerror}. Name another folder: --out DIR.") from error

    def append(self, entry: Entry) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(entry))
        self._note(entry)

    def _note(self, entry: Entry) -> None:
        if isinstance(entry, ValidationEntry):
            self.validated = entry.step


def read_log(path: Path) -> Iterator[Entry]:
    """The entries of a log; a line that was cut off is left out."""
    for line in path.read_bytes().split(b"\n"):
        try:
            if line:
                yield _entry.validate_json(line)
        except ValidationError:
            continue


def _line(entry: Entry) -> str:
    return entry.model_dump_json() + "\n"
