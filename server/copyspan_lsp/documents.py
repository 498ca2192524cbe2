"""Open documents, their versions, and what changed in them since a moment that somebody remembers.

The editor's buffer is the truth: nothing here reads a file. Knows no protocol types, no models and no edits but the
person's own.

Law, for every tracking t of a document d, after any changes:
    t.changes.apply(t.snapshot.text) == d.snapshot.text
"""

from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from copyspan.edits.edit import EditList
from copyspan.edits.text import Snapshot
from copyspan.errors import UsageError
from copyspan_lsp.changes import TextChange as TextChange
from copyspan_lsp.changes import steps
from copyspan_lsp.positions import Encoding, LineTable


class Tracking:
    """What happened to a document since `snapshot`.

    `changes` lead from snapshot.text to current.text; changes that undo each other are not among them, and there are
    none where the two texts are equal. After `stop`, and after the document was closed, all stays as it is.
    """

    def __init__(self, document: "Document", on_change: Callable[["Tracking"], None] | None) -> None:
        self.snapshot = document.snapshot
        self.current = document.snapshot
        self.changes = EditList()
        self.is_closed = document.is_closed
        self.on_change = on_change
        self._document = document

    def stop(self) -> None:
        """No longer follow the document, nor call `on_change`. May be called again."""
        self._document.forget(self)

    def follow(self, snapshot: Snapshot, changes: EditList) -> None:
        """Go on to `snapshot`, to which `changes` lead from `current`."""
        self.current = snapshot
        self.changes = self.changes.compose(changes).trim(self.snapshot.text)
        if snapshot.text == self.snapshot.text:
            self.changes = EditList()  # an "x" that went and came back beside another "x" leaves two edits


class Document:
    """An open document. Its snapshot is a value: a change puts another one in its place."""

    def __init__(self, uri: str, language: str, snapshot: Snapshot, encoding: Encoding) -> None:
        self.uri = uri
        self.language = language
        self.is_closed = False
        self._table = LineTable(snapshot, encoding)
        self._trackings: list[Tracking] = []

    @property
    def snapshot(self) -> Snapshot:
        """The current text, with its version."""
        return self._table.snapshot

    @property
    def version(self) -> int | None:
        return self.snapshot.version

    @property
    def table(self) -> LineTable:
        """The positions of the current snapshot."""
        return self._table

    def track(self, on_change: Callable[[Tracking], None] | None = None) -> Tracking:
        """Follow the document from now on, until `stop`; `on_change` is called after its changes and its closing."""
        tracking = Tracking(self, on_change)
        if not self.is_closed:
            self._trackings.append(tracking)
        return tracking

    def forget(self, tracking: Tracking) -> None:
        if tracking in self._trackings:
            self._trackings.remove(tracking)

    def change(self, version: int, changes: Sequence[TextChange]) -> None:
        """Apply the changes, one after the other. Raises ValueError for a negative position, and changes nothing."""
        text, total = self.snapshot.text, EditList()
        for step in steps(self._table, changes):
            text = step.after
            if self._trackings:
                # Trimmed by itself, so that where editors send whole texts, an earlier change elsewhere stays apart.
                total = total.compose(step.edits.trim(step.before))
        self._table = LineTable(Snapshot(text, version), self._table.encoding)
        for tracking in self._trackings:
            tracking.follow(self.snapshot, total)
        self._notify()

    def close(self) -> None:
        self.is_closed = True
        for tracking in self._trackings:
            tracking.is_closed = True
        self._notify()
        self._trackings.clear()

    def _notify(self) -> None:
        """Call those who asked for it; all trackings are up to date by then, and a call may stop any of them."""
        for tracking in tuple(self._trackings):
            if tracking in self._trackings and tracking.on_change:
                tracking.on_change(tracking)


class Documents:
    """The open documents, in one position encoding, found by URI however that is escaped. For one thread.

    An unknown URI raises UsageError.
    """

    def __init__(self, encoding: Encoding = "utf-16") -> None:
        self._encoding: Encoding = encoding
        self._documents: dict[str, Document] = {}

    @property
    def encoding(self) -> Encoding:
        """How positions are counted. It can be set while no document is open, and raises ValueError afterwards."""
        return self._encoding

    @encoding.setter
    def encoding(self, encoding: Encoding) -> None:
        if self._documents:
            raise ValueError(f"{len(self)} documents are open: their positions stay in {self._encoding}")
        self._encoding = encoding

    def open(self, uri: str, language: str, version: int, text: str) -> Document:
        """A new document. One that is open at the same URI is closed."""
        replaced = self._documents.get(_key(uri))
        document = Document(uri, language, Snapshot(text, version), self._encoding)
        self._documents[_key(uri)] = document
        if replaced:
            replaced.close()
        return document

    def change(self, uri: str, version: int, changes: Sequence[TextChange]) -> None:
        """Apply the changes of one notification, one after the other; after it the document has this version."""
        self.get(uri).change(version, changes)

    def close(self, uri: str) -> None:
        document = self.get(uri)
        del self._documents[_key(uri)]
        document.close()

    def get(self, uri: str) -> Document:
        document = self._documents.get(_key(uri))
        if document is None:
            raise UsageError(f"{uri} is not open in the editor. Open the document there, and try again.")
        return document

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._documents.values()))

    def __len__(self) -> int:
        return len(self._documents)

    def __contains__(self, uri: str) -> bool:
        return _key(uri) in self._documents


def _key(uri: str) -> str:
    """Editors escape differently: file:///c%3A/a.py is file:///c:/a.py. Names that are no UTF-8 stay apart."""
    return unquote(uri, errors="surrogateescape")
