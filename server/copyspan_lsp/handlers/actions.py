"""Code actions: listed at once, without the model; the edit is made when one is chosen."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from copyspan.edits.text import LineRange, Snapshot
from copyspan_lsp import protocol
from copyspan_lsp.comments import InstructionComment, instruction_at, removal
from copyspan_lsp.convert import lsp_edit_of
from copyspan_lsp.documents import Document
from copyspan_lsp.handlers.edits import perform, read
from copyspan_lsp.languages import language
from copyspan_lsp.refusals import changed, outdated
from copyspan_lsp.task import Ask

if TYPE_CHECKING:
    from copyspan_lsp.server import CopyspanServer

_MOST_DIAGNOSTICS = 5
_TITLE_LENGTH = 60
_LONGEST_PLACE = 120


def register(server: "CopyspanServer") -> None:
    options = types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.RefactorRewrite, types.CodeActionKind.QuickFix], resolve_provider=True
    )

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    def list_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        if not server.settings.code_actions or params.text_document.uri not in server.documents:
            return []
        only = params.context.only
        return [action for action in _actions(server, params) if _is_wanted(action.kind, only)]

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        if action.data is None:
            return action
        data = read(protocol.ActionData, action.data)
        report = server.report(None, None)
        result = await perform(server, report, lambda: server.editing.edit(ask_for(server, data), report))
        if not result.hunks:
            server.say(result.message)
        action.edit = lsp_edit_of(result)
        return action


def ask_for(server: "CopyspanServer", data: protocol.ActionData) -> Ask:
    """What a chosen action asks for. Raises ContentModified where the document has changed since it was listed."""
    document = server.documents.get(data.text_document.uri)
    if data.text_document.version != document.version:
        raise outdated(data.text_document.version or 0, document.version)
    offset = document.table.offset(data.position.line, data.position.character)
    if data.kind == "diagnostic":
        instruction = f"Fix this problem: {data.problem}{_here(document.snapshot, data.position.line)}"
        return Ask(document.uri, instruction, document.version, cursor=offset)
    lines = LineRange(data.position.line, data.position.line + 1)
    comment = instruction_at(document.snapshot, language(document.language), lines)
    if comment is None:
        raise changed()
    instruction = f"{comment.text}{_here(*_without(comment, document.snapshot))}"
    return Ask(document.uri, instruction, document.version, comment=comment)


def _actions(server: "CopyspanServer", params: types.CodeActionParams) -> Iterator[types.CodeAction]:
    document = server.documents.get(params.text_document.uri)
    yield from _comment_actions(server, document, params.range)
    yield from _diagnostic_actions(server, document, params.context.diagnostics)
    if server.client.ask_command and params.range.start != params.range.end:
        arguments = [{"uri": document.uri, "range": _plain_range(params.range)}]
        command = types.Command("AI edit...", server.client.ask_command, arguments=arguments)
        yield types.CodeAction("AI edit...", types.CodeActionKind.RefactorRewrite, command=command)


def _comment_actions(server: "CopyspanServer", document: Document, where: types.Range) -> Iterator[types.CodeAction]:
    lines = LineRange(where.start.line, max(where.end.line, where.start.line) + 1)
    comment = instruction_at(document.snapshot, language(document.language), lines)
    if comment is not None:
        position = types.Position(comment.lines.start, 0)
        yield _action(server, document, f"AI edit: {_short(comment.text)}", "comment", position)


def _diagnostic_actions(
    server: "CopyspanServer", document: Document, diagnostics: Sequence[types.Diagnostic]
) -> Iterator[types.CodeAction]:
    for diagnostic in diagnostics[:_MOST_DIAGNOSTICS]:
        message = diagnostic.message if isinstance(diagnostic.message, str) else diagnostic.message.value
        action = _action(server, document, f"AI fix: {_short(message)}", "diagnostic", diagnostic.range.start, message)
        action.diagnostics = [diagnostic]
        yield action


def _action(
    server: "CopyspanServer",
    document: Document,
    title: str,
    kind: str,
    position: types.Position,
    problem: str = "",
) -> types.CodeAction:
    """An action that the client resolves when it is chosen, or, where it cannot, a command that starts the edit."""
    data = protocol.ActionData.model_validate(
        {
            "kind": kind,
            "textDocument": {"uri": document.uri, "version": document.version},
            "position": {"line": position.line, "character": position.character},
            "problem": problem,
        }
    ).to_wire()
    action_kind = types.CodeActionKind.QuickFix if kind == "diagnostic" else types.CodeActionKind.RefactorRewrite
    if server.client.resolves_edits:
        return types.CodeAction(title, action_kind, data=data)
    command = types.Command(title, protocol.COMMAND_START, arguments=[data])
    return types.CodeAction(title, action_kind, command=command)


def _is_wanted(kind: types.CodeActionKind | str | None, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Kinds are a hierarchy: "refactor" asks for "refactor.rewrite", too."""
    name = str(getattr(kind, "value", kind))
    wanted = [str(getattr(it, "value", it)) for it in only or ()]
    return not wanted or any(it in ("", name) or name.startswith(f"{it}.") for it in wanted)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_LENGTH else f"{line[: _TITLE_LENGTH - 3]}..."


def _without(comment: InstructionComment, snapshot: Snapshot) -> tuple[Snapshot, int | None]:
    """The text without the comment, and the line there that the comment is about."""
    rest = Snapshot(removal(comment).apply(snapshot.text))
    if comment.anchor is None:
        return rest, None
    stands_alone = comment.anchor not in comment.lines
    return rest, comment.anchor - len(comment.lines) if stands_alone else comment.lines.start


def _here(snapshot: Snapshot, line: int | None) -> str:
    """The place that an instruction is about, in words that a small model heeds (LOG.md)."""
    text = snapshot.content(line).strip() if line is not None and line < snapshot.num_lines else ""
    return f" (here: `{text[:_LONGEST_PLACE]}`)" if text else ""


def _plain_range(where: types.Range) -> dict[str, object]:
    return {
        "start": {"line": where.start.line, "character": where.start.character},
        "end": {"line": where.end.line, "character": where.end.character},
    }
