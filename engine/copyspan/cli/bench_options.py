"""What several benchmarks with a model are asked, and what the person sees while they run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from copyspan.cli.progress import RichProgress

Dtype = Literal["auto", "bfloat16", "float16", "float32"]

ModelOption = Annotated[str, typer.Option("--model", help="A name from `copyspan models list`, or a folder.")]
DeviceOption = Annotated[str, typer.Option("--device", help="auto, cpu, cuda ...")]
DtypeOption = Annotated[Dtype, typer.Option("--dtype", help="The number format of the weights.")]
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
