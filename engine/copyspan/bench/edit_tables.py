"""Tables of edits that were made in several ways: speed, accuracy, agreement, and where the time goes."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from copyspan.bench.edit_records import EditRecord, Way, WayRecord
from copyspan.bench.edit_stats import (
    CHOICES,
    COMPARED,
    both,
    by_length,
    candidate_curves,
    completed,
    group_by,
    mean_seconds,
    median_ratio,
    most_candidates,
    time_shares,
)
from copyspan.bench.place_tables import place_table
from copyspan.bench.program_tables import copy_table, failure_table
from copyspan.bench.stats import bootstrap, median, proportion, ratio_of_sums
from copyspan.bench.tables import Table


def tables(records: Sequence[EditRecord], seed: int, *, has_answers: bool = True) -> list[Table]:
    """What a run says to people; without answers of the model's own, of speed alone."""
    told = [speed_table(records, seed), flip_table(records), time_table(records)]
    if has_answers:
        told += [accuracy_table(records), candidate_table(records), doubt_table(records)]
        told += [copy_table(records), failure_table(records), place_table(records)]
    return [table for table in told if table.rows]


def speed_table(records: Sequence[EditRecord], seed: int) -> Table:
    """Slower ways against faster ones, by the length of the document.

    Only cases count that both ways brought to an end. Ratios are of forwards and of wall-clock time, with intervals of
    95%: of the sums, which says what all cases together save, and the median of the cases' own ratios.
    """
    headings = ("lines", "slow / fast", "n", "tokens", "seconds", "forwards", "forwards x", "time x", "median time x")
    rows = []
    for name, group in by_length(records).items():
        for slow, fast in COMPARED:
            if found := both(group, slow, fast):
                rows.append((name, f"{slow} / {fast}", *_speed(found, seed)))
    return Table("Speed (medians; x: ratio of sums, and median of ratios)", headings, tuple(rows))


def accuracy_table(records: Sequence[EditRecord]) -> Table:
    """How often each way is right, set by set; intervals are Wilson's, of 95%.

    "as shipped" is the first candidate of the search, which is the greedy answer wherever that changes something.
    """
    rows = []
    for name, group in group_by(records, lambda record: record.set).items():
        for label, choose in CHOICES.items():
            answers = [(record, choose(record)) for record in group]
            if found := [(record, answer) for record, answer in answers if answer is not None]:
                rows.append((name, label, *_accuracy(found)))
    headings = ("set", "way", "n", "exact %", "with tests", "tests passed %", "nothing changed %", "refused %", "why")
    return Table("Accuracy", headings, tuple(rows))


def candidate_table(records: Sequence[EditRecord]) -> Table:
    """How often one of the first k candidates is right, set by set."""
    curves, most = candidate_curves(records), most_candidates(records)
    rows = [(*names, *(point.format(1, 100) for point in points)) for names, points in curves.items()]
    return Table(
        "One of the first k candidates is right (%)",
        ("set", "", *(f"k = {k}" for k in range(1, most + 1))),
        tuple(rows),
    )


def doubt_table(records: Sequence[EditRecord]) -> Table:
    """How often edits are right, by what their strategy says of them: programs that it finds likely or doubtful, and of
    an ensemble the first answer taken, what both find likely, or doubt."""
    rows = []
    for name, group in group_by(records, lambda record: record.set).items():
        for way in _KINDS:
            rows += [(name, way, label, *_doubt(found)) for label, found in sorted(_by_kind(group, way).items())]
    headings = ("set", "way", "edits", "n", "exact %", "with tests", "tests passed %", "median s")
    return Table("What strategies make of their own edits", headings, tuple(rows))


def _by_kind(records: Sequence[EditRecord], way: Way) -> dict[str, list[tuple[EditRecord, WayRecord]]]:
    kind_of = _KINDS[way]
    answers = [(record, record.ways[way]) for record in records if way in record.ways]
    return group_by([found for found in answers if found[1].candidates], lambda found: kind_of(found[1]))


