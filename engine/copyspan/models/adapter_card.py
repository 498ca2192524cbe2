"""What an adapter's folder says about itself, in `copyspan.json`. Knows no torch."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from copyspan.edits.text import Snapshot
from copyspan.errors import ModelUnusable
from copyspan.models.prompt import numbered_prompt

CARD_NAME = "copyspan.json"


class Shape(BaseModel):
    """What a base model must be for the adapter to fit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    hidden_size: int
    num_layers: int
    vocabulary: int


class AdapterCard(BaseModel):
    """Whoever loads an adapter compares `base`, `shape` and `prompt` with what is there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    name: str
    base: str
    """The base model's name."""
    shape: Shape
    splice: bool
    """Whether the adapter expects copied lines after the tag of their copy."""
    prompt: str
    """The version of the prompt that it was trained with, see `prompt_version`."""
    recipe: str
    """The hash of its recipe."""
    start: str | None = None
    """The adapter that it was taught further from."""
    num_steps: int
    num_pairs: int
    date: str


def prompt_version() -> str:
    """Changes with the wording and the form of the prompt for programs."""
    recorder = _Recorder()
    numbered_prompt(recorder, (snapshot := Snapshot("a\n\n\tb")), snapshot.all_lines, "do", "x.py")
    return hashlib.sha256(json.dumps(recorder.seen).encode()).hexdigest()[:12]


def read_card(folder: Path) -> AdapterCard:
    """Raises ModelUnusable where the folder holds no adapter of copyspan."""
    try:
        return AdapterCard.model_validate_json((folder / CARD_NAME).read_bytes())
    except (OSError, ValidationError) as error:
        raise ModelUnusable(
            f"{folder} holds no adapter of this copyspan ({CARD_NAME} is missing or of another version). "
            "Name the folder that copyspan train run wrote."
        ) from error


class _Recorder:
    """A tokenizer that notes what a chat prompt is made of."""

    vocabulary: Sequence[bytes | None] = ()
    end_tokens: frozenset[int] = frozenset()

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, text: str) -> list[int]:  # noqa: ARG002  # the protocol's
        return []

    def chat(self, system: str, user: Sequence[str]) -> list[int]:
        self.seen += [system, *user]
        return []
