"""Many edits at once: threads with an engine each, one file in one thread at a time. Knows no command line.

What fails for one edit is its result. What fails for all of them (the server is gone, the key is not accepted) ends the
batch, and what was not done is done when it goes on.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from copyspan.cli.batch_records import BatchEdit, BatchResult
from copyspan.cli.diff import marked_diff
from copyspan.cli.files import SourceFile, check_writable, read_file, write_file
from copyspan.cli.report import CostReport
from copyspan.cli.show import diff_name
from copyspan.config import StrategyWish
from copyspan.engine import EditRequest, EditResult, Engine
from copyspan.errors import Cancelled, CopyspanError, ModelError, OutOfMemory, RequestRefused, UsageError

_AHEAD = 2
"""How many tasks a thread are handed out before one of them is over, so that a long list costs no memory."""


@dataclass(frozen=True, slots=True)
class Batch:
    """How edits are carried out."""

    load: Callable[[], Engine]
    """Makes an engine for one thread."""
    workers: int
    strategy: StrategyWish
    writes: bool

    def run(self, edits: Sequence[BatchEdit], cancelled: Callable[[], bool]) -> Iterator[BatchResult]:
        """The results, in the order in which they come about.

        Raises Cancelled, and ServerError and whatever else would meet every other edit as well. Edits that are under
        way are given up then; those of them that come to their end are told before.
        """
        crew = _Crew(self, cancelled)
        waiting = iter(self._tasks(edits))
        num_running, failure = 0, None
        with ThreadPoolExecutor(self.workers, thread_name_prefix="copyspan-batch") as pool:
            try:
                while True:
                    while failure is None and num_running < _AHEAD * self.workers:
                        task = next(waiting, None)
                        if task is None:
                            break
                        pool.submit(crew.carry_out, task)
                        num_running += 1
                    if not num_running:
                        break
                    told = crew.told.get()
                    if isinstance(told, BatchResult):
                        yield told
                        continue
                    num_running -= 1
                    failure = failure or told
            finally:
                crew.stop.set()
                pool.shutdown()
                crew.close()
        if failure is not None:
            raise failure

    def _tasks(self, edits: Sequence[BatchEdit]) -> Sequence[Sequence[BatchEdit]]:
        """What one thread does in one go: edits of one file one after the other where they are written, for the next
        one starts from what the one before has left."""
        if not self.writes:
            return [[edit] for edit in edits]
        by_file: dict[str, list[BatchEdit]] = {}
        for edit in edits:
            by_file.setdefault(str(Path(edit.file).absolute()), []).append(edit)
        return list(by_file.values())


@dataclass(slots=True)
class _Crew:
    """The threads' engines."""

    batch: Batch
    is_cancelled: Callable[[], bool]
    stop: threading.Event = field(default_factory=threading.Event)
    """One of them has failed in a way that the others would as well."""
    told: "SimpleQueue[BatchResult | BaseException | None]" = field(default_factory=SimpleQueue)
    """Results, and for each task that is over None or what ended it."""
    _own: threading.local = field(default_factory=threading.local)
    _engines: list[Engine] = field(default_factory=list)

    def carry_out(self, edits: Sequence[BatchEdit]) -> None:
        """One task, in a thread of the pool."""
        try:
            for edit in edits:
                self.told.put(self._result(edit))
        except BaseException as error:  # the one who waits must hear of every end
            self.stop.set()
            self.told.put(error)
        else:
            self.told.put(None)

    def cancelled(self) -> bool:
        return self.stop.is_set() or self.is_cancelled()

    def close(self) -> None:
        for engine in self._engines:
            engine.close()

    def _result(self, edit: BatchEdit) -> BatchResult:
        blank = BatchResult(id=edit.id, digest=edit.digest, file=edit.file)
        if self.cancelled():
            raise Cancelled("The batch was cancelled.")
        try:
            return self._edited(edit, blank)
        except CopyspanError as error:
            if isinstance(error, Cancelled | ModelError | OutOfMemory) and not isinstance(error, RequestRefused):
                raise
            return blank.model_copy(update={"error": type(error).__name__, "message": str(error)})

    def _edited(self, edit: BatchEdit, blank: BatchResult) -> BatchResult:
        source = read_file(Path(edit.file))
        if self.batch.writes:
            check_writable(source)
        snapshot = source.document.snapshot
        if edit.scope is not None and edit.scope.stop > snapshot.num_lines:
            raise UsageError(f"lines {edit.lines}: the document has {snapshot.num_lines} lines.")
        request = EditRequest(snapshot, edit.instruction, edit.scope, edit.file, strategy=self.batch.strategy)
        result = self._engine().edit(request, self.cancelled)
        written = self.batch.writes and result.best.changed
        if written:
            write_file(source, source.document.encode(result.best.text))
        return blank.model_copy(
            update={
                "changed": result.best.changed,
                "written": written,
                "diff": _diff(source, result),
                "strategy": result.strategy,
                "model": result.model,
                "cost": CostReport.of(result.cost),
                "warning": result.warning,
            }
        )

    def _engine(self) -> Engine:
        engine: Engine | None = getattr(self._own, "engine", None)
        if engine is None:
            engine = self._own.engine = self.batch.load()
            self._engines.append(engine)
        return engine


def _diff(source: SourceFile, result: EditResult) -> str:
    document = source.document
    return marked_diff(document.mark, document.snapshot.text, result.best.edits, diff_name(source.path))
