"""Our own requests, `copyspan/edit` and the others, and how any edit is made and answered."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams

from copyspan.errors import CopyspanError, ModelMissing
from copyspan_lsp import protocol
from copyspan_lsp.convert import error_of, result_of
from copyspan_lsp.editing import Outcome
from copyspan_lsp.reporting import Report
from copyspan_lsp.task import Ask

if TYPE_CHECKING:
    from copyspan_lsp.server import CopyspanServer

_logger = logging.getLogger(__name__)
AnyPayload = TypeVar("AnyPayload", bound=protocol.Payload)


def register(server: "CopyspanServer") -> None:
    @server.feature(protocol.EDIT)
    async def edit(params: Any) -> dict[str, Any]:
        result = await make_edit(server, read(protocol.EditParams, params))
        return result.to_wire()

    @server.feature(protocol.NEXT)
    async def next_candidate(params: Any) -> dict[str, Any]:
        result = await make_next(server, read(protocol.NextParams, params))
        return result.to_wire()

    @server.feature(protocol.STATUS)
    def status(_: Any) -> dict[str, Any]:
        return server.status.to_wire()

    @server.feature(protocol.DOWNLOAD)
    async def download(_: Any) -> dict[str, Any]:
        try:
            await server.download.run()
        except CopyspanError as error:
            raise error_of(error) from error
        return server.status.to_wire()


def read(kind: type[AnyPayload], params: Any) -> AnyPayload:
    """Params as they came, checked. Raises InvalidParams that names what is wrong, without its value."""
    try:
        return kind.model_validate(params)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, it['loc'])) or 'params'}: {it['msg']}" for it in error.errors())
        raise JsonRpcInvalidParams(f"{kind.__name__} does not fit: {problems}.") from error


async def make_edit(server: "CopyspanServer", wanted: protocol.EditParams) -> protocol.EditResult:
    """Make an edit as a client describes it."""
    report = server.report(wanted.work_done_token, wanted.partial_result_token)
    return await perform(server, report, lambda: server.editing.edit(ask_of(server, wanted), report))


async def make_next(server: "CopyspanServer", wanted: protocol.NextParams) -> protocol.EditResult:
    """Look for the next candidate."""
    report = server.report(wanted.work_done_token, wanted.partial_result_token)
    return await perform(server, report, lambda: server.editing.next(wanted.edit_id, report))


def ask_of(server: "CopyspanServer", wanted: protocol.EditParams) -> Ask:
    """Positions as offsets of the current text. Raises UsageError for a document that is not open."""
    table = server.documents.get(wanted.text_document.uri).table

    def offset(position: protocol.Position) -> int:
        return table.offset(position.line, position.character)

    return Ask(
        uri=wanted.text_document.uri,
        instruction=wanted.instruction,
        version=wanted.text_document.version,
        selection=(offset(wanted.range.start), offset(wanted.range.end)) if wanted.range else None,
        cursor=offset(wanted.position) if wanted.position else None,
    )


async def perform(
    server: "CopyspanServer", report: Report, make: Callable[[], Awaitable[Outcome]]
) -> protocol.EditResult:
    """What `make` gives, as it travels; what it raises, as a response error. The progress bar ends in any case."""
    ending = "Nothing was changed"
    try:
        outcome = await make()
        result = result_of(outcome, server.documents.encoding, server.client)
        ending = result.message
        _logger.info(
            "Edited: candidate %d, %d of %d lines.", result.candidate, result.changed_lines, result.total_lines
        )
        return result
    except ModelMissing as error:
        server.download.offer(error)
        raise error_of(error) from error
    except CopyspanError as error:
        _logger.info("No edit: %s.", type(error).__name__)
        raise error_of(error) from error
    except (JsonRpcException, asyncio.CancelledError):
        raise
    except Exception as error:
        _logger.exception("A fault of copyspan.")
        raise JsonRpcInternalError(
            f"copyspan failed unexpectedly ({type(error).__name__}); nothing was changed. The log has the details."
        ) from error
    finally:
        report.end(ending)
