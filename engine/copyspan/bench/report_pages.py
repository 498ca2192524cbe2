"""What the report says of runs with a model: tables, plots, and the regime in a sentence. Knows no files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from copyspan.bench import edit_stats as edits
from copyspan.bench import plots
from copyspan.bench.edit_records import EditRecord
from copyspan.bench.edit_tables import tables
from copyspan.bench.kernel import kernel_table
from copyspan.bench.length import LengthRecord, came_to_an_end, length_table
from copyspan.bench.results import Header
from copyspan.bench.speedup import KernelRecord
from copyspan.bench.stats import Interval, bootstrap, median
from copyspan.bench.tables import Table

_PHASES = ("prompt", "decode", "search", "resolve")

Points = list[tuple[float, float | Interval]]


@dataclass(frozen=True, slots=True)
class Group:
    """The records of one run."""

    name: str
    """The file's name without its ending; it names the plots."""
    header: Header
    records: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Page:
    """What one group becomes."""

    tables: Sequence[Table]
    plots: Mapping[str, str] = field(default_factory=dict)
    """SVG by a short name."""


def kernel_page(group: Group) -> Page:
    records: Sequence[KernelRecord] = group.records
    lines: dict[str, Points] = {}
    for record in records:
        name = f"{record.set.rpartition(', ')[2]}, context {record.context:,}"
        lines.setdefault(name, []).append((record.num_tokens, record.speedup))
    x = plots.log_axis("tokens in one forward, N", [record.num_tokens for record in records])
    y = plots.log_axis("s(N)", [record.speedup for record in records])
    return Page([kernel_table(records)], {"s": plots.line_plot("s(N)", x, y, lines)})


def length_page(group: Group) -> Page:
    records: Sequence[LengthRecord] = group.records
    fine = came_to_an_end(records)
    told = [length_table(records)]
    if not fine:
        return Page(told)
    x = plots.log_axis("lines of the document", [record.wanted_lines for record in fine])
    drawn = {}
    for short, title in (("seconds", "seconds"), ("forwards", "sequential forwards")):
        ways = dict.fromkeys(record.way for record in fine)
        lines: dict[str, Points] = {way: _medians([r for r in fine if r.way == way], short) for way in ways}
        y = plots.log_axis(title, [getattr(record, short) for record in fine])
        drawn[short] = plots.line_plot(f"An edit of a document that was read ahead: {title}", x, y, lines)
    return Page(told, drawn)


def _medians(records: Sequence[LengthRecord], field: str) -> Points:
    """The median of a field at every length, the shortest first."""
    lengths = sorted({record.wanted_lines for record in records})
    return [(float(n), median([getattr(r, field) for r in records if r.wanted_lines == n])) for n in lengths]


def edit_page(group: Group) -> Page:
    records: Sequence[EditRecord] = group.records
    seed = group.header.seed
    told = tables(records, seed, has_answers=not group.header.options.get("steered"))
    return Page(told, _speed_plot(records, seed) | _accuracy_plot(records) | _time_plot(records))


def _speed_plot(records: Sequence[EditRecord], seed: int) -> dict[str, str]:
    bins = {name: group for name, group in edits.by_length(records).items() if name != edits.ALL}
    lines: dict[str, Points] = {}
    for slow, fast in edits.COMPARED:
        for place, group in enumerate(bins.values()):
            if found := edits.both(group, slow, fast):
                ratios = bootstrap([(a.seconds, b.seconds) for a, b in found], edits.median_ratio, seed=seed)
                lines.setdefault(f"{slow} / {fast}", []).append((float(place), ratios))
    if not lines:
        return {}
    x = plots.names_axis("lines of the document", list(bins))
    y = plots.linear_axis("times as fast (median of ratios of wall-clock)", _highest(lines.values()))
    return {"speed": plots.line_plot("Speed against document length", x, y, lines)}


def _accuracy_plot(records: Sequence[EditRecord]) -> dict[str, str]:
    lines: dict[str, Points] = {
        f"{name}, {verdict}": [(float(k), point) for k, point in enumerate(points, 1)]
        for (name, verdict), points in edits.candidate_curves(records).items()
    }
    most = edits.most_candidates(records)
    if not most:
        return {}
    x = plots.Axis("candidates", tuple((float(k), str(k)) for k in range(1, most + 1)), 0.5, most + 0.5)
    y = plots.linear_axis("share of cases with a right one among them", 1.0)
    return {"accuracy": plots.line_plot("Accuracy against candidates", x, y, lines)}


def _time_plot(records: Sequence[EditRecord]) -> dict[str, str]:
    shares = edits.time_shares(records, _PHASES)
    bars = {way: [share * edits.mean_seconds(records, way) for share in parts] for way, parts in shares.items()}
    if not bars:
        return {}
    y = plots.linear_axis("seconds a case", max(map(sum, bars.values())))
    return {"time": plots.bar_plot("Where the time goes", y, {str(way): parts for way, parts in bars.items()}, _PHASES)}


def _highest(lines: Iterable[Points]) -> float:
    return max(v.high if isinstance(v, Interval) else v for points in lines for _, v in points)


def edit_regime(group: Group) -> str:
    options = group.header.options
    loads = [record.load for record in group.records if record.load is not None]
    load = f" Load average: median {median(loads):.1f}, highest {max(loads):.1f}." if loads else ""
    steered = " The model was made to write the reference answer, whatever it wanted." if options["steered"] else ""
    return (
        "Whole documents, one at a time, greedy, every way from an empty context and with the prompt in its time. The "
        f"ways of a case took turns in a drawn order, {options['trials']} time(s) each; prompt lookup drafts "
        f"{options['lookup_tokens']} tokens, a search looks for {options['candidates']} candidates.{steered}{load}"
    )
