"""`copyspan bench served` and `copyspan bench load`: edits at an inference server."""

import sys
from typing import Annotated, Any

import typer

from copyspan.bench.cases import read_sets
from copyspan.bench.results import Header, Option, ResultFile, read_results
from copyspan.cli.bench import EVERY, OUT, FramingOption, NumbersOption, OutOption, SeedOption, Sets, print_tables
from copyspan.cli.bench_options import ModelOption, ResumeOption, bar, chosen_ways, file_name
from copyspan.cli.server_options import PlainHttpOption, ServedModelOption, ServerOption
from copyspan.cli.worker import quieten
from copyspan.config import DEFAULT_MODEL, EngineSettings
from copyspan.errors import UsageError
from copyspan.jsonlines import Numbers


def served(
    sets: Sets,
    framing: FramingOption = "plain",
    numbers: NumbersOption = EVERY,
    sample: Annotated[int | None, typer.Option("--sample", min=1, help="At most so many of each set, drawn.")] = None,
    min_lines: Annotated[int, typer.Option("--min-lines", min=1, help="Leave out shorter documents.")] = 1,
    max_lines: Annotated[int | None, typer.Option("--max-lines", min=1, help="Leave out longer documents.")] = None,
    way: Annotated[
        list[str] | None, typer.Option("--way", help="verified, search, program; can be given again. All by default.")
    ] = None,
    model: ModelOption = DEFAULT_MODEL,
    server: ServerOption = None,
    served_model: ServedModelOption = None,
    allow_plain_http: PlainHttpOption = False,
    resume: ResumeOption = True,
    seed: SeedOption = 0,
    out: OutOption = OUT,
) -> None:
    """Requests and prompt tokens that an edit sends to a server, the first time it sees a document and once more."""
    quieten()
    from copyspan.bench import served as it
    from copyspan.bench.edit import choose
    from copyspan.engine import Engine

    ways = chosen_ways(way, it.WAYS)
    cases = choose(read_sets(sets, framing, Numbers.parse(numbers)), seed, sample, min_lines, max_lines)
    settings = _settings(model, server, served_model, allow_plain_http)
    with bar() as shown:
        engine = Engine.load(settings, shown)
    trained = engine.model.adapter if "program" in ways else None
    path = out / f"served-{'-'.join([framing, *map(file_name, [model, *([trained.name] if trained else [])])])}.jsonl"
    options: dict[str, Option] = {"server": it.served_model(engine).abilities.server, "ways": " ".join(ways)}
    header = _header("served", model, seed, options | ({"adapter": trained.name} if trained else {}))
    with ResultFile(path, header, it.ServedRecord, resume=resume) as results, bar() as shown:
        shown.started("Edits", len(cases), "cases")
        it.run(engine, cases, ways, results, lambda: shown.advanced(1))
        shown.finished()
    engine.close()
    print_tables(it.served_table(read_results(path, it.ServedRecord)[1]))


def load(
    editors: Annotated[
        list[int] | None, typer.Option("--editors", min=1, max=64, help="How many; can be given again. 1 and 16.")
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="How long each number of editors works.")] = 120.0,
    model: ModelOption = DEFAULT_MODEL,
    server: ServerOption = None,
    served_model: ServedModelOption = None,
    allow_plain_http: PlainHttpOption = False,
    resume: ResumeOption = True,
    seed: SeedOption = 0,
    out: OutOption = OUT,
) -> None:
    """Editors at one server: edits that are made and taken back, how long they take, and whether any reply is lost."""
    quieten()
    from copyspan.bench import load as it
    from copyspan.bench.served import served_model as checked
    from copyspan.engine import Engine

    settings = _settings(model, server, served_model, allow_plain_http)
    with bar() as shown:
        engine = Engine.load(settings, shown)  # says what is wrong before a dozen processes do
    kind = checked(engine).abilities.server
    engine.close()
    told: dict[str, Any] = {
        "model": model,
        "serverUrl": server,
        "servedModel": served_model or "",
        "allowPlainHttp": allow_plain_http,
    }
    job = it.Load((sys.executable, "-m", "copyspan_lsp"), told, seconds, seed)
    path = out / f"load-{file_name(model)}.jsonl"
    header = _header("load", model, seed, {"server": kind, "seconds": seconds})
    todo = editors or [1, 16]
    with ResultFile(path, header, it.LoadRecord, resume=resume) as results, bar() as shown:
        shown.started("Editors", len(todo), "numbers")
        for number in todo:
            if (it.set_name(number), "editor 0") not in results.done:
                for record in job.measure(number):
                    results.append(record)
            shown.advanced(1)
        shown.finished()
    print_tables(it.load_table(read_results(path, it.LoadRecord)[1]))


def _settings(model: str, server: str | None, served_model: str | None, allow_plain_http: bool) -> EngineSettings:
    if server is None:
        raise UsageError("This measures a model that a server runs. Name one: --server URL.")
    return EngineSettings(model=model, server=server, served_model=served_model, allow_plain_http=allow_plain_http)


def _header(bench: str, model: str, seed: int, options: dict[str, Option]) -> Header:
    """The address stays out of it: it is nobody's business."""
    return Header.now(bench, seed=seed, model=model, dtype="served", device="server", options=options, argv=_public())


def _public() -> list[str]:
    words = list(sys.argv)
    for index, word in enumerate(words):
        if word == "--server" and index + 1 < len(words):
            words[index + 1] = "URL"
        elif word.startswith("--server="):
            words[index] = "--server=URL"
    return words
