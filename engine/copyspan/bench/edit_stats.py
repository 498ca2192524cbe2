"""Figures that follow from records of edits: groups, ratios, shares. Knows no tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import TypeVar

from copyspan.bench.edit_records import CandidateRecord, EditRecord, Way, WayRecord
from copyspan.bench.stats import Interval, median, proportion

BINS = (25, 50, 100, 200, 400)
"""The most lines of a document in each group but the last."""
ALL = "all"
SHIPPED = "as shipped"
COMPARED = (("plain", "verified"), ("lookup", "verified"), ("plain", "lookup"), ("plain", SHIPPED))

SEARCHES: Mapping[Way, str] = {"search": "", "program-search": ", programs"}
"""Ways that give several candidates, and what is said of their shares."""

Pair = tuple[float, float]
T = TypeVar("T")


def by_length(records: Iterable[EditRecord]) -> Mapping[str, Sequence[EditRecord]]:
    """The records by the length of their documents, the shortest first, and all together."""
    ordered = sorted(records, key=lambda record: record.num_lines)
    groups = group_by(ordered, lambda record: bin_name(record.num_lines))
    return {**groups, ALL: ordered} if len(groups) > 1 else groups


def bin_name(num_lines: int) -> str:
    low = 1
    for high in BINS:
        if num_lines <= high:
            return f"{low}-{high}"
        low = high + 1
    return f"over {BINS[-1]}"


def both(records: Iterable[EditRecord], slow: str, fast: str) -> list[tuple[WayRecord, WayRecord]]:
    """What both ways took, in the cases that both brought to an end."""
    found = ((cost_of(record, slow), cost_of(record, fast)) for record in records)
    return [(a, b) for a, b in found if a is not None and b is not None and a.is_complete and b.is_complete]


def median_ratio(pairs: Sequence[Pair]) -> float:
    """The median of the pairs' own ratios."""
    return median([first / second for first, second in pairs])


def right_among(
    records: Sequence[WayRecord], is_right: Callable[[CandidateRecord], bool | None], most: int
) -> list[Interval]:
    """For k = 1 to `most`, the share of cases with a right one among the first k candidates; nothing for no cases."""
    rows = [[bool(is_right(candidate)) for candidate in record.candidates] for record in records]
    return [proportion(sum(any(row[:k]) for row in rows), len(rows)) for k in range(1, most + 1) if rows]


def completed(records: Iterable[EditRecord], way: Way) -> list[EditRecord]:
    """The cases that this way brought to an end."""
    return [record for record in records if way in record.ways and record.ways[way].is_complete]


def mean_seconds(records: Iterable[EditRecord], way: Way) -> float:
    """Of the cases that this way brought to an end, of which there must be one."""
    return fmean(record.ways[way].seconds for record in completed(records, way))


def time_shares(records: Sequence[EditRecord], phases: Sequence[str]) -> dict[Way, list[float]]:
    """For each way, the part of its time that each phase takes."""
    shares: dict[Way, list[float]] = {}
    for way in dict.fromkeys(way for record in records for way in record.ways):
        found = [record.ways[way].phases for record in completed(records, way)]
        total = sum(sum(each.values()) for each in found)
        if total:
            shares[way] = [sum(each.get(phase, 0.0) for each in found) / total for phase in phases]
    return shares


def cost_of(record: EditRecord, name: str) -> WayRecord | None:
    """What a way took. As shipped, a search follows only where the greedy answer changes nothing or is refused."""
    if name != SHIPPED:
        return record.ways.get(name)  # type: ignore[call-overload, no-any-return]  # one of the ways
    if "search" not in record.ways:
        return None
    greedy = record.ways.get("verified")
    is_enough = greedy is not None and greedy.candidates and greedy.candidates[0].changed
    return greedy if is_enough else record.ways.get("search")


def candidate_curves(records: Sequence[EditRecord]) -> dict[tuple[str, str], list[Interval]]:
    """By set and kind of verdict, for k = 1, 2, ...: how often one of the first k candidates is right."""
    most, curves = most_candidates(records), {}
    for name, group in group_by(records, lambda record: record.set).items():
        for way, told in SEARCHES.items():
            searched = [(record, record.ways[way].alone) for record in group if way in record.ways]
            tested = [found for record, found in searched if record.has_tests]
            curves[name, f"exact{told}"] = right_among([found for _, found in searched], lambda c: c.exact, most)
            curves[name, f"tests passed{told}"] = right_among(tested, lambda c: c.passed, most)
    return {names: points for names, points in curves.items() if points}


def most_candidates(records: Iterable[EditRecord]) -> int:
    found = (record.ways[way] for record in records for way in SEARCHES if way in record.ways)
    return max((len(answer.candidates) for answer in found), default=0)


def group_by(records: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    groups: dict[str, list[T]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return groups


def _first(way: Way, record: EditRecord) -> WayRecord | None:
    return record.ways.get(way)


def _alone(way: Way, record: EditRecord) -> WayRecord | None:
    answer = record.ways.get(way)
    return answer and answer.alone


CHOICES: Mapping[str, Callable[[EditRecord], WayRecord | None]] = {
    "plain": partial(_first, "plain"),
    "lookup": partial(_first, "lookup"),
    "verified": partial(_first, "verified"),
    SHIPPED: partial(_first, "search"),
    "program": partial(_alone, "program"),
    "program, searched": partial(_alone, "program-search"),
    "ensemble, as shipped": partial(_first, "ensemble"),
    "adapter left on": partial(_first, "adapted"),
}
