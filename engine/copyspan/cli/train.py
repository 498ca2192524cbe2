"""`copyspan train`: adapters that teach a model to choose spans. Each command imports what it needs when it is run."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from copyspan.cli.bench_options import ContextSizeOption, DeviceOption, DtypeOption, bar
from copyspan.cli.signals import Caught
from copyspan.cli.stopping import stopping
from copyspan.cli.terminal import put, say
from copyspan.cli.train_data import register
from copyspan.cli.worker import quieten
from copyspan.errors import SourceError, UsageError

if TYPE_CHECKING:
    from copyspan.train.validate import PairRecord

train = typer.Typer(name="train", help="Make training pairs, and teach a model to choose spans.", no_args_is_help=True)
register(train)

OUT = Path("adapters")
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", min=1, help="Threads on a CPU; by default as many as it has cores.")
]


@train.command()
def run(
    recipe: Annotated[
        Path, typer.Argument(metavar="RECIPE.toml", help="What to train, and on what.", show_default=False)
    ],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="The folder for the results; by default adapters/NAME.")
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Begin anew where there is a checkpoint.")] = False,
    device: DeviceOption = "auto",
    threads: ThreadsOption = None,
    save_minutes: Annotated[float, typer.Option("--save-minutes", min=0, help="Between two checkpoints.")] = 10.0,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.01, help="Stop after so long, with a checkpoint.")
    ] = None,
) -> None:
    """Train an adapter by a recipe. Stop it at any time; the same command goes on where it stopped."""
    quieten()
    from copyspan.cli.train_bar import TrainBar
    from copyspan.models.weights import fetch
    from copyspan.train import run as it
    from copyspan.train.recipe import read_recipe

    _set_threads(threads)
    wanted = read_recipe(recipe)
    folder = out or OUT / wanted.name
    if restart:
        it.forget(folder)
    machine = it.Machine(device, save_minutes * 60)
    with bar() as shown, TrainBar(Console(stderr=True)) as watcher:
        base = fetch(wanted.model, None, shown)
        with stopping() as caught:
            stop = _until(caught, minutes)
            adapter = it.run(wanted, recipe.parent, base, folder, machine, shown, watcher, stop)
    say(f"Wrote {adapter}")


@train.command()
def validate(
    adapter: Annotated[
        str, typer.Argument(help="The folder of an adapter, or none: a model as it is.", show_default=False)
    ],
    pairs: Annotated[Path, typer.Argument(help="A file of edit pairs.", show_default=False)],
    model: Annotated[
        str | None, typer.Option("--model", help="The base model, where it has another name here, or no adapter.")
    ] = None,
    count: Annotated[int | None, typer.Option("--count", min=1, help="The first so many pairs.")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="JSON lines, one for each pair.")] = None,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    context_size: ContextSizeOption = 16384,
) -> None:
    """Let a model with an adapter write the programs of pairs, and count how many are right."""
    quieten()
    from copyspan.models.adapter_card import read_card
    from copyspan.models.adapters import choose
    from copyspan.models.protocol import splices_copies
    from copyspan.models.transformers import TransformersModel
    from copyspan.models.weights import fetch
    from copyspan.train.pairs import read_pairs
    from copyspan.train.validate import Validator

    _set_threads(threads)
    card = None if adapter == "none" else read_card(Path(adapter))
    name = card.base if card else model
    if name is None:
        raise UsageError("No model is named. Say which one: --model NAME.")
    chosen = read_pairs(pairs)[:count]
    records = []
    with bar() as shown:
        base = fetch(model or name, None, shown)
        shown.started(f"Loading {card.name if card else name}", None, "")
        chosen_adapter = choose(adapter, name, base)
        loaded = TransformersModel.load(
            base, name=name, device=device, dtype=dtype, context_size=context_size, adapter=chosen_adapter
        )
        loaded.use_adapter(True)
        shown.finished()
        shown.started("Pairs", len(chosen), "pairs")
        with stopping() as caught:
            for record in Validator.of(loaded, splice=splices_copies(loaded.adapter)).records(chosen, caught):
                shown.advanced(1)
                if record is not None:
                    records.append(record)
        shown.finished()
    if len(records) < len(chosen):
        say(f"Left out: {len(chosen) - len(records):,} of {len(chosen):,} pairs, which have no program or do not fit.")
    if out is not None:
        _write(out, records)
    _print(records)


def _print(records: "list[PairRecord]") -> None:
    from copyspan.bench.tables import Table
    from copyspan.train.validate import summaries

    headings = ("pairs", "number", "exact", "well formed", "start", "end", "unchanged", "refused", "tokens")
    rows = tuple(
        (
            kind,
            str(found.num_pairs),
            *(
                "-" if share != share else f"{share:.1%}"  # NaN where nothing was to be counted
                for share in (
                    found.exact,
                    found.well_formed,
                    found.start_right,
                    found.end_right,
                    found.unchanged,
                    found.refused,
                )
            ),
            "-" if found.tokens != found.tokens else f"{found.tokens:.0f}",
        )
        for kind, found in summaries(records).items()
    )
    put(Table("Programs of held-out pairs; start and end are those of the first copy", headings, rows).markdown())


def _write(path: Path, records: "list[PairRecord]") -> None:
    try:
        path.write_text("".join(record.model_dump_json() + "\n" for record in records), encoding="utf-8")
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror}. Name another file: --out FILE.") from error


def _until(caught: Caught, minutes: float | None) -> Callable[[], bool]:
    """Whether a signal came, or the minutes are over."""
    end = time.monotonic() + minutes * 60 if minutes is not None else float("inf")
    return lambda: caught() or time.monotonic() > end


def _set_threads(threads: int | None) -> None:
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
