"""The commands of `copyspan train` that make training pairs and check them. None needs a model."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copyspan.cli.bench import EVERY, SeedOption
from copyspan.cli.bench_options import bar
from copyspan.cli.terminal import say
from copyspan.jsonlines import Numbers

if TYPE_CHECKING:  # these are imported when a command is chosen
    from copyspan.cli.progress import RichProgress
    from copyspan.train.pairs import EditPair

OutOption = Annotated[
    Path,
    typer.Option("--out", metavar="FILE", help="JSON lines; compressed with the ending .jsonl.gz.", show_default=False),
]
LicenseOption = Annotated[str, typer.Option("--license", help="The license of the texts, written into every pair.")]


def register(group: typer.Typer) -> None:
    """Add the commands to a group."""
    for command in (mine, records, synthesize, check):
        group.command()(command)


def mine(
    repository: Annotated[
        Path, typer.Argument(help="A git repository, or a file of JSON lines made of commits.", show_default=False)
    ],
    out: OutOption,
    license: LicenseOption = "",
    name: Annotated[
        str | None, typer.Option("--name", help="The repository's name in ids; by default that of its folder.")
    ] = None,
    most: Annotated[int | None, typer.Option("--max", min=1, help="At most so many pairs.")] = None,
    newest_first: Annotated[bool, typer.Option("--newest-first", help="Begin with the newest commit.")] = False,
    max_lines: Annotated[int, typer.Option("--max-lines", min=4, help="Leave out longer files.")] = 400,
    max_changed: Annotated[int, typer.Option("--max-changed", min=1, help="Leave out larger changes.")] = 40,
) -> None:
    """Make pairs of commits that change one file; the instruction is the first line of the message."""
    from itertools import islice

    from copyspan.train.data import mine as it
    from copyspan.train.data.fitness import Limits
    from copyspan.train.pairs import write_pairs

    limits = Limits(max_lines=max_lines, max_changed=max_changed)
    with bar() as shown:
        shown.started("Commits", most, "pairs")
        if repository.is_file():
            pairs: Iterator[EditPair] = islice(it.from_records(repository, license=license, limits=limits), most)
        else:
            pairs = it.mine(repository, license=license, most=most, newest_first=newest_first, limits=limits, name=name)
        number = write_pairs(out, _counted(pairs, shown))
        shown.finished()
    say(f"Wrote {number:,} pairs to {out}")


def records(
    edit_set: Annotated[Path, typer.Argument(help="JSON lines of texts before and after an edit.", show_default=False)],
    out: OutOption,
    before: Annotated[str, typer.Option("--before", help="The field of the text before the edit.")] = "before",
    after: Annotated[str, typer.Option("--after", help="The field of the text after it.")] = "after",
    numbers: Annotated[
        list[str] | None,
        typer.Option("--numbers", metavar="R/M", help="Only records whose number is R modulo M; can be given again."),
    ] = None,
    kind: Annotated[str, typer.Option("--kind", help="What the pairs are called.")] = "record",
    license: LicenseOption = "",
) -> None:
    """Take pairs over from an edit set."""
    from copyspan.train.data.records import Fields, from_edit_set
    from copyspan.train.pairs import write_pairs

    chosen = tuple(map(Numbers.parse, numbers or [EVERY]))
    with bar() as shown:
        shown.started("Records", None, "pairs")
        pairs = from_edit_set(edit_set, Fields(before, after), kind=kind, license=license, numbers=chosen)
        number = write_pairs(out, _counted(pairs, shown))
        shown.finished()
    say(f"Wrote {number:,} pairs to {out}")


def synthesize(
    sources: Annotated[
        list[Path], typer.Argument(help="Source files, folders of them, or files of pairs.", show_default=False)
    ],
    out: OutOption,
    count: Annotated[int, typer.Option("--count", min=1, help="How many pairs.")] = 1000,
    seed: SeedOption = 0,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="A kind of edit, or 'fault-*'; can be given again. All by default."),
    ] = None,
    license: LicenseOption = "",
) -> None:
    """Make up edits of source files: renames, moves, documentation, faults and their repair, and others."""
    from copyspan.train.data.sources import read_sources
    from copyspan.train.data.synthetic.synthesize import synthesize as it
    from copyspan.train.pairs import write_pairs

    files = read_sources(sources, license)
    with bar() as shown:
        shown.started("Edits", count, "pairs")
        number = write_pairs(out, _counted(it(files, count, seed, kind), shown))
        shown.finished()
    say(f"Wrote {number:,} pairs of {len(files):,} files to {out}")
    if number < count:
        say(f"These files give no more than {number:,} different edits with the seed {seed}. Name more of them.")


def check(
    pairs: Annotated[Path, typer.Argument(help="A file of edit pairs.", show_default=False)],
    against: Annotated[
        list[str],
        typer.Option(
            "--against",
            metavar="FILE[:R/M]",
            help="An evaluation set, or its records with the numbers R modulo M; can be given again.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the pairs that are clean.", show_default=False)
    ] = None,
) -> None:
    """Whether pairs hold texts of evaluation sets. Exit code 1 where they do and no --out is given."""
    from copyspan.train.data.decontaminate import EvaluationSet, read_evaluation
    from copyspan.train.data.decontaminate import check as it
    from copyspan.train.pairs import read_pairs, write_pairs

    found = read_pairs(pairs)
    index = read_evaluation([EvaluationSet.parse(text) for text in against])
    with bar() as shown:
        shown.started("Pairs", len(found), "pairs")
        checked = it(_counted(found, shown), index)
        shown.finished()
    for reason, number in checked.reasons.most_common():
        say(f"{number:,} pairs: {reason}")
    say(f"{len(checked.clean):,} of {len(found):,} pairs are clean.")
    if out is not None:
        write_pairs(out, checked.clean)
        say(f"Wrote {out}")
    elif checked.reasons:
        raise typer.Exit(1)


def _counted(pairs: "Iterable[EditPair]", shown: "RichProgress") -> "Iterator[EditPair]":
    for pair in pairs:
        shown.advanced(1)
        yield pair
