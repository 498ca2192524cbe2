"""What a client sees of an edit while it is made: a progress bar with a way to cancel, and partial results.

Events come from the worker's thread, everything is sent on the loop. Knows no engine but its events.
"""

import asyncio
from collections.abc import Callable

from lsprotocol import types

from copyspan.edits.text import LineRange
from copyspan.engine import (
    AnswerStarted,
    DepartureTried,
    Event,
    HunkReady,
    LinesCopied,
    PromptRead,
    SearchStarted,
    TextGenerated,
)
from copyspan_lsp import protocol
from copyspan_lsp.convert import Converter
from copyspan_lsp.jobs import Ticket
from copyspan_lsp.places import Places
from copyspan_lsp.progress import FetchProgress, WorkDone
from copyspan_lsp.task import Task

_FLUSH_SECONDS = 0.04
_READ_PERCENT = 40
"""Of the whole, what reading the prompt takes."""

Notify = Callable[[str, object], None]


class Report:
    """Implements `editing.Listener` for one request."""

    def __init__(self, work_done: WorkDone, partial: "PartialResults | None") -> None:
        self._loop = asyncio.get_running_loop()
        self._work_done = work_done
        self._partial = partial
        self._told = _Words(0)
        self._is_over = False
        self.progress = FetchProgress(self._loop, work_done)

    def begin(self, task: Task, ticket: Ticket) -> None:
        self._told = _Words(len(task.scope.lines))
        self._work_done.on_cancel = lambda: ticket.stop("cancelled")
        self._work_done.begin(f"Editing {task.scope.title}")
        if self._partial is not None:
            self._partial.begin(task)

    def see(self, event: Event) -> None:
        self._loop.call_soon_threadsafe(self._tell, event)

    def end(self, message: str) -> None:
        """The request is answered, well or badly. Nothing is sent for it any more, though the worker may go on."""
        self._is_over = True
        if self._partial is not None:
            self._partial.flush()
        self._work_done.end(message)

    def _tell(self, event: Event) -> None:
        if self._is_over:
            return
        self._work_done.report(*self._told.of(event))
        if self._partial is not None:
            self._partial.see(event)


class _Words:
    """How far an edit is, in words and percent, by its events."""

    def __init__(self, num_lines: int) -> None:
        self._num_lines = max(num_lines, 1)
        self._copied = 0
        self._search = ""

    def of(self, event: Event) -> tuple[str, int | None]:
        match event:
            case PromptRead(done, total):
                return f"Reading {done:,} of {total:,} tokens", _READ_PERCENT * done // max(total, 1)
            case AnswerStarted():
                self._copied = 0
            case LinesCopied(lines):
                self._copied = min(self._copied + len(lines), self._num_lines)
            case SearchStarted(total):
                self._search = f"Search 1 of {total}: "
            case DepartureTried(done, total):
                self._search = f"Search {min(done + 1, total)} of {total}: "
            case TextGenerated() | HunkReady():
                pass
        words = f"{self._search}{self._copied:,} of {self._num_lines:,} lines copied"
        return words, _READ_PERCENT + (100 - _READ_PERCENT) * self._copied // self._num_lines


class PartialResults:
    """The events of an edit as partial results: gathered, and sent a few times a second."""

    def __init__(self, notify: Notify, token: protocol.Token, converter: Callable[[Task], Converter]) -> None:
        self._notify = notify
        self._token = token
        self._converter_of = converter
        self._items: list[protocol.PartialResult] = []
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, task: Task) -> None:
        self._task = task
        self._converter = self._converter_of(task)
        self._places = Places(task)
        # The model sees no blank lines at the edges of a scope; an answer begins after them.
        self._first_line = task.request.snapshot.without_blank_edges(task.scope.lines).start
        self._next_line = self._first_line
        self._num_hunks = 0

    def see(self, event: Event) -> None:
        """Note an event, to be sent soon."""
        match event:
            case AnswerStarted(origin):
                self._start(origin)
            case LinesCopied(lines):
                self._copy(lines)
            case TextGenerated(text):
                self._write(text)
            case HunkReady(hunk):
                for placed in self._places.hunks(hunk):
                    payload = self._converter.hunk(placed)
                    self._items.append(protocol.HunkReady(index=self._num_hunks, hunk=payload))
                    self._num_hunks += 1
            case _:
                return
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Send what was noted."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._items:
            value = protocol.PartialResults(items=tuple(self._items)).to_wire()
            self._notify(types.PROGRESS, types.ProgressParams(token=self._token, value=value))
            self._items = []

    def _start(self, origin: str) -> None:
        self._next_line = self._first_line
        self._num_hunks = 0
        task = self._task
        document = protocol.DocumentIdentifier(uri=task.uri, version=task.document.version)
        scope = self._converter.scope(task.scope, task.region)
        self._items.append(protocol.AnswerStarted(text_document=document, scope=scope, origin=origin))

    def _copy(self, lines: LineRange) -> None:
        first = min(max(lines.start, self._next_line), lines.stop)
        for line in range(lines.start, first):  # taken from further up, where it was told or passed over: new text here
            self._write(self._task.request.snapshot.content(line) + "\n")
        lines = LineRange(first, lines.stop)
        self._next_line = max(self._next_line, lines.stop)
        for placed in self._places.lines(lines):
            self._items.append(protocol.LinesCopied(start_line=placed.start, stop_line=placed.stop))

    def _write(self, text: str) -> None:
        line = self._places.line(self._next_line)
        last = self._items[-1] if self._items else None
        if isinstance(last, protocol.TextGenerated) and last.line == line:
            self._items[-1] = protocol.TextGenerated(line=line, text=last.text + text)
        else:
            self._items.append(protocol.TextGenerated(line=line, text=text))
