"""The command `copyspan`: its subcommands, and how an error becomes a message and an exit code."""

import errno
import os
import sys
import traceback
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from copyspan import __version__
from copyspan.cli.batch import batch
from copyspan.cli.bench import bench
from copyspan.cli.bench_length import length
from copyspan.cli.bench_model import edit as bench_edit
from copyspan.cli.bench_model import gpu, kernel
from copyspan.cli.bench_served import load, served
from copyspan.cli.bench_server import server
from copyspan.cli.doctor import run_doctor
from copyspan.cli.edit import HELP, Dtype, edit
from copyspan.cli.exit_codes import ExitCode, exit_code_of
from copyspan.cli.models import models
from copyspan.cli.serve import serve
from copyspan.cli.server_options import PlainHttpOption, ServedModelOption, ServerOption
from copyspan.cli.terminal import say
from copyspan.cli.train import train
from copyspan.config import DEFAULT_MODEL, EngineSettings
from copyspan.errors import Cancelled, ContextTooLong, CopyspanError, OutOfMemory

EPILOG = "\n".join(["Exit codes:", *(f"{code.value} {code.meaning}" for code in ExitCode)])


class _Group(TyperGroup):
    """Turns errors that are expected into a message on standard error and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except CopyspanError as error:
            say(str(error) if isinstance(error, Cancelled) else f"Error: {error}{_option_for(error)}")
            raise typer.Exit(exit_code_of(error)) from error
        except MemoryError as error:
            say("Error: out of memory. Edit fewer lines (--lines A-B), or take a smaller model (--model).")
            raise typer.Exit(ExitCode.MEMORY) from error
        except KeyboardInterrupt as error:
            say("Cancelled.")
            raise typer.Exit(ExitCode.CANCELLED) from error
        except OSError as error:
            if error.errno != errno.EPIPE:
                raise
            _drop_output()
            raise typer.Exit(ExitCode.CLOSED) from error


app = typer.Typer(
    cls=_Group,
    name="copyspan",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog=EPILOG,
    help="Edit text with a local language model that pays only for what changes.",
)
app.command(help=HELP, epilog=EPILOG)(edit)
app.command()(batch)
app.add_typer(models)
for benchmark in (kernel, bench_edit, length, server, gpu, served, load):
    bench.command()(benchmark)
app.add_typer(bench)
app.add_typer(train)
app.command()(serve)


@app.command()
def doctor(
    model: Annotated[str, typer.Option(help="The model to look for.")] = DEFAULT_MODEL,
    adapter: Annotated[str, typer.Option(help="The adapter to look for: auto, none, or a folder.")] = "auto",
    device: Annotated[str, typer.Option(help="The device to try.")] = "auto",
    dtype: Annotated[Dtype, typer.Option(help="The number format to try.")] = "auto",
    server: ServerOption = None,
    served_model: ServedModelOption = None,
    allow_plain_http: PlainHttpOption = False,
) -> None:
    """Say what copyspan would use here, and what is missing. A server is asked what it can do."""
    settings = EngineSettings(
        model=model,
        adapter=adapter,
        device=device,
        dtype=dtype,
        server=server,
        served_model=served_model,
        allow_plain_http=allow_plain_http,
    )
    if not run_doctor(settings):
        raise typer.Exit(ExitCode.MODEL)


def _option_for(error: CopyspanError) -> str:
    """The options by which the advice of a message is followed here; the engine knows no command line."""
    options = {ContextTooLong: "--lines A-B", OutOfMemory: "--lines A-B, --model NAME, --device cpu"}
    found = next((text for kind, text in options.items() if isinstance(error, kind)), None)
    return f" (The options are {found}.)" if found else ""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"copyspan {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """The console script. A fault of ours has an exit code of its own, so that it is never taken for an answer."""
    try:
        app()
    except Exception:
        traceback.print_exc()
        say("This is a fault of copyspan; files that were to be edited are as they were, or as shown above.")
        sys.exit(ExitCode.FAULT)


def _drop_output() -> None:
    """Nobody reads standard output any more: what is still in its buffer must not fail once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
