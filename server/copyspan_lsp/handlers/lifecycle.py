"""Start, settings and end of a session."""

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from copyspan.errors import CopyspanError, ModelMissing
from copyspan_lsp.jobs import Stopped, Ticket
from copyspan_lsp.progress import FetchProgress
from copyspan_lsp.settings import SECTION, ServerSettings, read_settings

if TYPE_CHECKING:
    from copyspan_lsp.server import CopyspanServer

_logger = logging.getLogger(__name__)


def register(server: "CopyspanServer") -> None:
    initial: list[object] = []  # what initialize brought, on which later settings are based

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.start_session(params)
        initial.append(_without_ours(params.initialization_options))
        server.take_settings(read_settings(initial[-1], ServerSettings())[0])
        if not server.client.pulls_settings:
            server.note_configured()

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        _configure(server, initial[-1], await _pulled(server))
        server.note_configured()
        if server.client.pushes_settings:
            options = {"section": SECTION}
            wanted = types.Registration("copyspan-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
            server.client_register_capability(types.RegistrationParams([wanted]))
        if server.settings.preload:
            await _preload(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        pushed = params.settings if not server.client.pulls_settings else await _pulled(server)
        _configure(server, initial[-1], pushed)


def _without_ours(options: object) -> object:
    """initializationOptions without what is no setting."""
    return (
        {name: value for name, value in options.items() if name != "askCommand"}
        if isinstance(options, dict)
        else options
    )


async def _pulled(server: "CopyspanServer") -> object:
    """The settings that the client holds; None where it does not tell."""
    if not server.client.pulls_settings:
        return None
    params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
    try:
        answer = await asyncio.shield(server.workspace_configuration_async(params))
    except JsonRpcException:
        _logger.warning("The client did not tell its settings.")
        return None
    return answer[0] if answer else None


def _configure(server: "CopyspanServer", initial: object, current: object) -> None:
    """Take the settings, and tell a person what is wrong with them."""
    first, complaints = read_settings(initial, ServerSettings())
    settings, more = read_settings(current, first)
    server.take_settings(settings)
    for complaint in dict.fromkeys((*complaints, *more)):
        server.say(complaint, types.MessageType.Warning)


async def _preload(server: "CopyspanServer") -> None:
    """Load the model before anybody asks for an edit."""
    bar = server.work_done()
    ticket = Ticket("")  # it is about no document
    bar.on_cancel = lambda: ticket.stop("cancelled")
    bar.begin(f"Loading {server.settings.model}")
    try:
        await server.jobs.run(ticket, lambda _: None, FetchProgress(asyncio.get_running_loop(), bar))
    except ModelMissing as error:
        server.download.offer(error)
    except CopyspanError as error:
        server.say(str(error), types.MessageType.Error)
    except Stopped:
        pass
    finally:
        bar.end("")
