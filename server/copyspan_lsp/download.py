"""Fetching a model that is missing: asked for by a button, with progress, and cancelled by the bar."""

import asyncio
import logging
import re
from typing import TYPE_CHECKING

from lsprotocol import types

from copyspan.engine import Engine
from copyspan.errors import Cancelled, CopyspanError, ModelMissing
from copyspan_lsp.holder import ModelState
from copyspan_lsp.progress import FetchProgress, WorkDone
from copyspan_lsp.worker import Worker

if TYPE_CHECKING:
    from copyspan_lsp.server import CopyspanServer

_logger = logging.getLogger(__name__)
_DOWNLOAD = "Download"


class Download:
    """At most one question and one fetch at a time."""

    def __init__(self, server: "CopyspanServer") -> None:
        self._server = server
        self._worker = Worker("copyspan-download")
        self._asking: asyncio.Task[None] | None = None
        self._is_running = False

    def offer(self, error: ModelMissing) -> None:
        """Tell a person what is missing, with a button that gets it where the client shows buttons."""
        if self._is_running or (self._asking is not None and not self._asking.done()):
            return
        if self._server.client.asks_messages:
            self._asking = asyncio.ensure_future(self._ask(_without_command(str(error))))
        else:
            self._server.say(str(error), types.MessageType.Warning)

    async def run(self) -> None:
        """Fetch the model of the settings. Raises CopyspanError; Cancelled where the person cancelled it."""
        if self._is_running:
            return
        self._is_running = True
        settings = self._server.settings.engine_settings()
        stopped = asyncio.Event()
        bar = self._server.work_done()
        bar.on_cancel = stopped.set
        bar.begin(f"Downloading {settings.model}")

        def check() -> None:
            if stopped.is_set():
                raise Cancelled("The download was cancelled. What is there is kept; the next one goes on from it.")

        progress = FetchProgress(asyncio.get_running_loop(), bar, check)
        self._server.jobs.note(ModelState("downloading"))
        try:
            await asyncio.shield(self._worker.call(lambda: Engine.fetch(settings, progress)))
        except asyncio.CancelledError:
            stopped.set()
            self._end(bar, "The download was cancelled.")
            raise
        except CopyspanError as error:
            self._end(bar, str(error))
            raise
        else:
            bar.end("Downloaded")
            self._server.jobs.note(ModelState())
        finally:
            self._is_running = False

    def _end(self, bar: WorkDone, message: str) -> None:
        bar.end("Not downloaded")
        self._server.jobs.note(ModelState("missing", message=message))

    async def run_and_say(self) -> None:
        """Fetch the model, and show a person how it ended."""
        try:
            await self.run()
        except Cancelled as error:
            self._server.say(str(error))
        except CopyspanError as error:
            self._server.say(str(error), types.MessageType.Error)
        else:
            self._server.say(f"{self._server.settings.model} is on this machine now. Ask for the edit again.")

    async def _ask(self, message: str) -> None:
        params = types.ShowMessageRequestParams(
            types.MessageType.Warning, message, [types.MessageActionItem(_DOWNLOAD), types.MessageActionItem("Not now")]
        )
        answer = await self._server.window_show_message_request_async(params)
        if answer is not None and answer.title == _DOWNLOAD:
            await self.run_and_say()


def _without_command(message: str) -> str:
    """The message without its last sentence, the command that does what the button does."""
    return re.sub(r" `copyspan models fetch [^`]+` gets it\.$", "", message)
