"""Recipes: everything that an adapter depends on, in one TOML file. Knows no torch.

    name = "spans-0.5b"
    model = "Qwen2.5-Coder-0.5B-Instruct"
    count = 20000

    [[data]]
    path = "commits.jsonl.gz"
    weight = 1.0

    [lora]
    rank = 16

    [validation]
    count = 100

Every key but `name` and `[[data]]` has a default; an unknown key is an error.
"""

import hashlib
import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from copyspan.errors import SourceError, UsageError
from copyspan.jsonlines import reason_of


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Data(_Section):
    """A file of edit pairs, by its path from the recipe's folder, and its share of what is drawn."""

    path: Path
    weight: float = Field(default=1.0, gt=0)


class Optimizer(_Section):
    """AdamW."""

    learning_rate: float = Field(default=2e-4, gt=0)
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    """What the learning rate does after the warmup; all but "constant" end at 0."""
    warmup: float = Field(default=0.03, ge=0, lt=1)
    """The share of all steps in which the rate rises."""
    weight_decay: float = Field(default=0.0, ge=0)
    max_norm: float = Field(default=1.0, gt=0)
    """Longer gradients are cut to this norm."""


class Lora(_Section):
    rank: int = Field(default=16, ge=1)
    alpha: float = Field(default=32, gt=0)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    targets: Literal["all-linear"] | tuple[str, ...] = "all-linear"
    """The modules that get an adapter, by the last part of their names; "all-linear" leaves out the output layer."""


class Validation(_Section):
    """Pairs that are held out: from a file of their own, or from the data, and then all of their sources are."""

    path: Path | None = None
    count: int = Field(default=100, ge=0)
    every: int = Field(default=50, ge=1)
    """Steps between two such computations."""


class Recipe(_Section):
    """See above."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """What the adapter is called, and its folder."""
    model: str = "Qwen2.5-Coder-0.5B-Instruct"
    start: Path | None = None
    """The folder of an adapter that is taught further, by its path from the recipe's folder."""
    data: tuple[Data, ...] = Field(min_length=1)
    count: int = Field(default=20_000, ge=1)
    """The most pairs that are drawn."""
    seed: int = 0
    max_lines: int = Field(default=400, ge=1)
    max_tokens: int = Field(default=4096, ge=64)
    """Pairs with longer prompts and answers together are left out."""
    shifted: float = Field(default=0.0, ge=0, le=1)
    """The share of training pairs whose lines are numbered as if they stood somewhere in a long file."""
    splice: bool = False
    """Whether copied lines stand after the tag of their copy, as if the model had written them."""
    epochs: int = Field(default=2, ge=1)
    batch_tokens: int = Field(default=16_384, ge=1)
    """About how many tokens one optimizer step sees."""
    forward_tokens: int = Field(default=1, ge=1)
    """The most tokens of one padded forward; with 1, each example has a forward of its own, which is right on a CPU."""
    dtype: Literal["auto", "bfloat16", "float32"] = "auto"
    """The number format of the base model; "auto" is bfloat16 where the processor computes in it."""
    gradient_checkpointing: bool = False
    """Less memory, a third more time."""
    optimizer: Optimizer = Optimizer()
    lora: Lora = Lora()
    validation: Validation = Validation()

    @model_validator(mode="after")
    def _check_data(self) -> "Recipe":
        paths = [part.path for part in self.data]
        if len(set(paths)) != len(paths):
            raise ValueError("two entries of data name one file; give it one weight")
        return self

    @property
    def hash(self) -> str:
        """Of everything in the recipe: an interrupted run goes on with the same recipe only."""
        return hashlib.sha256(self.model_dump_json(exclude_none=True).encode()).hexdigest()[:16]


def read_recipe(path: Path) -> Recipe:
    """Raises SourceError where the file cannot be read, and UsageError, naming the key, where it is no recipe."""
    try:
        return Recipe.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}. Name a recipe, a file of TOML.") from error
    except ValidationError as error:
        raise UsageError(f"{path.name} is no recipe: {reason_of(error)}.") from error
    except ValueError as error:  # also what is not UTF-8
        raise UsageError(f"{path.name} is no TOML: {error}.") from error
