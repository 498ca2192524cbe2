"""`copyspan bench`: what copying could save, and what it does save. Each benchmark is imported when it is asked for."""

from pathlib import Path
from typing import Annotated

import typer

from copyspan.bench.cases import Framing, read_sets
from copyspan.bench.results import Header, write_results
from copyspan.bench.tables import Table
from copyspan.cli.terminal import say
from copyspan.config import DEFAULT_MODEL
from copyspan.jsonlines import Numbers

bench = typer.Typer(name="bench", help="Measure what copying saves, on edit sets of your own.", no_args_is_help=True)

Sets = Annotated[list[Path], typer.Argument(help="Files of JSON lines with `before` and `after`.", show_default=False)]
FramingOption = Annotated[
    Framing,
    typer.Option("--framing", help="The document: before/after, before_doc/after_doc, or body_before/body_after."),
]
NumbersOption = Annotated[
    str,
    typer.Option("--numbers", metavar="R/M", help="Only records whose number is R modulo M.", show_default=False),
]
TokenizerOption = Annotated[str, typer.Option("--model", help="The model whose tokenizer counts; it must be on disk.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of all that is drawn.")]
OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder for the results.")]

EVERY = "0/1"
"""All records, as R/M."""
OUT = Path("bench-results")
CURVES = ["paper-1.5b", "paper-7b", "cpu-1.5b"]


@bench.command()
def ceiling(
    sets: Sets,
    framing: FramingOption = "plain",
    numbers: NumbersOption = EVERY,
    model: TokenizerOption = DEFAULT_MODEL,
    curve: Annotated[list[str], typer.Option("--curve", help="A known s(N); can be given again.")] = CURVES,
    kernel: Annotated[
        list[Path] | None, typer.Option("--kernel", help="A stored kernel result to take s(N) from, too.")
    ] = None,
    min_span: Annotated[int, typer.Option("--min-span", min=1, help="The shortest copy of tokens.")] = 8,
    seed: SeedOption = 0,
    out: OutOption = OUT,
) -> None:
    """How much of the results could be copied, and by how much that could speed an edit up."""
    from copyspan.bench import ceiling as it
    from copyspan.bench.speedup import named_curve, read_curves
    from copyspan.bench.tokens import ModelTokens

    curves = [named_curve(name) for name in curve] + [found for path in kernel or () for found in read_curves(path)]
    cases, tokens = read_sets(sets, framing, Numbers.parse(numbers)), ModelTokens.of(model)
    records = [it.measure(case, tokens, min_span) for case in cases]
    write_results(out / f"ceiling-{framing}.jsonl", _header("ceiling", seed, model), records)
    print_tables(it.coverage_table(records, seed), it.histogram_table(records), it.bound_table(records, curves, seed))


@bench.command()
def roundtrip(
    sets: Sets,
    framing: FramingOption = "plain",
    numbers: NumbersOption = EVERY,
    model: TokenizerOption = DEFAULT_MODEL,
    out: OutOption = OUT,
) -> None:
    """Whether oracle programs rebuild every result byte for byte. Exit code 1 where one does not."""
    from copyspan.bench import roundtrip as it
    from copyspan.bench.tokens import ModelTokens

    cases, tokens = read_sets(sets, framing, Numbers.parse(numbers)), ModelTokens.of(model)
    records = [record for case in cases for record in it.measure(case, tokens)]
    write_results(out / f"roundtrip-{framing}.jsonl", _header("roundtrip", 0, model), records)
    print_tables(it.roundtrip_table(records))
    if not all(record.is_exact for record in records):
        raise typer.Exit(1)


@bench.command()
def perturb(
    sets: Sets,
    framing: FramingOption = "plain",
    numbers: NumbersOption = EVERY,
    error: Annotated[
        list[int] | None, typer.Option("--error", min=0, help="How far an end moves at most; can be given again.")
    ] = None,
    trials: Annotated[int, typer.Option("--trials", min=1, help="Trials for each case.")] = 5,
    seed: SeedOption = 0,
    out: OutOption = OUT,
) -> None:
    """How many oracle programs are still right when the ends of their copies are a little wrong."""
    from copyspan.bench import perturb as it

    cases = read_sets(sets, framing, Numbers.parse(numbers))
    records = [it.measure(case, e, seed, trials) for case in cases for e in error or it.ERRORS]
    write_results(out / f"perturb-{framing}.jsonl", _header("perturb", seed, None), records)
    print_tables(it.perturb_table(records, seed))


@bench.command()
def formats(
    sets: Sets,
    framing: FramingOption = "plain",
    numbers: NumbersOption = EVERY,
    model: TokenizerOption = DEFAULT_MODEL,
    seed: SeedOption = 0,
    out: OutOption = OUT,
) -> None:
    """What an edit costs to write as full text, search-replace, unified diff and program, and how often each fails."""
    from copyspan.bench import formats as it
    from copyspan.bench.tokens import ModelTokens

    cases, tokens = read_sets(sets, framing, Numbers.parse(numbers)), ModelTokens.of(model)
    records = [record for case in cases for record in it.measure(case, tokens)]
    write_results(out / f"formats-{framing}.jsonl", _header("formats", seed, model), records)
    print_tables(it.format_table(records, seed))


@bench.command()
def report(
    folder: Annotated[Path, typer.Argument(help="The folder with the stored results.")] = OUT,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where BENCHMARKS.md and plots/ go.")] = Path(
        "docs"
    ),
) -> None:
    """Write BENCHMARKS.md and its plots from stored results."""
    from copyspan.bench.report import write_report

    for path in write_report(folder, out):
        say(f"Wrote {path}")


def _header(name: str, seed: int, model: str | None) -> Header:
    return Header.now(name, seed=seed, model=model)


def print_tables(*tables: Table) -> None:
    typer.echo("\n".join(table.markdown() for table in tables), nl=False)
