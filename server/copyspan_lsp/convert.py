"""Between our values and the protocol's. The only place where an edit becomes positions of an editor."""

from bisect import bisect_left
from collections.abc import Sequence

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import JsonRpcException

from copyspan.edits.edit import Edit, EditList
from copyspan.edits.program import format_program
from copyspan.edits.resolve import Hunk
from copyspan.edits.text import Snapshot
from copyspan.engine import EditResult
from copyspan.errors import Cancelled, CopyspanError, UsageError
from copyspan_lsp import protocol
from copyspan_lsp.client import Client
from copyspan_lsp.editing import Outcome
from copyspan_lsp.positions import Encoding, LineTable
from copyspan_lsp.rebase import Region
from copyspan_lsp.refusals import ContentModified, RequestCancelled, Superseded
from copyspan_lsp.scope import Scope

_CONVERTER = get_converter()

_CODES: list[tuple[type[CopyspanError], int]] = [
    (RequestCancelled, types.LSPErrorCodes.RequestCancelled),
    (Cancelled, types.LSPErrorCodes.RequestCancelled),
    (Superseded, types.LSPErrorCodes.ServerCancelled),
    (ContentModified, types.LSPErrorCodes.ContentModified),
    (UsageError, types.ErrorCodes.InvalidParams),
]


def error_of(error: CopyspanError) -> JsonRpcException:
    """The response error for an error of ours; `data.kind` names it."""
    code = next((int(code) for kind, code in _CODES if isinstance(error, kind)), int(types.LSPErrorCodes.RequestFailed))
    return JsonRpcException(str(error), code, protocol.ErrorData(kind=type(error).__name__).to_wire())


class Converter:
    """Values of one snapshot, for one client."""

    def __init__(self, snapshot: Snapshot, encoding: Encoding, client: Client) -> None:
        self._snapshot = snapshot
        self._table = LineTable(snapshot, encoding)
        self._client = client

    def range(self, start: int, stop: int) -> protocol.Range:
        return protocol.Range(start=self._position(start), end=self._position(stop))

    def scope(self, scope: Scope, region: Region) -> protocol.Scope:
        """A scope that lies at this region of the snapshot."""
        return protocol.Scope(range=self.range(region.start, region.stop), kind=scope.kind, title=scope.title)

    def text_edits(self, edits: Sequence[Edit]) -> tuple[protocol.TextEdit, ...]:
        """Edits in order and apart, in order and apart."""
        edits = EditList(tuple(map(self._with_whole_line_ends, edits))).edits
        wanted = edits if self._client.counts_units else self._widened(edits)
        return tuple(protocol.TextEdit(range=self.range(e.start, e.stop), new_text=e.text) for e in wanted)

    def hunk(self, hunk: Hunk) -> protocol.Hunk:
        start, stop = self._snapshot.span(hunk.lines)
        edits = self.text_edits(hunk.edits)
        return protocol.Hunk(range=self.range(start, stop), old_text=hunk.old, new_text=hunk.new, edits=edits)

    def workspace_edit(self, uri: str, edits: tuple[protocol.TextEdit, ...]) -> types.WorkspaceEdit:
        """All edits as one change of the document's version, where the client can be told it."""
        wanted = [_lsp_edit(edit) for edit in edits]
        if not wanted:
            return types.WorkspaceEdit()
        if not self._client.versioned_edits:
            return types.WorkspaceEdit(changes={uri: wanted})
        document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=self._snapshot.version)
        return types.WorkspaceEdit(
            document_changes=[types.TextDocumentEdit(text_document=document, edits=list(wanted))]
        )

    def _position(self, offset: int) -> protocol.Position:
        line, character = self._table.position(offset)
        return protocol.Position(line=line, character=character)

    def _with_whole_line_ends(self, edit: Edit) -> Edit:
        """The same change, not cut between CR and LF, where no editor has a position.

        A LF that was written below a line that ends with CR has become a part of that line's end.
        """
        text = self._snapshot.text
        start = edit.start - self._cuts_line_end(edit.start)
        stop = edit.stop + self._cuts_line_end(edit.stop)
        return Edit(start, stop, text[start : edit.start] + edit.text + text[edit.stop : stop])

    def _cuts_line_end(self, offset: int) -> bool:
        return offset > 0 and self._snapshot.text[offset - 1 : offset + 1] == "\r\n"

    def _widened(self, edits: Sequence[Edit]) -> list[Edit]:
        """The same change with whole lines in the place of edits on lines that hold other characters than ASCII.

        A client that counts otherwise than we do finds the start of a line all the same. The last line of a text
        without a final newline is left alone: such clients would add one.
        """
        text = self._snapshot.text
        result: list[Edit] = []
        for group in self._on_same_lines(edits):
            start, stop = self._lines_around(group[0].start, group[-1].stop)
            ends_line = text[stop - 1 : stop] in ("\n", "\r")
            if text[start:stop].isascii() or not ends_line:
                result += group
            else:
                inside = EditList(tuple(Edit(e.start - start, e.stop - start, e.text) for e in group))
                result.append(Edit(start, stop, inside.apply(text[start:stop])))
        return result

    def _on_same_lines(self, edits: Sequence[Edit]) -> list[list[Edit]]:
        """Edits whose whole lines overlap, or begin at the same place, together."""
        groups: list[list[Edit]] = []
        for edit in edits:
            start, stop = self._lines_around(groups[-1][0].start, groups[-1][-1].stop) if groups else (0, 0)
            if groups and (edit.start < stop or self._lines_around(edit.start, edit.stop)[0] == start):
                groups[-1].append(edit)
            else:
                groups.append([edit])
        return groups

    def _lines_around(self, start: int, stop: int) -> tuple[int, int]:
        """The whole lines that hold these characters; a border at the start of a line is one already."""
        first = self._snapshot.line_at(start)
        last = bisect_left(self._snapshot.starts, max(stop, start))
        return self._snapshot.starts[min(first, self._snapshot.num_lines)], self._snapshot.starts[last]


