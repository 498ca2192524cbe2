"""Bytes to text and back, byte for byte. Knows no disk."""

import codecs
from dataclasses import dataclass

from copyspan.edits.text import Snapshot
from copyspan.errors import SourceError

MAX_BYTES = 32 * 1024 * 1024
"""No model's context holds a thousandth of this; a larger file is a mistake, and reading it would take all memory."""

_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


@dataclass(frozen=True, slots=True)
class Document:
    """A text as it came: its bytes, and its characters without the byte order mark.

    Law: encode(snapshot.text) == raw.
    """

    raw: bytes
    snapshot: Snapshot

    @property
    def mark(self) -> str:
        """The byte order mark, or nothing."""
        return "\ufeff" if self.raw.startswith(codecs.BOM_UTF8) else ""

    def encode(self, text: str) -> bytes:
        """The bytes of this document with another text."""
        return (self.mark + text).encode()


def decode(raw: bytes, label: str) -> Document:
    """Raises SourceError for what is not text in UTF-8, saying what it is. `label` names the document for people."""
    if len(raw) > MAX_BYTES:
        raise SourceError(f"{label} has more than {MAX_BYTES // 1024**2} MB, too many to edit. Split it first.")
    for mark, encoding in _WIDE_MARKS:
        if raw.startswith(mark):
            raise SourceError(f"{label} is {encoding}, and copyspan edits UTF-8. Convert it, for example with iconv.")
    if b"\0" in raw:
        raise SourceError(f"{label} is binary (a NUL byte at offset {raw.index(0)}). copyspan edits text in UTF-8.")
    try:
        text = raw.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        offset = error.start + len(raw) - len(raw.removeprefix(codecs.BOM_UTF8))
        line = raw.count(b"\n", 0, offset) + 1
        raise SourceError(
            f"{label} is not UTF-8: byte 0x{raw[offset]:02x} at offset {offset}, line {line}. "
            "Convert it first, for example with iconv."
        ) from None
    return Document(raw, Snapshot(text))
