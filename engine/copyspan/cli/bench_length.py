"""`copyspan bench length`: what an edit costs as its document grows."""

from pathlib import Path
from typing import Annotated

import typer

from copyspan.bench.cases import Case, Framing, read_cases
from copyspan.bench.results import Option, ResultFile, read_results
from copyspan.cli.bench import EVERY, OUT, FramingOption, NumbersOption, OutOption, SeedOption, print_tables
from copyspan.cli.bench_options import (
    AdapterOption,
    ContextSizeOption,
    DeviceOption,
    DtypeOption,
    ModelOption,
    ResumeOption,
    bar,
    chosen_ways,
    file_name,
)
from copyspan.cli.worker import quieten
from copyspan.config import DEFAULT_MODEL, EngineSettings
from copyspan.errors import UsageError
from copyspan.jsonlines import Numbers


def length(
    edit_set: Annotated[Path, typer.Argument(metavar="SET", help="JSON lines of short documents.", show_default=False)],
    framing: FramingOption = "plain",
    numbers: NumbersOption = EVERY,
    sample: Annotated[int, typer.Option("--sample", min=1, help="How many edits at each length, drawn.")] = 5,
    lines: Annotated[
        list[int] | None, typer.Option("--lines", min=10, help="Lines of the document; can be given again.")
    ] = None,
    way: Annotated[
        list[str] | None,
        typer.Option("--way", help="verified, program, ensemble; can be given again. By default the first two."),
    ] = None,
    model: ModelOption = DEFAULT_MODEL,
    adapter: AdapterOption = "auto",
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    context_size: ContextSizeOption = 32768,
    resume: ResumeOption = True,
    seed: SeedOption = 0,
    out: OutOption = OUT,
) -> None:
    """Edits of documents that grow: forwards and time from the instruction on, the document being read ahead.

    Documents are made of those of the set: some, drawn from the numbers, are edited, and the others fill up.
    """
    quieten()
    from copyspan.bench import length as it
    from copyspan.bench.loading import header_of, load
    from copyspan.bench.ways import file_name as file_name_of

    ways = chosen_ways(way, it.WAYS, it.USUAL_WAYS)
    edited, others = _cases(edit_set, framing, numbers, seed, sample)
    settings = EngineSettings(model=model, adapter=adapter, device=device, dtype=dtype, context_size=context_size)
    with bar() as shown:
        engine = load(settings, shown)
    trained = engine.model.adapter
    # Not the ways: what is affordable in a short document may not be in a long one.
    options: dict[str, Option] = {"context_size": context_size, "adapter": trained.name if trained else "none"}
    parts = (engine.model.name, engine.model.dtype, engine.model.device, *([trained.name] if trained else []))
    path = out / f"length-{framing}-{'-'.join(map(file_name, parts))}.jsonl"
    plan = it.Plan(lines or it.LENGTHS, ways, edited, others, file_name_of(edited[0]))
    header = header_of("length", engine.model, seed, options)
    with ResultFile(path, header, it.LengthRecord, resume=resume) as results, bar() as shown:
        shown.started("Edits", plan.num_records, "edits")
        it.run(engine, plan, results, lambda: shown.advanced(1))
        shown.finished()
    print_tables(it.length_table(read_results(path, it.LengthRecord)[1]))


def _cases(edit_set: Path, framing: Framing, numbers: str, seed: int, sample: int) -> tuple[list[Case], list[Case]]:
    """The cases that are edited, and those that documents are filled up with, both in a drawn order."""
    from copyspan.bench.edit import choose

    if framing == "body":
        raise UsageError("A model edits what an editor has. Take the framing plain or doc.")
    edited = choose(read_cases(edit_set, framing, Numbers.parse(numbers)), seed, sample)
    ids = {case.id for case in edited}
    return edited, [case for case in choose(read_cases(edit_set, framing), seed) if case.id not in ids]
