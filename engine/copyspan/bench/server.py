"""How quick the language server is, seen from an editor: start, code actions, first preview, edit, and how it answers
while the model works.

Each trial starts a server of its own, opens one document and asks for two edits of a block of lines in its middle: the
first finds no model in memory (cold), the second does (warm). The block is the same at every length of the document, so
that what differs between lengths is the server's own work. Knows no engine.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lsprotocol import types
from pydantic import BaseModel, ConfigDict

from copyspan.bench.editor import Editor
from copyspan.bench.results import Record
from copyspan.bench.stats import median, quantile
from copyspan.bench.synthetic import FUNCTION_LINES, document
from copyspan.bench.tables import Table
from copyspan.errors import ModelUnusable

LENGTHS = (100, 1_000, 10_000)
INSTRUCTIONS = ("Rename the variable result to amount.", "Rename the variable item to entry.")

_CAPABILITIES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
    ),
    text_document=types.TextDocumentClientCapabilities(
        code_action=types.CodeActionClientCapabilities(
            data_support=True, resolve_support=types.ClientCodeActionResolveOptions(["edit"])
        )
    ),
)
_PAUSE = 0.02
"""Seconds between an answer and the next request for code actions."""
_IDLE_REQUESTS = 20
_PATIENCE = 900.0
"""Seconds that one edit may take, the loading of its model included."""
_TIMES_SHOWN = "median / p95 / max"


class EditTimes(BaseModel):
    """Seconds after the request for an edit, and what came of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first_progress: float | None
    """Until the progress bar's first message."""
    first_preview: float | None
    """Until the first line of the answer is told, copied or new."""
    result: float
    hunks: int
    model_seconds: float
    """What the engine itself says of the edit, the loading of the model not included."""
    delays: list[float]
    """How long requests for code actions took that were sent meanwhile, one after the other."""


class ServerRecord(Record):
    """One trial with one document; seconds."""

    kind: Literal["server"] = "server"
    num_lines: int
    initialize: float
    """From the start of the process to the answer to `initialize`."""
    first_actions: float
    """The first list of code actions, right after the document was opened."""
    idle_delays: list[float]
    """Further lists of code actions, while nothing else happens."""
    cold: EditTimes
    warm: EditTimes


@dataclass(frozen=True, slots=True)
class Client:
    """How a server is started, and what it is told."""

    command: tuple[str, ...]
    settings: Mapping[str, Any]
    instructions: tuple[str, str] = INSTRUCTIONS

    def measure(self, num_lines: int, trial: int) -> ServerRecord:
        """One trial. Raises ModelUnusable where an edit is refused."""
        return asyncio.run(self._measure(num_lines, trial))

    async def _measure(self, num_lines: int, trial: int) -> ServerRecord:
        session = _Session(num_lines)
        start = time.perf_counter()
        await session.start(self.command, self.settings)
        initialize = time.perf_counter() - start
        try:
            session.open()
            first = await session.time_actions()
            idle = [await session.time_actions() for _ in range(_IDLE_REQUESTS)]
            cold, warm = [await session.edit(instruction) for instruction in self.instructions]
        finally:
            await session.leave()
        name, case = key(num_lines, trial)
        return ServerRecord(
            set=name,
            case=case,
            num_lines=num_lines,
            initialize=initialize,
            first_actions=first,
            idle_delays=idle,
            cold=cold,
            warm=warm,
        )


def key(num_lines: int, trial: int) -> tuple[str, str]:
    """What tells a trial's record from the others."""
    return f"{num_lines} lines", f"trial {trial}"


def server_table(records: Sequence[ServerRecord]) -> Table:
    """Medians over the trials for each length; delays over all requests of all trials."""
    groups: dict[int, list[ServerRecord]] = {}
    for record in records:
        groups.setdefault(record.num_lines, []).append(record)
    headings: tuple[str, ...] = ("lines", "trials", "start s", "first actions ms", f"actions idle ms ({_TIMES_SHOWN})")
    for name in ("cold", "warm"):
        headings += (f"{name}: preview s", f"{name}: edit s", f"{name}: actions meanwhile ms ({_TIMES_SHOWN})")
    return Table("The language server", headings, tuple(_row(n, group) for n, group in groups.items()))


def _row(num_lines: int, records: Sequence[ServerRecord]) -> tuple[str, ...]:
    cells = [
        f"{num_lines:,}",
        f"{len(records)}",
        f"{median([record.initialize for record in records]):.2f}",
        f"{median([record.first_actions for record in records]) * 1000:.1f}",
        _delays([delay for record in records for delay in record.idle_delays]),
    ]
    for edits in ([record.cold for record in records], [record.warm for record in records]):
        previews = [edit.first_preview for edit in edits if edit.first_preview is not None]
        cells += [
            f"{median(previews):.2f}" if previews else "-",
            f"{median([edit.result for edit in edits]):.2f}",
            _delays([delay for edit in edits for delay in edit.delays]),
        ]
    return tuple(cells)


def _delays(seconds: Sequence[float]) -> str:
    if not seconds:
        return "-"
    return " / ".join(f"{quantile(seconds, q) * 1000:.1f}" for q in (0.5, 0.95, 1.0))


class _Session:
    """An editor with one document."""

    def __init__(self, num_lines: int) -> None:
        text = document(num_lines)
        self._editor = Editor("copyspan bench", "file:///project/prices.py", text, self._see)
        self._started = 0.0
        self._first: dict[str, float] = {}
        middle = text.count("\n") // FUNCTION_LINES // 2 * FUNCTION_LINES
        self._block = types.Range(types.Position(middle, 0), types.Position(middle + FUNCTION_LINES - 2, 0))

    async def start(self, command: Sequence[str], settings: Mapping[str, Any]) -> None:
        await self._editor.start(command, settings, _CAPABILITIES)

    def open(self) -> None:
        self._editor.open()

    async def time_actions(self) -> float:
        """Seconds until the code actions for the block are listed."""
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(self._editor.uri), self._block, types.CodeActionContext(diagnostics=[])
        )
        start = time.perf_counter()
        await self._editor.client.text_document_code_action_async(params)
        return time.perf_counter() - start

    async def edit(self, instruction: str) -> EditTimes:
        """Ask for an edit of the block, and for code actions all the while."""
        self._first = {}
        self._started = time.perf_counter()
        asked = self._editor.ask(instruction, range=self._block, workDoneToken="bar", partialResultToken="parts")
        edit = asyncio.ensure_future(asyncio.wait_for(asked, _PATIENCE))
        edit.add_done_callback(lambda _: self._note("result"))
        delays = []
        while not edit.done():
            delays.append(await self.time_actions())
            await asyncio.wait((edit,), timeout=_PAUSE)
        try:
            result = edit.result()
        except Exception as error:  # each kind of refusal is an error of the protocol
            raise ModelUnusable(f"The server refused the edit: {error}. Take another model: --model NAME.") from error
        return EditTimes(
            first_progress=self._first.get("bar"),
            first_preview=self._first.get("parts"),
            result=self._first["result"],
            hunks=len(result.hunks),
            model_seconds=result.cost.seconds,
            delays=delays,
        )

    async def leave(self) -> None:
        await self._editor.leave()

    def _see(self, params: types.ProgressParams) -> None:
        """Note when each kind of message came first; a preview is one that tells lines."""
        token = str(params.token)
        value: Any = params.value
        if token == "parts" and not any(item["kind"] in ("copied", "text") for item in value["items"]):
            return
        self._note(token)

    def _note(self, what: str) -> None:
        self._first.setdefault(what, time.perf_counter() - self._started)
