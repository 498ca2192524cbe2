"""What several benchmarks with a model are asked, and what the person sees while they run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import typer
from rich.console import Console

from copyspan.cli.progress import RichProgress
from copyspan.errors import UsageError

W = TypeVar("W", bound=str)
Dtype = Literal["auto", "bfloat16", "float16", "float32"]

ModelOption = Annotated[str, typer.Option("--model", help="A name from `copyspan models list`, or a folder.")]
DeviceOption = Annotated[str, typer.Option("--device", help="auto, cpu, cuda ...")]
DtypeOption = Annotated[Dtype, typer.Option("--dtype", help="The number format of the weights.")]
AdapterOption = Annotated[str, typer.Option("--adapter", help="For programs: auto, none, or a folder.")]
ContextSizeOption = Annotated[int, typer.Option("--context-size", min=256, help="Tokens of prompt and answer.")]
ResumeOption = Annotated[
    bool, typer.Option("--resume/--restart", help="Go on with a file that is there, or replace it.")
]


@contextmanager
def bar() -> Iterator[RichProgress]:
    with RichProgress(Console(stderr=True)) as bar:
        yield bar


def file_name(words: str) -> str:
    """Words as a part of a file's name."""
    return "".join(c if c.isalnum() or c in "._" else "-" for c in Path(words).name).strip("-")


def chosen_ways(names: Sequence[str] | None, known: Sequence[W], default: Sequence[W] | None = None) -> tuple[W, ...]:
    """What --way names, in the order of the known ways; where it names nothing the default, or all.

    Raises UsageError for a way that is not known.
    """
    if names is None:
        return tuple(known if default is None else default)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"--way {unknown[0]}: there is no such way. There are {', '.join(known)}.")
    return tuple(way for way in known if way in names)
