"""The payloads of our own requests and notifications, as they travel. docs/PROTOCOL.md is for client authors.

All names are camelCase on the wire. Positions are LSP positions in the encoding that `initialize` agreed on. What a
client sends may hold more than is named here; it is ignored. Knows no engine and no pygls.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

EDIT = "copyspan/edit"
NEXT = "copyspan/next"
STATUS = "copyspan/status"
STATUS_CHANGED = "copyspan/statusChanged"
DOWNLOAD = "copyspan/download"

COMMAND_START = "copyspan.start"
COMMAND_APPLY = "copyspan.apply"
COMMAND_APPLY_NEXT = "copyspan.applyNext"
COMMAND_CANCEL = "copyspan.cancel"
COMMAND_STATUS = "copyspan.serverStatus"
COMMAND_DOWNLOAD = "copyspan.download"

Token = int | str


class Payload(BaseModel):
    """Base of everything that travels."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    def to_wire(self) -> dict[str, Any]:
        """As JSON values; what is None is left out, as LSP does it."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class Position(Payload):
    line: int = Field(ge=0)
    character: int = Field(ge=0)


class Range(Payload):
    start: Position
    end: Position


class DocumentIdentifier(Payload):
    uri: str
    version: int | None = None
    """The version that the request is about; None means the newest that the server knows."""


class EditParams(Payload):
    """`copyspan/edit`, and the one argument of `copyspan.apply`."""

    text_document: DocumentIdentifier
    instruction: str
    range: Range | None = None
    """The selection: its lines, whole, may change. Without one the server chooses (see `Scope`)."""
    position: Position | None = None
    """The cursor, to find the enclosing block by where there is no selection and the document is long."""
    work_done_token: Token | None = None
    partial_result_token: Token | None = None


class NextParams(Payload):
    """`copyspan/next`, and the one argument of `copyspan.applyNext`."""

    edit_id: str
    work_done_token: Token | None = None
    partial_result_token: Token | None = None


class CancelParams(Payload):
    """The one argument of `copyspan.cancel`."""

    uri: str | None = None
    """Whose edits to cancel; None means all."""


class TextEdit(Payload):
    range: Range
    new_text: str


class Hunk(Payload):
    """What a person accepts or rejects. Any choice of an edit's hunks can be applied together."""

    range: Range
    """The old lines, whole, in the document's version of the payload; empty where lines are only inserted."""
    old_text: str
    new_text: str
    """What stands in the place of `old_text` afterwards."""
    edits: tuple[TextEdit, ...]
    """The smallest edits that do it, none touching a line that stays."""


class Scope(Payload):
    """Which lines could change, and why those."""

    range: Range
    kind: Literal["selection", "document", "block"]
    title: str
    """For people, such as "def total (lines 12-40)"."""


class Cost(Payload):
    """What an edit took; lines and tokens are those of the shown candidate."""

    copied_lines: int
    generated_lines: int
    copied_tokens: int
    generated_tokens: int
    forwards: int
    """Sequential forwards: model calls that waited for one another."""
    plain_forwards: int
    """What decoding the same answer token by token would take."""
    prompt_tokens: int
    reused_tokens: int
    seconds: float


class EditResult(Payload):
    """The answer to `copyspan/edit` and `copyspan/next`."""

    edit_id: str
    """Names the search that `copyspan/next` goes on with; kept until the document closes or is edited anew."""
    text_document: DocumentIdentifier
    """The version that all ranges below are in. Apply to no other."""
    scope: Scope
    hunks: tuple[Hunk, ...]
    """In order. None where nothing changes: `message` says so."""
    edit: dict[str, Any]
    """All hunks together, as an LSP WorkspaceEdit in the form that the client supports."""
    candidate: int
    """Which candidate this is, from 1."""
    candidates: int
    """How many are known by now; `copyspan/next` looks for more after the last."""
    origin: str
    """How it came about: greedy, completed, departure or program."""
    program: str
    """The edit program, as text."""
    message: str
    """The outcome in words for people."""
    changed_lines: int
    """How many lines of the document are other lines afterwards, or new."""
    total_lines: int
    """How many lines the document has, before or after the edit, whichever is more."""
    cost: Cost
    model: str
    device: str


class AnswerStarted(Payload):
    """Partial result: the model begins an answer. What was told of an earlier one does not count any more."""

    kind: Literal["answer"] = "answer"
    text_document: DocumentIdentifier
    """The version that all ranges of this answer are in, whatever is typed elsewhere meanwhile."""
    scope: Scope
    origin: str


class LinesCopied(Payload):
    """Partial result: lines from startLine to before stopLine stay as they are."""

    kind: Literal["copied"] = "copied"
    start_line: int
    stop_line: int


class TextGenerated(Payload):
    """Partial result: the model wrote text at this place: before line `line`, after what was told since."""

    kind: Literal["text"] = "text"
    line: int
    text: str


class HunkReady(Payload):
    """Partial result: a hunk is complete. It will be one of the result's unless a later check refuses the answer."""

    kind: Literal["hunk"] = "hunk"
    index: int
    hunk: Hunk


PartialResult = AnswerStarted | LinesCopied | TextGenerated | HunkReady


class PartialResults(Payload):
    """The value of one `$/progress` notification for a partialResultToken: what happened since the last, in order."""

    items: tuple[PartialResult, ...]


State = Literal["unloaded", "missing", "downloading", "loading", "ready", "working", "failed"]


class Status(Payload):
    """The result of `copyspan/status`, and the notification `copyspan/statusChanged`."""

    state: State
    model: str
    device: str | None = None
    """Where the model runs, once it is loaded."""
    dtype: str | None = None
    document: str | None = None
    """The document that is being edited."""
    queue: int = 0
    """How many edits wait."""
    server: str | None = None
    """The inference server that the text of documents is sent to, where the model does not run on this machine."""
    message: str | None = None
    """What failed or is missing, and what to do."""


class CommandResult(Payload):
    """What `copyspan.apply` and `copyspan.applyNext` return."""

    applied: bool
    message: str
    edit_id: str | None = None
    candidate: int | None = None
    candidates: int | None = None


class ActionData(Payload):
    """`data` of a code action of ours, and the one argument of `copyspan.start`. Not for clients to read."""

    kind: Literal["comment", "diagnostic"]
    text_document: DocumentIdentifier
    position: Position
    """Where the comment or the diagnostic begins."""
    problem: str = ""
    """The diagnostic's message."""


class ErrorData(Payload):
    """`data` of a response error of ours."""

    kind: str
    """The name of the error, such as ModelMissing, ContextTooLong, ContentModified."""
