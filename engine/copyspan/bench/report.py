"""BENCHMARKS.md and its plots, made from stored results alone. Knows no model.

Every group of figures says which model, number format and hardware it is of, when it was measured, and in which regime.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from copyspan.bench.ceiling import CeilingRecord, bound_table, coverage_table, histogram_table
from copyspan.bench.edit_records import EditRecord
from copyspan.bench.formats import FormatRecord, format_table
from copyspan.bench.gpu_results import read_gpu
from copyspan.bench.length import LengthRecord
from copyspan.bench.load import LoadRecord, load_table
from copyspan.bench.perturb import PerturbRecord, perturb_table
from copyspan.bench.report_pages import Group, Page, edit_page, edit_regime, kernel_page, length_page
from copyspan.bench.results import Header, Record, read_header, read_results
from copyspan.bench.roundtrip import RoundTripRecord, roundtrip_table
from copyspan.bench.served import ServedRecord, served_table
from copyspan.bench.server import ServerRecord, server_table
from copyspan.bench.speedup import LOGGED, PAPER, Curve, KernelRecord, curves_of
from copyspan.bench.tables import Table
from copyspan.errors import SourceError, UsageError

_INTRODUCTION = """\
# Benchmarks

Made by `copyspan bench report` from stored results; do not edit by hand. Intervals are of 95%: bootstrap over cases for
ratios, Wilson's for shares. A figure holds for the model, machine and regime that stand above it.
"""
FINDINGS = "FINDINGS.md"
"""What people say of the results, beside them; it comes first in the report."""


@dataclass(frozen=True, slots=True)
class Section:
    """A kind of benchmark: how its records are read, and what is said of them."""

    title: str
    kind: type[Record]
    regime: Callable[[Group], str]
    page: Callable[[Group, Sequence[Curve]], Page]


def write_report(folder: Path, out: Path) -> list[Path]:
    """Write BENCHMARKS.md and plots/*.svg into `out` from all result files of `folder`; returns what was written.

    Raises UsageError where there is none, or one that cannot be understood, and SourceError where nothing can be
    written.
    """
    groups = _read(folder)
    if not groups:
        raise UsageError(f"{folder.name} holds no results of copyspan bench. Name another folder.")
    curves = [*PAPER, *LOGGED, *(c for g in groups if g.header.bench == "kernel" for c in curves_of(g.records))]
    text = _INTRODUCTION + _findings(folder)
    files: dict[Path, str] = {}
    for bench, section in SECTIONS.items():
        found = [group for group in groups if group.header.bench == bench and group.records]
        text += f"\n## {section.title}\n" if found else ""
        for group in found:
            page = section.page(group, curves)
            names = {f"{group.name}-{short}.svg": svg for short, svg in page.plots.items()}
            text += _told(group, section, page.tables, names)
            files |= {out / "plots" / name: svg for name, svg in names.items()}
    files[out / "BENCHMARKS.md"] = text
    try:
        for path, content in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8", newline="\n")
    except OSError as error:
        raise SourceError(f"{out} cannot be written: {error.strerror}. Name another folder.") from error
    return list(files)


def _read(folder: Path) -> list[Group]:
    groups = []
    for path in sorted(folder.glob("*.jsonl")):
        section = SECTIONS.get(read_header(path).bench)
        if section is not None:
            groups.append(Group(path.stem, *read_results(path, section.kind)))
    for path in sorted(folder.glob("gpu*.json")):
        for number, run in enumerate(read_gpu(path).runs):
            name = f"{path.stem}-{number}"
            groups.append(Group(f"{name}-kernel", run.kernel_header, run.kernel))
            groups.append(Group(f"{name}-edit", run.edit_header, run.edit))
    return groups


def _findings(folder: Path) -> str:
    path = folder / FINDINGS
    return "\n" + path.read_text(encoding="utf-8") if path.exists() else ""


def _told(group: Group, section: Section, tables: Iterable[Table], pictures: Iterable[str]) -> str:
    parts = [f"### {group.name}", f"{_origin(group.header)} {section.regime(group)}"]
    parts += [table.markdown().rstrip("\n") for table in tables if table.rows]
    parts += [f"![{name}](plots/{name})" for name in pictures]
    return "\n" + "\n\n".join(parts) + "\n"


def _origin(header: Header) -> str:
    """Model, number format, hardware, versions, date."""
    model = f"{header.model or 'No model'}"
    where = header.gpu or f"{header.cpu}, {header.cores} cores"
    threads = f", {header.options['threads']} threads" if "threads" in header.options and not header.gpu else ""
    versions = f"copyspan {header.copyspan}, torch {header.torch}, transformers {header.transformers}"
    kind = f", {header.dtype}" if header.dtype else " (its tokenizer alone)" if header.model else ""
    return f"{model}{kind}; {where}{threads}; {versions}; {header.date[:10]}; seed {header.seed}."


def _oracle_regime(_: Group) -> str:
    return "An oracle that knows the result wrote the answers; no model ran."


SECTIONS: Mapping[str, Section] = {
    "kernel": Section(
        "The forward, s(N)",
        KernelRecord,
        lambda group: (
            f"One context, random tokens; medians of {group.records[0].num_trials} rounds, in each of which all "
            "lengths took turns in a drawn order. `verified` scores all N positions, `spliced` the last one."
        ),
        lambda group, _: kernel_page(group),
    ),
    "edit": Section("Edits from end to end", EditRecord, edit_regime, lambda group, _: edit_page(group)),
    "length": Section(
        "Edits of documents that grow",
        LengthRecord,
        lambda group: (
            "Documents made of those of one set; each is read ahead once and then edited several times, as it was. "
            "What is counted begins with the instruction. A program names the lines that it copies; a rewritten "
            f"document has them verified. Adapter: {group.header.options['adapter']}."
        ),
        lambda group, _: length_page(group),
    ),
    "server": Section(
        "The language server",
        ServerRecord,
        lambda _: (
            "One editor, one document, two edits of the same eight lines: the first finds no model in memory (cold), "
            "the second does (warm). Requests for code actions are sent one after the other, 20 ms apart."
        ),
        lambda group, _: Page([server_table(group.records)]),
    ),
    "served": Section(
        "Requests to an inference server",
        ServedRecord,
        lambda group: (
            f"{group.header.options['server']}. Each way edits a document twice: first one that the server has never "
            "seen (cold), then again with the instruction in other words (warm)."
        ),
        lambda group, _: Page([served_table(group.records)]),
    ),
    "load": Section(
        "Many editors at one inference server",
        LoadRecord,
        lambda group: (
            f"{group.header.options['server']}, on the same cores as the editors. Each editor renames a variable in a "
            "document of its own, again and again, and takes a quarter of its edits back."
        ),
        lambda group, _: Page([load_table(group.records)]),
    ),
    "ceiling": Section(
        "What could be copied",
        CeilingRecord,
        _oracle_regime,
        lambda group, curves: Page(
            [
                coverage_table(group.records, group.header.seed),
                histogram_table(group.records),
                bound_table(group.records, curves, group.header.seed),
            ]
        ),
    ),
    "formats": Section(
        "What other forms of answers cost",
        FormatRecord,
        _oracle_regime,
        lambda group, _: Page([format_table(group.records, group.header.seed)]),
    ),
    "perturb": Section(
        "Ends of copies that are a little wrong",
        PerturbRecord,
        _oracle_regime,
        lambda group, _: Page([perturb_table(group.records, group.header.seed)]),
    ),
    "roundtrip": Section(
        "Oracle programs, rebuilt",
        RoundTripRecord,
        _oracle_regime,
        lambda group, _: Page([roundtrip_table(group.records)]),
    ),
}
