"""What an edit costs as its document grows, with the document read ahead: forwards, and wall-clock time.

A document is read once; then it is edited several times, each time from the document as it was. What is measured
begins when the instruction is known. Each way is measured by itself, for both may need the model's one context.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from copyspan.bench.cases import Case
from copyspan.bench.long_documents import LongDocument, LongEdit, long_documents
from copyspan.bench.results import Record, ResultFile
from copyspan.bench.stats import median
from copyspan.bench.tables import Table
from copyspan.config import StrategyName
from copyspan.edits.text import Snapshot
from copyspan.engine import EditRequest, Engine
from copyspan.errors import CopyspanError

WAYS: tuple[StrategyName, ...] = get_args(StrategyName)
USUAL_WAYS: tuple[StrategyName, ...] = ("verified", "program")
LENGTHS = (50, 100, 200, 500, 1000, 2000)


class LengthRecord(Record):
    """One edit of one document. `case` is that of the part which is edited."""

    kind: Literal["length"] = "length"
    way: StrategyName
    num_lines: int
    """Of the document."""
    wanted_lines: int
    """About how many were asked for."""
    ahead_tokens: int
    """How many tokens were in the context when the instruction came."""
    ahead_seconds: float
    """How long it took to read them, once for all edits of the document."""
    read_tokens: int = 0
    """How many of the prompt were read then."""
    forwards: int = 0
    """Sequential ones, after the document was read."""
    seconds: float = 0.0
    exact: bool = False
    fallback: bool = False
    """Whether another strategy had to step in."""
    error: str | None = None

    @property
    def key(self) -> tuple[str, ...]:
        return (self.set, self.case, self.way, str(self.wanted_lines))


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured."""

    lengths: Sequence[int]
    ways: Sequence[StrategyName]
    edited: Sequence[Case]
    """The cases that are edited, each once at every length."""
    others: Sequence[Case]
    """What documents are filled up with."""
    name: str | None
    """The documents' file name, which the model is told."""

    @property
    def num_records(self) -> int:
        return len(self.lengths) * len(self.ways) * len(self.edited)


def run(
    engine: Engine, plan: Plan, results: ResultFile[LengthRecord], on_record: Callable[[], None] = lambda: None
) -> None:
    """Measure what the results lack; a document counts as a whole. Raises UsageError for sets that are too short."""
    name = plan.edited[0].set
    for num_lines in plan.lengths:
        for document in long_documents(plan.edited, plan.others, num_lines):
            for way in plan.ways:
                keys = [(name, edit.case, way, str(num_lines)) for edit in document.edits]
                if not all(key in results.done for key in keys):
                    for record in _measure(engine, document, way, num_lines, plan):
                        if record.key not in results.done:
                            results.append(record)
                for _ in keys:
                    on_record()


def _measure(
    engine: Engine, document: LongDocument, way: StrategyName, num_lines: int, plan: Plan
) -> Iterator[LengthRecord]:
    """Read a document, and edit it."""
    snapshot = Snapshot(document.before)
    engine.model.use_adapter(way == "program")
    engine.model.rollback(0)
    start, error = time.perf_counter(), None
    try:
        engine.warm(snapshot, plan.name, strategy=way)
    except CopyspanError as failure:
        error = type(failure).__name__
    seconds, ahead = time.perf_counter() - start, len(engine.model.tokens)
    for edit in document.edits:
        record = LengthRecord(
            set=plan.edited[0].set,
            case=edit.case,
            way=way,
            num_lines=snapshot.num_lines,
            wanted_lines=num_lines,
            ahead_tokens=ahead,
            ahead_seconds=seconds,
            error=error,
        )
        yield record if error else _edited(engine, snapshot, edit, record, plan.name)


def _edited(engine: Engine, snapshot: Snapshot, edit: LongEdit, record: LengthRecord, name: str | None) -> LengthRecord:
    request = EditRequest(snapshot, edit.instruction, name=name, strategy=record.way)
    start = time.perf_counter()
    try:
        result = engine.edit(request)
    except CopyspanError as failure:
        found = {"seconds": time.perf_counter() - start, "error": type(failure).__name__}
        return record.model_copy(update=found)
    return record.model_copy(
        update={
            "seconds": time.perf_counter() - start,
            "read_tokens": result.cost.prompt_tokens,
            "forwards": result.cost.forwards,
            "exact": result.best.text == edit.after,
            "fallback": result.fallback is not None,
        }
    )


def came_to_an_end(records: Iterable[LengthRecord]) -> list[LengthRecord]:
    """Those that gave an edit, and by their own way."""
    return [record for record in records if record.error is None and not record.fallback]


def length_table(records: Sequence[LengthRecord]) -> Table:
    """Medians over the edits that came to an end, by length and way.

    An edit in which another strategy had to step in read the document again, for that one; it is counted by itself.
    """
    rows = []
    for num_lines, way in sorted({(record.wanted_lines, record.way) for record in records}):
        group = [record for record in records if (record.wanted_lines, record.way) == (num_lines, way)]
        fine = came_to_an_end(group)
        cells = ("-", "-", "-")
        if fine:
            cells = (
                f"{median([record.read_tokens for record in fine]):.0f}",
                f"{median([record.forwards for record in fine]):.0f}",
                f"{median([record.seconds for record in fine]):.2f}",
            )
        rows.append(
            (
                f"{median([record.num_lines for record in group]):,.0f}",
                way,
                f"{len(group)}",
                f"{median([record.ahead_tokens for record in group]):,.0f}",
                f"{median([record.ahead_seconds for record in group]):.1f}",
                *cells,
                f"{sum(record.exact for record in group)}",
                f"{sum(record.fallback for record in group)}",
                f"{sum(record.error is not None for record in group)}",
            )
        )
    headings = ("lines", "way", "n", "tokens read ahead", "in s", "tokens read", "forwards", "s", "exact", "fell back")
    return Table("Edits of a document that was read ahead; medians", (*headings, "failed"), tuple(rows))
