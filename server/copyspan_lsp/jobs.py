"""Models and documents: whose turn it is. Knows no LSP and no documents.

Everything here runs on the event loop; what touches an engine is handed to the thread that owns it. A model in this
process works for one document at a time, one that a server runs for several.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

from copyspan.engine import Engine, EngineSettings, Progress
from copyspan.errors import Cancelled, OutOfMemory
from copyspan_lsp.holder import EngineHolder, Loader, ModelState
from copyspan_lsp.lanes import Lane, Lanes
from copyspan_lsp.worker import Worker

Result = TypeVar("Result")
SERVED_LANES = 8
"""How many documents a served model works for at once; its server has other users, too."""

Reason = Literal["cancelled", "superseded", "changed", "closed", "shutdown"]


class Stopped(Exception):
    """A job was stopped before its end; `reason` says by what."""

    def __init__(self, reason: Reason) -> None:
        self.reason: Reason = reason
        super().__init__(reason)


class Ticket:
    """One job's place in the queue, and its stop flag, which any thread may read."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.reason: Reason | None = None
        self._on_stop: list[Callable[[], None]] = []

    def stop(self, reason: Reason) -> None:
        """Ask the job to stop; the first reason holds. To be called on the loop."""
        if self.reason is None:
            self.reason = reason
            for call in self._on_stop:
                call()

    def is_stopped(self) -> bool:
        return self.reason is not None

    def check(self) -> None:
        """Raise Stopped where the job is to stop."""
        if self.reason is not None:
            raise Stopped(self.reason)

    async def unless_stopped(self, future: "asyncio.Future[Result]") -> Result:
        """The future's result; raises Stopped as soon as the job is to stop, whatever the future does then."""
        stopped = asyncio.get_running_loop().create_future()
        self._on_stop.append(lambda: None if stopped.done() else stopped.set_result(None))
        try:
            if not self.is_stopped():
                await asyncio.wait((future, stopped), return_when=asyncio.FIRST_COMPLETED)
            self.check()
            return future.result()
        finally:
            future.cancel()  # of no effect where it is done, but that asyncio does not miss anybody to take its error


