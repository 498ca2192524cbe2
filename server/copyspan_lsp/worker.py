"""A thread that does one thing after another, for an event loop. Knows nothing of engines.

A daemon, unlike the threads of an executor: a process that is told to exit does not wait for a model to load.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeVar

Result = TypeVar("Result")


class Worker:
    """Calls functions in one thread of its own, in order."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def call(self, function: Callable[[], Result]) -> "asyncio.Future[Result]":
        """The result of `function`, or what it raises, as a future of the running loop.

        What is no ordinary error (SystemExit, StopIteration) becomes the cause of a RuntimeError. The function runs to
        its end even where nobody waits for the future any more.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()

        def work() -> None:
            try:
                result = function()
            except BaseException as error:  # the thread must outlive whatever a function does
                failure = _harmless(error)
                self.post(loop, lambda: None if future.done() else future.set_exception(failure))
            else:
                self.post(loop, lambda: None if future.done() else future.set_result(result))

        self.submit(work)
        return future

    def submit(self, function: Callable[[], None]) -> None:
        """Call a function that raises nothing and whose end nobody waits for."""
        if self._thread.ident is None:
            self._thread.start()
        self._calls.put(function)

    @staticmethod
    def post(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        """Call something on the loop, from this thread or any other. Where the loop is over nobody waits any more."""
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(call)

    def close(self) -> None:
        """Let the thread end after the calls that are queued."""
        self._calls.put(None)

    def join(self, timeout: float) -> bool:
        """Wait for the thread, `timeout` seconds at most; returns whether it is over."""
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
            del call  # its closure may hold an engine, which is to be freed before the next call comes


def _harmless(error: BaseException) -> Exception:
    """An error that a future can hold: it takes no StopIteration, and SystemExit would end the loop that waits."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    replaced = RuntimeError(f"a call ended with {type(error).__name__}")
    replaced.__cause__ = error
    return replaced
