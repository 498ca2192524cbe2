"""Jobs whose engines are names, and work that waits until a test lets it go on."""

import asyncio
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from copyspan.engine import EngineSettings
from copyspan_lsp.holder import ModelState
from copyspan_lsp.jobs import Jobs, Ticket

PATIENCE = 20
"""Seconds after which a test stops waiting for what does not come."""


class FakeEngine:
    """Holds no model."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self.model = SimpleNamespace(device="cpu", dtype="float32")
        self._log = log

    def close(self) -> None:
        self._log.append(f"close {self.name}")


class Loading:
    """A loader: raises what is in `failures`, one a call, and loads otherwise. `log` tells what happened in order."""

    def __init__(self) -> None:
        self.failures: list[BaseException] = []
        self.log: list[str] = []

    def __call__(self, settings: EngineSettings, progress: Any) -> Any:
        self.log.append(f"load {settings.model}")
        if self.failures:
            raise self.failures.pop(0)
        return FakeEngine(settings.model, self.log)


class Gate:
    """Work that ends when the gate is opened."""

    def __init__(self, result: object = None) -> None:
        self.result = result
        self._entered, self._opened = threading.Event(), threading.Event()

    def __call__(self, *_: object) -> object:
        self._entered.set()
        assert self._opened.wait(PATIENCE)
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result

    def open(self) -> None:
        self._opened.set()

    async def entered(self) -> None:
        assert await asyncio.to_thread(self._entered.wait, PATIENCE)


class NoProgress:
    """Implements the engine's `Progress`."""

    def started(self, name: str, total: int | None, unit: str) -> None: ...
    def advanced(self, n: int) -> None: ...
    def finished(self) -> None: ...
    def noted(self, message: str) -> None: ...


class Bench:
    """Jobs of one event loop."""

    def __init__(self, model: str = "m", server: str | None = None) -> None:
        self.loading = Loading()
        self.states: list[ModelState] = []
        self.jobs = Jobs(self.loading, settings(model, server), self._note)
        self.tickets: list[Ticket] = []

    @property
    def log(self) -> list[str]:
        return self.loading.log

    def start(self, key: str, work: Callable[[Any], Any]) -> "asyncio.Task[Any]":
        """A job, begun; its ticket is the last of `tickets`."""
        ticket = Ticket(key)
        self.tickets.append(ticket)
        return asyncio.ensure_future(self.jobs.run(ticket, work, NoProgress()))

    async def run(self, key: str, work: Callable[[Any], Any] = lambda engine: engine.name) -> Any:
        return await asyncio.wait_for(self.start(key, work), PATIENCE)

    def close(self) -> None:
        self.jobs.close()

    def _note(self) -> None:
        if not self.states or self.states[-1] != self.jobs.state:
            self.states.append(self.jobs.state)


def settings(model: str, server: str | None = None) -> EngineSettings:
    return EngineSettings(model=model, server=server)


async def turns(num: int = 5) -> None:
    """Let the loop do what can be done at once."""
    for _ in range(num):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what comes by itself."""
    for _ in range(PATIENCE * 1000):
        if condition():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it did not come about")
