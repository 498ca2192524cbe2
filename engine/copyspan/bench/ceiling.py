"""How much of each edit's result could be copied, and what copying it by one forward a span would save at most.

The oracle aligns the two texts by lines with difflib, or by tokens from left to right. It knows the result, so this is
a ceiling and no forecast.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Literal

from copyspan.bench.cases import Case, Framing
from copyspan.bench.results import Record
from copyspan.bench.speedup import Curve, bounds, exact_steps
from copyspan.bench.stats import bootstrap, quantile, ratio_of_sums
from copyspan.bench.tables import Table
from copyspan.bench.tokens import Tokens
from copyspan.edits.align import align_lines, align_tokens
from copyspan.edits.program import CopyLines, CopyTokens
from copyspan.edits.text import Snapshot, split_lines

POOLED = "pooled"


class CeilingRecord(Record):
    """The copies of one edit's oracle program."""

    kind: Literal["ceiling"] = "ceiling"
    framing: Framing
    num_lines: int
    """Lines of the result."""
    copied_lines: int
    num_tokens: int
    """Tokens of the result, as one text."""
    spans: list[int]
    """The length of every copy of lines, in tokens of the copied text; 0 for an empty last line (body framing)."""
    token_spans: list[int]
    """The length of every copy of tokens."""
    min_span: int
    """The shortest copy of tokens that is one."""


def measure(case: Case, tokens: Tokens, min_span: int = 8) -> CeilingRecord:
    """The ceiling of one case."""
    before = Snapshot(case.before)
    copies = [op for op in align_lines(before, case.after).ops if isinstance(op, CopyLines)]
    texts = [case.without_joint("".join(before.line(i) for i in range(op.start, op.stop))) for op in copies]
    olds, news = (tokens.ids(case.without_joint(text)) for text in (case.before, case.after))
    spans = [span for span in align_tokens(olds, news, min_span) if isinstance(span, CopyTokens)]
    return CeilingRecord(
        set=case.set,
        case=case.id,
        framing=case.framing,
        num_lines=len(split_lines(case.after)),
        copied_lines=sum(map(len, copies)),
        num_tokens=len(news),
        spans=[len(tokens.ids(text)) for text in texts],
        token_spans=list(map(len, spans)),
        min_span=min_span,
    )


def coverage_table(records: Sequence[CeilingRecord], seed: int) -> Table:
    """How much is copied, set by set; the shares with the interval of a bootstrap over cases."""
    headings: tuple[str, ...] = ("set (framing)", "n", "T", "copied", "generated", "copied of T %", "lines copied %")
    headings += ("K", "mean span", "p50", "p95", "token-level %", "token spans")
    return Table("Copy coverage", headings, tuple(_coverage(*group, seed) for group in by_set(records).items()))


def bound_table(records: Sequence[CeilingRecord], curves: Sequence[Curve], seed: int) -> Table:
    """The bounds that each curve gives, set by set: by lines, and by tokens at the end."""
    rows = [_bounds(*group, curve, seed) for group in by_set(records).items() for curve in curves]
    headings = ("set (framing)", "s(N)", "bnd_m8", "bnd_mean", "bnd_exact", "token bnd_m8", "token bnd_exact")
    return Table("Bounds on the speed-up", headings, tuple(rows))


def histogram_table(records: Sequence[CeilingRecord]) -> Table:
    """How many copies of lines have a length of so many tokens, set by set."""
    groups = by_set(records)
    top = max((span.bit_length() for record in records for span in record.spans), default=0)
    headings = ("set (framing)", *map(_bin_name, range(top + 1)))
    rows = []
    for name, group in groups.items():
        bins = [span.bit_length() for record in group for span in record.spans]
        rows.append((name, *(str(bins.count(i)) for i in range(top + 1))))
    return Table("Copies of lines by their length in tokens", headings, tuple(rows))


def by_set(records: Iterable[CeilingRecord]) -> Mapping[str, Sequence[CeilingRecord]]:
    """The records of each set and framing, and of all together where there are several."""
    groups: dict[str, list[CeilingRecord]] = {}
    for record in records:
        groups.setdefault(f"{record.set} ({record.framing})", []).append(record)
    if len(groups) > 1:
        groups[POOLED] = [record for group in groups.values() for record in group]
    return groups


def _coverage(name: str, records: Sequence[CeilingRecord], seed: int) -> tuple[str, ...]:
    total = sum(record.num_tokens for record in records)
    spans = [span for record in records for span in record.spans]
    token_spans = [span for record in records for span in record.token_spans]
    by_lines = bootstrap([(sum(r.spans), r.num_tokens) for r in records], ratio_of_sums, seed=seed)
    by_tokens = bootstrap([(sum(r.token_spans), r.num_tokens) for r in records], ratio_of_sums, seed=seed)
    lines = ratio_of_sums([(r.copied_lines, r.num_lines) for r in records])
    return (
        name,
        f"{len(records)}",
        f"{total:,}",
        f"{sum(spans):,}",
        f"{total - sum(spans):,}",
        by_lines.format(1, 100),
        f"{lines * 100:.1f}",
        f"{len(spans):,}",
        *((f"{fmean(spans):.0f}", f"{quantile(spans, 0.5):.0f}", f"{quantile(spans, 0.95):.0f}") if spans else "---"),
        by_tokens.format(1, 100),
        f"{len(token_spans):,}",
    )


def _bounds(name: str, records: Sequence[CeilingRecord], curve: Curve, seed: int) -> tuple[str, ...]:
    total = sum(record.num_tokens for record in records)
    by_lines = bounds(curve, total, [span for record in records for span in record.spans])
    by_tokens = bounds(curve, total, [span for record in records for span in record.token_spans])
    pairs = [(r.num_tokens, r.num_tokens - sum(r.spans) + exact_steps(curve, r.spans)) for r in records]
    return (
        name,
        curve.name,
        f"{by_lines.m8:.2f}",
        f"{by_lines.mean:.2f}",
        bootstrap(pairs, ratio_of_sums, seed=seed).format(),
        f"{by_tokens.m8:.2f}",
        f"{by_tokens.exact:.2f}",
    )


def _bin_name(bits: int) -> str:
    return ("0", "1")[bits] if bits < 2 else f"{2 ** (bits - 1)}-{2**bits - 1}"