def result_of(outcome: Outcome, encoding: Encoding, client: Client) -> protocol.EditResult:
    """An outcome as it travels."""
    task, candidate = outcome.task, outcome.candidate
    converter = Converter(outcome.snapshot, encoding, client)
    hunks = tuple(map(converter.hunk, outcome.hunks))
    edits = tuple(edit for hunk in hunks for edit in hunk.edits)
    cost = cost_of(outcome)
    num_changed = sum(max(len(hunk.lines), Snapshot(hunk.new).num_lines) for hunk in outcome.hunks)
    num_lines = max(outcome.snapshot.num_lines, Snapshot(outcome.edits.apply(outcome.snapshot.text)).num_lines)
    return protocol.EditResult(
        edit_id=outcome.edit_id,
        text_document=protocol.DocumentIdentifier(uri=task.uri, version=outcome.snapshot.version),
        scope=converter.scope(task.scope, outcome.region),
        hunks=hunks,
        edit=_plain(converter.workspace_edit(task.uri, edits)),
        candidate=outcome.number,
        candidates=max(outcome.num_candidates, 1),
        origin=candidate.origin,
        program=format_program(candidate.program),
        message=_message(num_changed, num_lines, task.scope.title, cost, outcome.result),
        changed_lines=num_changed,
        total_lines=num_lines,
        cost=cost,
        model=outcome.result.model,
        device=outcome.result.device,
    )


def cost_of(outcome: Outcome) -> protocol.Cost:
    """The work of the last search or edit, and the lines and tokens of the candidate that is shown."""
    cost, shown, best = outcome.result.cost, outcome.candidate, outcome.result.best
    tokens = shown.copied_tokens + shown.generated_tokens - best.copied_tokens - best.generated_tokens
    return protocol.Cost(
        copied_lines=shown.copied_lines,
        generated_lines=shown.generated_lines,
        copied_tokens=shown.copied_tokens,
        generated_tokens=shown.generated_tokens,
        forwards=cost.forwards,
        plain_forwards=cost.plain_forwards + tokens,
        prompt_tokens=cost.prompt_tokens,
        reused_tokens=cost.reused_tokens,
        seconds=round(sum(cost.seconds.values()), 3),
    )


def _message(num_changed: int, num_lines: int, title: str, cost: protocol.Cost, result: EditResult) -> str:
    if not num_changed:
        return f"The model would change nothing in {title}. Word it differently, or ask for the next candidate."
    times = cost.plain_forwards / max(cost.forwards, 1)
    saving = f", {times:.0f} times fewer decode steps" if times >= 2 else ""
    doubt = "; the model is not sure of it" if result.is_doubtful else ""
    return f"{num_changed:,} of {num_lines:,} {'line' if num_lines == 1 else 'lines'} changed{saving}{doubt}"


def _lsp_edit(edit: protocol.TextEdit) -> types.TextEdit:
    start, end = edit.range.start, edit.range.end
    return types.TextEdit(
        range=types.Range(
            start=types.Position(start.line, start.character), end=types.Position(end.line, end.character)
        ),
        new_text=edit.new_text,
    )


def lsp_edit_of(result: protocol.EditResult) -> types.WorkspaceEdit:
    """A result's edit as the protocol's type."""
    edit: types.WorkspaceEdit = _CONVERTER.structure(result.edit, types.WorkspaceEdit)
    return edit


def _plain(edit: types.WorkspaceEdit) -> dict[str, object]:
    """The protocol's value as JSON."""
    plain: dict[str, object] = _CONVERTER.unstructure(edit)
    return plain
