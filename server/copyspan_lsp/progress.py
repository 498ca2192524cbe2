"""Work-done progress of the protocol: one bar, opened by the client's token or by one of ours. Lives on the loop."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from uuid import uuid4

from lsprotocol import types

from copyspan_lsp.protocol import Token

_SECONDS_BETWEEN = 0.1

Cancellers = dict[Token, Callable[[], None]]
"""What `window/workDoneProgress/cancel` finds, by token."""


class WorkDone:
    """One progress bar. Without a token, and without a client that lets us make one, it shows nothing."""

    def __init__(
        self,
        notify: Callable[[str, object], None],
        cancellers: Cancellers,
        token: Token | None,
        create: Callable[[types.WorkDoneProgressCreateParams], Awaitable[None]] | None,
    ) -> None:
        self.on_cancel: Callable[[], None] = lambda: None
        self._notify = notify
        self._cancellers = cancellers
        self._token = token
        self._create = create
        self._creating: asyncio.Task[None] | None = None
        self._begin: types.WorkDoneProgressBegin | None = None
        self._is_shown = False
        self._is_over = False
        self._last = 0.0
        self._percentage: int | None = None
        self._newest: types.WorkDoneProgressReport | None = None
        """What is still to be said, when `_timer` is over."""
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, title: str) -> None:
        """Open the bar, which the person may cancel from now on."""
        self._begin = types.WorkDoneProgressBegin(title=title, cancellable=True)
        if self._token is not None:
            self._show()
        elif self._create is not None:
            self._token = f"copyspan-{uuid4().hex}"
            self._creating = asyncio.ensure_future(self._open(self._create))

    def report(self, message: str, percentage: int | None = None) -> None:
        """Say how far it is. Percentages never go back.

        More often than ten times a second nobody can see it, but the newest is always said: long silence may follow.
        """
        if percentage is not None:
            self._percentage = percentage = max(percentage, self._percentage or 0)
        if not self._is_shown or self._is_over:
            return
        self._newest = types.WorkDoneProgressReport(message=message, percentage=percentage, cancellable=True)
        wait = self._last + _SECONDS_BETWEEN - time.monotonic()
        if wait <= 0:
            self._say_newest()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(wait, self._say_newest)

    def end(self, message: str) -> None:
        """Close the bar, once. A client that has not opened it by now is not waited for."""
        if self._creating is not None:
            self._creating.cancel()
        if self._token is not None:
            self._cancellers.pop(self._token, None)
        self._stop_timer()
        if self._is_shown and not self._is_over:
            self._send(types.WorkDoneProgressEnd(message=message))
        self._is_over = True

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _say_newest(self) -> None:
        self._stop_timer()
        self._last = time.monotonic()
        self._send(self._newest)

    async def _open(self, create: Callable[[types.WorkDoneProgressCreateParams], Awaitable[None]]) -> None:
        """Ask the client for a bar. Some clients never answer: then there is none."""
        assert self._token is not None
        try:
            await create(types.WorkDoneProgressCreateParams(token=self._token))
        except Exception:  # the client refused, in whatever way; the edit goes on without a bar
            return
        if not self._is_over:
            self._show()

    def _show(self) -> None:
        assert self._token is not None
        assert self._begin is not None
        self._cancellers[self._token] = lambda: self.on_cancel()
        self._is_shown = True
        self._send(self._begin)

    def _send(self, value: object) -> None:
        assert self._token is not None
        self._notify(types.PROGRESS, types.ProgressParams(token=self._token, value=value))


class FetchProgress:
    """Implements the engine's `Progress`, in whatever thread it is called, by a bar on the loop."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, work_done: WorkDone, check: Callable[[], None] = lambda: None
    ) -> None:
        self._loop = loop
        self._work_done = work_done
        self._check = check
        """Raises what is to stop the fetch."""
        self._name = ""
        self._done = 0
        self._total: int | None = None

    def started(self, name: str, total: int | None, unit: str) -> None:  # noqa: ARG002  # percent need no unit
        self._name, self._done, self._total = name, 0, total
        self._say()

    def advanced(self, n: int) -> None:
        self._check()
        self._done += n
        self._say()

    def finished(self) -> None:
        pass

    def noted(self, message: str) -> None:
        self._loop.call_soon_threadsafe(self._work_done.report, message)

    def _say(self) -> None:
        percentage = 100 * self._done // self._total if self._total else None
        self._loop.call_soon_threadsafe(self._work_done.report, self._name, percentage)