class Jobs:
    """Runs jobs, first come, first served; the newest of a key replaces older ones."""

    def __init__(self, load: Loader, settings: EngineSettings, on_change: Callable[[], None]) -> None:
        self.state = ModelState()
        self._unload_after: float = 0
        self.prepare: Callable[[], Awaitable[None]] | None = None
        """Called when a job's turn has come, before the settings are looked at, which may be on their way."""
        self._settings = settings
        self._on_change = on_change
        self._loop = asyncio.get_running_loop()
        self._load = load
        self._lanes: Lanes[Ticket] = Lanes(self._holder)
        self._waiting: deque[tuple[Ticket, asyncio.Future[Lane[Ticket]]]] = deque()
        self._warming: Ticket | None = None
        self._unload_timer: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def current(self) -> str | None:
        """The key of a job that runs."""
        return next((ticket.key for ticket in self._lanes.occupants), None)

    @property
    def num_waiting(self) -> int:
        return len(self._waiting)

    @property
    def is_idle(self) -> bool:
        return not self._lanes.occupants and not self._waiting

    @property
    def unload_after(self) -> float:
        """Seconds without a job after which the model's memory is given back; 0 means never."""
        return self._unload_after

    @unload_after.setter
    def unload_after(self, seconds: float) -> None:
        self._unload_after = seconds
        self._await_idleness()

    def configure(self, settings: EngineSettings) -> None:
        """Take another model from the next job on."""
        if settings != self._settings:
            self._settings = settings
            self._lanes.drop_engines(first=self._width)
            if self.state.phase in ("missing", "failed"):
                self._enter(ModelState())

    async def run(self, ticket: Ticket, work: Callable[[Engine], Result], progress: Progress) -> Result:
        """The result of `work`, called in a worker's thread with its engine when its turn has come.

        Loads the model where it is not loaded, and tells `progress`, from that thread. Raises Stopped as soon
        as the ticket is stopped, and whatever `work` and the loading raise. A task that is cancelled here stops its
        ticket.
        """
        if self._is_closed:
            ticket.stop("shutdown")
        for other in self._tickets():
            if other.key == ticket.key or other is self._warming:
                other.stop("superseded")
        entry = ticket, self._loop.create_future()
        self._waiting.append(entry)
        self._advance()
        self._on_change()
        try:
            lane = await ticket.unless_stopped(entry[1])
            if self.prepare is not None:
                await ticket.unless_stopped(asyncio.ensure_future(self.prepare()))
            settings = self._settings
            call = lane.worker.call(lambda: _do(lane.holder, ticket, settings, work, progress))
            return await ticket.unless_stopped(call)
        except asyncio.CancelledError:
            ticket.stop("cancelled")
            raise
        except Cancelled as error:  # the engine saw the flag before we did
            raise Stopped(ticket.reason or "cancelled") from error
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)
            self._leave(ticket)

    def warm(self, key: str, work: Callable[[Engine, Callable[[], bool]], None]) -> None:
        """Use the engine while nobody wants it: only where it is loaded, and given up as soon as a job comes."""
        if not self.is_idle or self.state.phase != "ready":
            return
        if self._warming is not None:
            self._warming.stop("superseded")
        ticket = self._warming = Ticket(key)
        settings, lane = self._settings, self._lanes.first

        def call() -> None:
            engine = lane.holder.peek(settings)
            if engine is not None and not ticket.is_stopped():
                work(engine, ticket.is_stopped)

        def forget(future: "asyncio.Future[None]") -> None:
            future.exception()  # stopped, or too long a document: the edit will say so
            if self._warming is ticket:
                self._warming = None

        lane.worker.call(call).add_done_callback(forget)

    def stop_warming(self, key: str) -> None:
        """What is read ahead for a key is out of date."""
        if self._warming is not None and self._warming.key == key:
            self._warming.stop("changed")

    def stop(self, reason: Reason, key: str | None = None) -> int:
        """Stop the jobs of a key, or all; returns how many, what was read ahead not counted."""
        found = [ticket for ticket in self._tickets() if key is None or ticket.key == key]
        for ticket in found:
            ticket.stop(reason)
        return sum(ticket is not self._warming for ticket in found)

    def note(self, state: ModelState) -> None:
        """Say what became of the model outside the worker: that it is being fetched, or is there now."""
        self._enter(state)

    def close(self) -> None:
        """Stop everything and give the memory back; what is run afterwards is stopped at once."""
        self._is_closed = True
        self.stop("shutdown")
        if self._unload_timer is not None:
            self._unload_timer.cancel()
        self._lanes.close()

    def join(self, timeout: float) -> bool:
        """After `close`: wait for the threads, `timeout` seconds at most; returns whether they are over."""
        return self._lanes.join(timeout)

    def _tickets(self) -> list[Ticket]:
        warming = [] if self._warming is None else [self._warming]
        return [*self._lanes.occupants, *(ticket for ticket, _ in self._waiting), *warming]

    @property
    def _width(self) -> int:
        return 1 if self._settings.server is None else SERVED_LANES

    def _holder(self, number: int) -> EngineHolder:
        """What holds the engine of one lane. That a further one connects is no news: one does already."""

        def tell(state: ModelState) -> None:
            if not number or state.phase not in ("loading", "unloaded"):
                Worker.post(self._loop, lambda: self._enter(state))

        return EngineHolder(self._load, tell)

    def _advance(self) -> None:
        while self._waiting and (lane := self._lanes.free(self._width)) is not None:
            ticket, turn = self._waiting.popleft()
            if not ticket.is_stopped() and not turn.done():
                lane.occupant = ticket
                turn.set_result(lane)

    def _leave(self, ticket: Ticket) -> None:
        if self._lanes.leave(ticket):
            self._advance()
        self._await_idleness()
        self._on_change()

    def _await_idleness(self) -> None:
        """Begin to count the seconds without a job, anew."""
        if self._unload_timer is not None:
            self._unload_timer.cancel()
            self._unload_timer = None
        if self._unload_after:
            self._unload_timer = self._loop.call_later(self._unload_after, self._unload_if_idle)

    def _unload_if_idle(self) -> None:
        if self.is_idle:
            self._lanes.drop_engines()

    def _enter(self, state: ModelState) -> None:
        if state != self.state:
            self.state = state
            self._on_change()


def _do(
    holder: EngineHolder, ticket: Ticket, settings: EngineSettings, work: Callable[[Engine], Result], told: Progress
) -> Result:
    """One job, in a worker's thread."""
    ticket.check()
    engine = holder.get(settings, told)
    ticket.check()
    try:
        return work(engine)
    except OutOfMemory:
        holder.drop()  # what fills the memory may be our own cache: the next job begins afresh
        raise
