"""`copyspan batch`: thousands of edits against a server, or a few in this process."""

from pathlib import Path
from typing import Annotated

import typer

from copyspan.cli.batch_records import BatchResult, ResultLog, read_edits, results_beside, summary
from copyspan.cli.bench_options import bar
from copyspan.cli.edit import Dtype
from copyspan.cli.exit_codes import ExitCode
from copyspan.cli.server_options import PlainHttpOption, ServedModelOption, ServerOption
from copyspan.cli.stopping import stopping
from copyspan.cli.terminal import say
from copyspan.cli.worker import quieten
from copyspan.config import DEFAULT_MODEL, EngineSettings, StrategyWish
from copyspan.engine import Engine
from copyspan.errors import UsageError
from copyspan.models.weights import Silent

WORKERS = 8


def batch(
    edits: Annotated[Path, typer.Argument(help="JSON lines with file, instruction and, if wanted, lines and id.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="One JSON line for each edit. Default: beside EDITS.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", "-w", help="Write the best edit of each into its file. Else nothing is written.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, max=256, help="Edits at once: 8 with --server, else 1.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--restart", help="Go on with results that are there, or replace them.")
    ] = True,
    strategy: Annotated[StrategyWish, typer.Option(help="As for `copyspan edit`.")] = "auto",
    model: Annotated[str, typer.Option(help="As for `copyspan edit`.")] = DEFAULT_MODEL,
    adapter: Annotated[str, typer.Option(help="As for `copyspan edit`.")] = "auto",
    device: Annotated[str, typer.Option(help="As for `copyspan edit`.")] = "auto",
    dtype: Annotated[Dtype, typer.Option(help="As for `copyspan edit`.")] = "auto",
    server: ServerOption = None,
    served_model: ServedModelOption = None,
    allow_plain_http: PlainHttpOption = False,
) -> None:
    """Carry out many edits, several at once if a server runs the model, and report each in a line.

    Stop it at any time; the same command goes on where it stopped. An edit that fails is reported and holds up no
    other; where the server itself fails, the batch ends, and can be gone on with.
    """
    from copyspan.cli.batch_run import Batch

    if server is None and workers not in (None, 1):
        raise UsageError("A model in this process makes one edit at a time. Leave --workers out, or name a --server.")
    settings = EngineSettings(
        model=model,
        adapter=adapter,
        device=device,
        dtype=dtype,
        server=server,
        served_model=served_model,
        allow_plain_http=allow_plain_http,
    )
    wanted = read_edits(edits)
    results: list[BatchResult] = []
    with ResultLog(out or results_beside(edits), wanted, resume=resume) as log:
        todo = [edit for edit in wanted if edit.id not in log.done]
        if len(todo) < len(wanted):
            say(f"{len(wanted) - len(todo):,} of {len(wanted):,} edits are done already.")
        quieten()
        first = [_loaded(settings)] if todo else []

        def load() -> Engine:
            try:
                return first.pop()
            except IndexError:
                return Engine.load(settings, Silent())

        job = Batch(load, workers or (WORKERS if server else 1), strategy, write)
        with stopping() as caught, bar() as shown:
            shown.started("Edits", len(todo), "edits")
            try:
                for result in job.run(todo, caught):
                    log.append(result)
                    results.append(result)
                    shown.advanced(1)
            except Exception:
                say(f"{len(results):,} of {len(todo):,} edits are done. The same command goes on with the rest.")
                raise
            shown.finished()
    say(f"{summary(results)} {log.path}")
    raise typer.Exit(ExitCode.CHANGED if any(r.changed for r in results) or not results else ExitCode.UNCHANGED)


def _loaded(settings: EngineSettings) -> Engine:
    with bar() as shown:
        return Engine.load(settings, shown)
