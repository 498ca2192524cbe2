"""Many editors at one inference server: how long their edits take, and whether every reply is the right one's.

Each editor is a language server in a process of its own, with a document whose names nobody else has. It edits again
and again, takes some of its edits back in the middle, and looks whether what comes is about its own names.
"""

import asyncio
import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from lsprotocol import types
from pydantic import Field
from pygls.exceptions import JsonRpcException

from copyspan.bench.editor import Editor
from copyspan.bench.results import Record
from copyspan.bench.stats import median, quantile
from copyspan.bench.tables import Table

_PATIENCE = 300.0
"""Seconds after which a reply counts as lost."""
_CANCELLED = 0.25
"""The share of edits that are taken back."""
_MARK = re.compile(r"_of_(\d+)_")
_CANCELLED_CODE = -32800

_DOCUMENT = """\
def total_of_{0}_items(items):
    \"\"\"Add up the prices of all items.\"\"\"
    sum_of_{0}_prices = 0
    for item in items:
        if item.price is None:
            continue
        sum_of_{0}_prices += item.price * item.count
    return sum_of_{0}_prices


def mean_of_{0}_items(items):
    if not items:
        raise ValueError("no items")
    return total_of_{0}_items(items) / len(items)
"""
_INSTRUCTION = "Rename the variable sum_of_{0}_prices to amount{1}_of_{0}_prices."


class LoadRecord(Record):
    """What one editor saw."""

    kind: Literal["load"] = "load"
    num_editors: int
    seconds: float
    """How long all of them worked."""
    edits: list[float]
    """Seconds from the request to the reply, of those that were not taken back."""
    cancelled: list[float]
    """Seconds from the request to the end of those that were."""
    overtaken: int = 0
    """How many were complete before they could be taken back."""
    refused: dict[str, int] = Field(default_factory=dict)
    """By the kind of error."""
    lost: int = 0
    """Requests without any reply."""
    crossed: int = 0
    """Replies that hold another editor's names."""


@dataclass(frozen=True, slots=True)
class Load:
    """How language servers are started, and how long they are used."""

    command: tuple[str, ...]
    settings: Mapping[str, Any]
    seconds: float
    seed: int = 0

    def measure(self, num_editors: int) -> list[LoadRecord]:
        """One record an editor."""
        return asyncio.run(self._measure(num_editors))

    async def _measure(self, num_editors: int) -> list[LoadRecord]:
        editors = [
            _Editor(number, random.Random(f"{self.seed}/{num_editors}/{number}")) for number in range(num_editors)
        ]
        try:
            for editor in editors:
                await editor.start(self.command, self.settings)
            for editor in editors:  # the first edit connects, which is not what is measured
                await editor.edit(may_cancel=False)
                editor.seen = _Seen()
            end = time.perf_counter() + self.seconds
            await asyncio.gather(*(editor.work(end) for editor in editors))
        finally:
            await asyncio.gather(*(editor.leave() for editor in editors), return_exceptions=True)
        return [editor.record(num_editors, self.seconds) for editor in editors]


def set_name(num_editors: int) -> str:
    return f"{num_editors} {'editor' if num_editors == 1 else 'editors'}"


def load_table(records: Sequence[LoadRecord]) -> Table:
    """One row for each number of editors."""
    headings = (
        "editors",
        "edits",
        "a minute",
        "median s",
        "p95 s",
        "taken back",
        "s until then",
        "refused",
        "lost",
        "crossed",
    )
    rows = []
    for num_editors in sorted({record.num_editors for record in records}):
        group = [record for record in records if record.num_editors == num_editors]
        edits = [seconds for record in group for seconds in record.edits]
        cancelled = [seconds for record in group for seconds in record.cancelled]
        refused = sum(sum(record.refused.values()) for record in group)
        rows.append(
            (
                f"{num_editors}",
                f"{len(edits)}",
                f"{len(edits) / group[0].seconds * 60:.1f}",
                f"{median(edits):.1f}" if edits else "-",
                f"{quantile(edits, 0.95):.1f}" if edits else "-",
                f"{len(cancelled)}",
                f"{median(cancelled):.2f}" if cancelled else "-",
                f"{refused}",
                f"{sum(record.lost for record in group)}",
                f"{sum(record.crossed for record in group)}",
            )
        )
    return Table("Editors at one server", headings, tuple(rows))


@dataclass(slots=True)
class _Seen:
    """What an editor saw so far."""

    edits: list[float] = field(default_factory=list)
    cancelled: list[float] = field(default_factory=list)
    overtaken: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    crossed: int = 0


class _Editor:
    """One editor, its document, and its user."""

    def __init__(self, number: int, draw: random.Random) -> None:
        self.seen = _Seen()
        self._number = number
        self._draw = draw
        self._num_edits = 0
        uri, text = f"file:///project/prices_{number}.py", _DOCUMENT.format(number)
        self._editor = Editor(f"copyspan load {number}", uri, text)

    async def start(self, command: Sequence[str], settings: Mapping[str, Any]) -> None:
        await self._editor.start(command, settings)
        self._editor.open()

    async def work(self, end: float) -> None:
        while time.perf_counter() < end:
            await self.edit(may_cancel=True)

    async def edit(self, *, may_cancel: bool) -> None:
        """One edit, noted in `seen`."""
        self._num_edits += 1
        start, identifier = time.perf_counter(), f"edit-{self._num_edits}"
        asked = self._editor.ask(_INSTRUCTION.format(self._number, self._num_edits), identifier)
        reply = asyncio.ensure_future(asyncio.wait_for(asked, _PATIENCE))
        is_cancelled = may_cancel and self._draw.random() < _CANCELLED
        if is_cancelled:
            await asyncio.wait((reply,), timeout=self._draw.uniform(0.0, 3.0))
            if not reply.done():
                self._editor.client.protocol.notify(types.CANCEL_REQUEST, types.CancelParams(identifier))
        await asyncio.wait((reply,))
        self._note(reply, time.perf_counter() - start, is_cancelled)

    def _note(self, reply: "asyncio.Future[Any]", seconds: float, is_cancelled: bool) -> None:
        seen = self.seen
        try:
            result = reply.result()
        except TimeoutError:
            seen.lost += 1
        except JsonRpcException as error:
            if is_cancelled and error.code == _CANCELLED_CODE:
                seen.cancelled.append(seconds)
            else:
                kind = _kind(error)
                seen.refused[kind] = seen.refused.get(kind, 0) + 1
        else:
            told = "".join(hunk.newText for hunk in result.hunks)
            seen.crossed += bool(set(_MARK.findall(told)) - {str(self._number)})
            if is_cancelled:
                seen.overtaken += 1
            else:
                seen.edits.append(seconds)

    async def leave(self) -> None:
        await self._editor.leave()

    def record(self, num_editors: int, seconds: float) -> LoadRecord:
        seen = self.seen
        return LoadRecord(
            set=set_name(num_editors),
            case=f"editor {self._number}",
            num_editors=num_editors,
            seconds=seconds,
            edits=seen.edits,
            cancelled=seen.cancelled,
            overtaken=seen.overtaken,
            refused=seen.refused,
            lost=seen.lost,
            crossed=seen.crossed,
        )


def _kind(error: JsonRpcException) -> str:
    """The kind of error that our server tells, or the code of another one."""
    data: Any = error.data
    kind = data.get("kind") if isinstance(data, Mapping) else getattr(data, "kind", None)
    return str(kind or error.code)