def _doubt(answers: Sequence[tuple[EditRecord, WayRecord]]) -> tuple[str, ...]:
    _, exact, tested, passed, *_ = _accuracy(answers)
    seconds = median([answer.seconds for _, answer in answers])
    return f"{len(answers)}", exact, tested, passed, f"{seconds:.1f}"


def _kind_of_program(answer: WayRecord) -> str:
    return "rewritten" if answer.fallback else "doubtful" if answer.is_doubtful else "likely"


def _kind_of_ensemble(answer: WayRecord) -> str:
    if answer.is_doubtful:
        return "doubtful"
    is_first = len(answer.candidates) == 1 and answer.candidates[0].origin in ("greedy", "completed")
    return "first answer" if is_first else "agreed"


_KINDS: Mapping[Way, Callable[[WayRecord], str]] = {"program": _kind_of_program, "ensemble": _kind_of_ensemble}


def flip_table(records: Sequence[EditRecord]) -> Table:
    """How often ways that should write the same tokens do, and how close the two tokens are where they part."""
    rows = []
    for way in ("lookup", "verified"):
        flips = [record.flips[way] for record in records if way in record.flips]
        gaps = [abs(flip.gap) for flip in flips if flip.gap is not None]
        if flips:
            cells = (f"{median(gaps):.3f}", f"{max(gaps):.3f}") if gaps else ("-", "-")
            tokens = sum(flip.compared for flip in flips)
            rows.append((way, f"{len(flips)}", f"{tokens:,}", f"{len(gaps)}", *cells))
    headings = ("against plain", "n", "tokens compared", "cases that part", "gap: median", "gap: largest")
    return Table("Where ways part from plain decoding", headings, tuple(rows))


def time_table(records: Sequence[EditRecord]) -> Table:
    """Where each way's time goes: seconds a case, and the share of each phase."""
    phases = ("prompt", "decode", "search", "resolve")
    rows = []
    for name, group in by_length(records).items():
        for way, shares in time_shares(group, phases).items():
            seconds = mean_seconds(group, way)
            cells = (f"{share * 100:.0f}" for share in shares)
            rows.append((name, way, f"{len(completed(group, way))}", f"{seconds:.2f}", *cells))
    headings = ("lines", "way", "n", "mean s", *(f"{phase} %" for phase in phases))
    return Table("Where the time goes", headings, tuple(rows))


def _speed(found: Sequence[tuple[WayRecord, WayRecord]], seed: int) -> tuple[str, ...]:
    times = [(slow.seconds, fast.seconds) for slow, fast in found]
    forwards = [(float(slow.forwards), float(fast.forwards)) for slow, fast in found]
    return (
        f"{len(found)}",
        f"{median([fast.tokens for _, fast in found]):.0f}",
        f"{median([slow for slow, _ in times]):.2f} / {median([fast for _, fast in times]):.2f}",
        f"{median([slow for slow, _ in forwards]):.0f} / {median([fast for _, fast in forwards]):.0f}",
        bootstrap(forwards, ratio_of_sums, seed=seed).format(1),
        bootstrap(times, ratio_of_sums, seed=seed).format(),
        bootstrap(times, median_ratio, seed=seed).format(),
    )


def _accuracy(answers: Sequence[tuple[EditRecord, WayRecord]]) -> tuple[str, ...]:
    """A way that failed has no candidate: it is wrong, and refused."""
    firsts = [(record.has_tests, answer.candidates[0] if answer.candidates else None) for record, answer in answers]
    errors = Counter(answer.error for _, answer in answers if answer.error)
    tested = [first for has_tests, first in firsts if has_tests]
    return (
        f"{len(firsts)}",
        _share(sum(first is not None and first.exact for _, first in firsts), len(firsts)),
        f"{len(tested)}",
        _share(sum(first is not None and bool(first.passed) for first in tested), len(tested)),
        _share(sum(first is not None and not first.changed for _, first in firsts), len(firsts)),
        _share(sum(first is None for _, first in firsts), len(firsts)),
        ", ".join(f"{error} {count}" for error, count in errors.most_common()) or "-",
    )


def _share(hits: int, trials: int) -> str:
    return proportion(hits, trials).format(1, 100) if trials else "-"
