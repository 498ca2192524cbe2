"""What an edit costs at an inference server: requests one after the other, prompt tokens, and how many it had kept.

Each way edits a document twice: the first time the server has never seen it (cold), then again with the instruction in
other words (warm). A salt of its own keeps the server from taking a document for one that it has seen elsewhere.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, get_args
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

from copyspan.bench.cases import Case
from copyspan.bench.results import Record, ResultFile
from copyspan.bench.stats import median
from copyspan.bench.tables import Table
from copyspan.bench.ways import file_name
from copyspan.edits.text import Snapshot
from copyspan.engine import EditRequest, Engine
from copyspan.errors import OutputRejected, ServerMisfit
from copyspan.models.served import ServedModel

ServedWay = Literal["verified", "search", "program"]
WAYS: tuple[ServedWay, ...] = get_args(ServedWay)

_OTHER_WORDS = " Nothing else."


class Visit(BaseModel):
    """One edit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    requests: int
    """One after the other."""
    prompt_tokens: int
    """Of all requests together."""
    cached_tokens: int
    """Those of them that the server had kept; 0 where it does not say."""
    written_tokens: int
    """Of the best answer, those that it copied not counted."""
    plain_requests: int
    """Forwards of plain decoding, for comparison."""
    seconds: float
    error: str | None = None


class ServedRecord(Record):
    """One case; for each way its cold and its warm edit."""

    kind: Literal["served"] = "served"
    num_lines: int
    source_tokens: int
    ways: dict[ServedWay, tuple[Visit, Visit]]


def run(
    engine: Engine,
    cases: Sequence[Case],
    ways: Sequence[ServedWay],
    results: ResultFile[ServedRecord],
    on_case: Callable[[], None] = lambda: None,
) -> None:
    """Measure the cases that the results lack. Raises ServerError."""
    for case in cases:
        if (case.set, case.id) not in results.done:
            results.append(measure(engine, case, ways))
        on_case()


def measure(engine: Engine, case: Case, ways: Sequence[ServedWay]) -> ServedRecord:
    """Raises ServerError, and ServerMisfit for an engine whose model no server runs."""
    snapshot = Snapshot(case.before)
    found: dict[ServedWay, tuple[Visit, Visit]] = {}
    for way in ways:
        request = EditRequest(
            snapshot,
            case.instruction,
            name=file_name(case),
            strategy="program" if way == "program" else "verified",
            candidates=4 if way == "search" else 1,
        )
        model = served_model(engine)
        model.more_fields = {"cache_salt": uuid4().hex}
        found[way] = (
            _visit(engine, request),
            _visit(engine, replace(request, instruction=case.instruction + _OTHER_WORDS)),
        )
        model.more_fields = {}
    return ServedRecord(
        set=case.set,
        case=case.id,
        num_lines=snapshot.num_lines,
        source_tokens=len(engine.model.tokenizer.encode(case.before)),
        ways=found,
    )


def served_model(engine: Engine) -> ServedModel:
    """Raises ServerMisfit where the model runs in this process."""
    if not isinstance(engine.model, ServedModel):
        raise ServerMisfit("This measures a model that a server runs. Name one: --server URL.")
    return engine.model


def _visit(engine: Engine, request: EditRequest) -> Visit:
    model = served_model(engine)
    model.forget()
    before, start, error = replace(model.traffic), time.perf_counter(), None
    written = plain = 0
    try:
        cost = engine.edit(request).cost
        written, plain = cost.generated_tokens, cost.plain_forwards
    except OutputRejected as refusal:
        error = type(refusal).__name__
    after = model.traffic
    return Visit(
        requests=after.requests - before.requests,
        prompt_tokens=after.prompt_tokens - before.prompt_tokens,
        cached_tokens=after.cached_tokens - before.cached_tokens,
        written_tokens=written,
        plain_requests=plain,
        seconds=time.perf_counter() - start,
        error=error,
    )


def served_table(records: Sequence[ServedRecord]) -> Table:
    """Medians over the cases, for each way, cold and warm."""
    headings = ("way", "cases", "requests", "prompt tokens", "of them kept", "new tokens", "plain decoding", "refused")
    rows = []
    for way in WAYS:
        for number, name in enumerate(("cold", "warm")):
            visits = [record.ways[way][number] for record in records if way in record.ways]
            fine = [visit for visit in visits if visit.error is None]
            if not fine:
                continue
            kept = median([visit.cached_tokens / visit.prompt_tokens for visit in fine])
            rows.append(
                (
                    f"{way}, {name}",
                    f"{len(visits)}",
                    f"{median([visit.requests for visit in fine]):g}",
                    f"{median([visit.prompt_tokens for visit in fine]):,.0f}",
                    f"{kept:.0%}",
                    f"{median([visit.written_tokens for visit in fine]):g}",
                    f"{median([visit.plain_requests for visit in fine]):g}",
                    f"{len(visits) - len(fine)}",
                )
            )
    return Table("Requests to the server; medians", headings, tuple(rows))
