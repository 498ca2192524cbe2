"""`workspace/executeCommand`: edits for clients that know nothing of our requests; the server applies them.

`copyspan.start` answers at once and shows a person what became of it, since some clients block while a command runs;
`copyspan.apply` and `copyspan.applyNext` answer when it is done, for scripts.
"""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from copyspan_lsp import protocol
from copyspan_lsp.convert import lsp_edit_of
from copyspan_lsp.handlers.actions import ask_for
from copyspan_lsp.handlers.edits import make_edit, make_next, perform, read

if TYPE_CHECKING:
    from copyspan_lsp.server import CopyspanServer


def register(server: "CopyspanServer") -> None:
    started: set[asyncio.Task[None]] = set()

    def go_on(work: Coroutine[Any, Any, None]) -> None:
        """Let work go on after its command is answered; the loop alone would not keep it."""
        task = asyncio.ensure_future(work)
        started.add(task)
        task.add_done_callback(started.discard)

    @server.command(protocol.COMMAND_START)
    def start(*arguments: Any) -> None:
        go_on(_start(server, read(protocol.ActionData, arguments[0] if arguments else None)))

    @server.command(protocol.COMMAND_APPLY)
    async def apply(*arguments: Any) -> dict[str, Any]:
        result = await make_edit(server, read(protocol.EditParams, arguments[0] if arguments else None))
        return (await _apply(server, result)).to_wire()

    @server.command(protocol.COMMAND_APPLY_NEXT)
    async def apply_next(*arguments: Any) -> dict[str, Any]:
        result = await make_next(server, read(protocol.NextParams, arguments[0] if arguments else None))
        return (await _apply(server, result)).to_wire()

    @server.command(protocol.COMMAND_CANCEL)
    def cancel(*arguments: Any) -> dict[str, Any]:
        wanted = read(protocol.CancelParams, arguments[0] if arguments else {})
        uri = wanted.uri
        if uri is not None and uri in server.documents:
            uri = server.documents.get(uri).uri  # the client may escape it differently now
        return {"cancelled": server.jobs.stop("cancelled", uri)}

    @server.command(protocol.COMMAND_STATUS)
    def status(*_: Any) -> dict[str, Any]:
        return server.status.to_wire()

    @server.command(protocol.COMMAND_DOWNLOAD)
    def download(*_: Any) -> None:
        go_on(server.download.run_and_say())


async def _start(server: "CopyspanServer", data: protocol.ActionData) -> None:
    """Make the edit of a code action, apply it, and say so where that came to nothing."""
    report = server.report(None, None)
    try:
        result = await perform(server, report, lambda: server.editing.edit(ask_for(server, data), report))
        outcome = await _apply(server, result)
        if not outcome.applied:
            server.say(outcome.message)
    except JsonRpcException as error:
        if (error.data or {}).get("kind") != "ModelMissing":  # that has a message of its own
            server.say(error.message, types.MessageType.Warning)


async def _apply(server: "CopyspanServer", result: protocol.EditResult) -> protocol.CommandResult:
    """Ask the client to apply a result. A client that never answers keeps nobody but this task waiting."""
    applied, message = False, result.message
    if result.hunks:
        params = types.ApplyWorkspaceEditParams(lsp_edit_of(result), label="AI edit")
        answer = await asyncio.shield(server.workspace_apply_edit_async(params))
        applied = answer.applied
        if not applied:
            reason = f" ({answer.failure_reason})" if answer.failure_reason else ""
            message = f"The editor did not apply the edit{reason}; nothing was changed. Ask again."
    return protocol.CommandResult(
        applied=applied,
        message=message,
        edit_id=result.edit_id,
        candidate=result.candidate,
        candidates=result.candidates,
    )
