"""From what a person asks to what the engine works on. Pure: knows documents, and neither engine nor editor."""

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from copyspan.config import StrategyWish
from copyspan.edits.edit import EditList
from copyspan.edits.text import LineRange, Snapshot
from copyspan.engine import EditRequest, check_instruction
from copyspan.errors import SourceError
from copyspan_lsp.comments import InstructionComment, removal
from copyspan_lsp.documents import Document
from copyspan_lsp.languages import Language, language
from copyspan_lsp.rebase import Region
from copyspan_lsp.scope import Scope, choose_scope


@dataclass(frozen=True, slots=True)
class Ask:
    """What a person asks for. Offsets are those of the document's current text."""

    uri: str
    instruction: str
    version: int | None = None
    selection: tuple[int, int] | None = None
    cursor: int | None = None
    comment: InstructionComment | None = None
    """The comment that holds the instruction, which goes away with the edit."""


@dataclass(frozen=True, slots=True)
class Task:
    """What the engine works on, and how its text lies in the document.

    Law: removal.apply(document.text) == request.snapshot.text.
    """

    uri: str
    document: Snapshot
    request: EditRequest
    scope: Scope
    """Lines of the request's snapshot, and what to call them."""
    region: Region
    """The same lines as characters of the document, together with the comment that goes away."""
    removal: EditList = field(default_factory=EditList)


def task_of(document: Document, ask: Ask, max_lines: int, context_lines: int, strategy: StrategyWish = "auto") -> Task:
    """Raises UsageError for an empty instruction or where no scope can be chosen, SourceError for text that is none."""
    check_instruction(ask.instruction)  # before a model is loaded for it
    snapshot = document.snapshot
    _check_text(snapshot)
    removed = removal(ask.comment) if ask.comment else EditList()
    inner = Snapshot(removed.apply(snapshot.text), snapshot.version)
    spoken = language(document.language)
    cursor = ask.comment.start if ask.comment else ask.cursor
    scope = choose_scope(inner, spoken, ask.selection, cursor, max_lines)
    name = name_of(document.uri, spoken)
    request = EditRequest(inner, ask.instruction, scope.lines, name, strategy=strategy, context_lines=context_lines)
    return Task(document.uri, snapshot, request, scope, _region(snapshot, inner, scope.lines, ask.comment), removed)


def name_of(uri: str, spoken: Language) -> str:
    """The file name by which a model knows the language; a document without a suffix gets that of its language."""
    name = PurePosixPath(unquote(urlsplit(uri).path)).name or "untitled"
    return name if PurePosixPath(name).suffix or not spoken.suffix else f"{name}{spoken.suffix}"


def _region(snapshot: Snapshot, inner: Snapshot, lines: LineRange, comment: InstructionComment | None) -> Region:
    start, stop = inner.span(lines)
    if comment is None:
        return Region(start, stop)
    size = comment.stop - comment.start
    first, last = snapshot.span(comment.lines)
    shifted_start = start + size if start > comment.start else start
    shifted_stop = stop + size if stop > comment.start else stop
    return Region(min(shifted_start, first), max(shifted_stop, last))


def _check_text(snapshot: Snapshot) -> None:
    """Editors can send half a surrogate pair, which no model can read and no file can hold."""
    try:
        snapshot.text.encode()
    except UnicodeEncodeError as error:
        line = snapshot.line_at(error.start) + 1
        raise SourceError(
            f"Line {line} holds half a character (U+{ord(snapshot.text[error.start]):04X}), so that the document is no "
            "valid Unicode text. Remove it, and try again."
        ) from error
