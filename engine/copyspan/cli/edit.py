"""`copyspan edit`: from a file and an instruction to a changed file."""

from typing import Annotated, Literal

import typer

from copyspan.cli.delivery import Job, deliver
from copyspan.cli.exit_codes import ExitCode
from copyspan.cli.options import Wish, form_of, parse_lines
from copyspan.cli.report import ErrorReport
from copyspan.cli.server_options import PlainHttpOption, ServedModelOption, ServerOption
from copyspan.cli.terminal import put
from copyspan.cli.worker import Worker
from copyspan.config import DEFAULT_MODEL, EngineSettings, StrategyWish
from copyspan.edits.text import LineRange
from copyspan.engine import Candidate
from copyspan.errors import CopyspanError

Dtype = Literal["auto", "bfloat16", "float16", "float32"]
HELP = (
    "Edit FILE as the instruction says.\n\n"
    "On a terminal it shows the diff and what it cost, and asks before it writes. Elsewhere it only shows the diff, "
    "unless --write or --check is given. The file keeps its mode, its encoding and its line ends."
)
_OUTPUT, _MODEL = "What to do with the edit", "Which model does it"


def _lines(text: str) -> LineRange:
    try:
        return parse_lines(text)
    except ValueError as error:
        raise typer.BadParameter(f"{error}.") from None


def edit(
    file: Annotated[str, typer.Argument(help="- reads standard input and writes the result to standard output.")],
    instruction: Annotated[str, typer.Option("--instruction", "-i", help="What to change, in your words.")],
    lines: Annotated[
        LineRange | None,
        typer.Option(parser=_lines, metavar="A-B", help="The lines that may change, counted from 1. Default: all."),
    ] = None,
    candidates: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="How many edits to look for. Default: 1, and 4 with --check."),
    ] = None,
    strategy: Annotated[
        StrategyWish,
        typer.Option(
            help="verified: it rewrites, what stays is copied. program: it writes an edit program. ensemble: it "
            "rewrites, and where that is in doubt writes a program too. auto: ensemble for a model that is trained to "
            "write programs and runs in this process; else verified."
        ),
    ] = "auto",
    name: Annotated[
        str | None, typer.Option(help="A file name that tells the model the language, for standard input.")
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print a unified diff and write nothing.", rich_help_panel=_OUTPUT)
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object with all candidates.", rich_help_panel=_OUTPUT)
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", "-w", help="Write the best edit without asking.", rich_help_panel=_OUTPUT)
    ] = False,
    program: Annotated[
        bool, typer.Option("--program", help="Show the edit program as well.", rich_help_panel=_OUTPUT)
    ] = False,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Put one candidate after the other into the file and keep the first with which this shell command "
            "succeeds. If none does, the file is as it was.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    check_timeout: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="For one run of the command.", rich_help_panel=_OUTPUT)
    ] = 600.0,
    model: Annotated[
        str,
        typer.Option(help="A name from `copyspan models list`, a hub id, a folder or a file.", rich_help_panel=_MODEL),
    ] = DEFAULT_MODEL,
    adapter: Annotated[
        str,
        typer.Option(
            help="What taught it to write programs: auto (what comes with copyspan, if it fits), none, or a folder.",
            rich_help_panel=_MODEL,
        ),
    ] = "auto",
    device: Annotated[str, typer.Option(help="auto, cpu, mps, cuda, cuda:1 ...", rich_help_panel=_MODEL)] = "auto",
    dtype: Annotated[Dtype, typer.Option(help="The number format of the weights.", rich_help_panel=_MODEL)] = "auto",
    server: ServerOption = None,
    served_model: ServedModelOption = None,
    allow_plain_http: PlainHttpOption = False,
) -> None:
    """The command: options to a wish, the wish to an exit code. Raises typer.Exit and CopyspanError."""
    try:
        wish = Wish(
            file=file,
            instruction=instruction,
            settings=EngineSettings(
                model=model,
                adapter=adapter,
                device=device,
                dtype=dtype,
                server=server,
                served_model=served_model,
                allow_plain_http=allow_plain_http,
            ),
            lines=lines,
            candidates=candidates,
            strategy=strategy,
            form=form_of(diff, json),
            writes=write,
            shows_program=program,
            check=check,
            check_timeout=check_timeout,
            name=name,
        )
        code = carry_out(wish)
    except CopyspanError as error:
        if json:
            put(ErrorReport.of(error).model_dump_json(indent=2) + "\n")
        raise
    raise typer.Exit(code)


def carry_out(wish: Wish) -> ExitCode:
    """Read, load, edit, deliver."""
    job = Job.open(wish)
    request = wish.request(job.document.snapshot)
    worker = Worker.load(wish.settings)
    result = found = worker.edit(request)

    def search() -> tuple[Candidate, ...]:
        nonlocal found
        found = worker.search(request, found)
        return found.candidates

    return deliver(job, result, search)
