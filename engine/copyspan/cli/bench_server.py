"""`copyspan bench server`: how quick the language server is, seen from an editor."""

import sys
from typing import Annotated

import typer

from copyspan.bench.results import Header, ResultFile, read_results
from copyspan.cli.bench import OUT, OutOption, SeedOption, print_tables
from copyspan.cli.bench_options import DeviceOption, DtypeOption, ModelOption, ResumeOption, bar, file_name
from copyspan.cli.worker import quieten
from copyspan.config import DEFAULT_MODEL, EngineSettings


def server(
    model: ModelOption = DEFAULT_MODEL,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    lines: Annotated[
        list[int] | None, typer.Option("--lines", min=10, help="The document's length; can be given again.")
    ] = None,
    trials: Annotated[int, typer.Option("--trials", min=1, help="Servers that are started for each length.")] = 3,
    resume: ResumeOption = True,
    seed: SeedOption = 0,
    out: OutOption = OUT,
) -> None:
    """The language server: start, code actions, first preview and edit, cold and warm, and how it answers meanwhile."""
    quieten()
    from copyspan.bench import server as it
    from copyspan.engine import Engine
    from copyspan.models.device import best_dtype

    settings = EngineSettings(model=model, device=device, dtype=dtype)
    Engine.require(settings)
    where, number_format = best_dtype(device, dtype)
    told = {"model": model, "device": where, "dtype": str(number_format).removeprefix("torch.")}
    client = it.Client((sys.executable, "-m", "copyspan_lsp"), told | {"warmStart": "off"})
    header = Header.now("server", seed=seed, model=model, dtype=told["dtype"], device=where)
    path = out / f"server-{file_name(model)}-{told['dtype']}-{file_name(where)}.jsonl"
    todo = [(length, trial) for trial in range(trials) for length in lines or it.LENGTHS]
    with ResultFile(path, header, it.ServerRecord, resume=resume) as results, bar() as shown:
        shown.started("Servers", len(todo), "trials")
        for length, trial in todo:
            if it.key(length, trial) not in results.done:
                results.append(client.measure(length, trial))
            shown.advanced(1)
        shown.finished()
    print_tables(it.server_table(read_results(path, it.ServerRecord)[1]))
