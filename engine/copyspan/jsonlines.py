"""JSON lines that people name: read with their places, and what is wrong with a record said without its text.

A file whose name ends in .gz is compressed.
"""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from copyspan.errors import SourceError, UsageError


@dataclass(frozen=True, slots=True)
class Numbers:
    """Which records of a file count: those whose number is `remainder` modulo `modulus`. The first has number 0."""

    remainder: int = 0
    modulus: int = 1

    @classmethod
    def parse(cls, text: str) -> "Numbers":
        """`1/4` means 1 modulo 4. Raises UsageError."""
        first, slash, last = text.partition("/")
        if not (slash and first.isdecimal() and last.isdecimal() and int(first) < int(last)):
            raise UsageError(f"{text!r} is no share: write R/M with R < M, such as 1/4 for the numbers 1, 5, 9, ...")
        return cls(int(first), int(last))

    def __contains__(self, number: int) -> bool:
        return number % self.modulus == self.remainder


ALL = Numbers()


def read_lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """The lines that hold anything, each with its place in words. Raises SourceError before the first of them."""
    try:
        data = path.read_bytes()
        lines = (gzip.decompress(data) if path.suffix == ".gz" else data).split(b"\n")
    except OSError as error:
        reason = error.strerror or "it is not compressed with gzip"
        raise SourceError(f"{path} cannot be read: {reason}. Name a file of JSON lines.") from error
    except (EOFError, zlib.error) as error:
        raise SourceError(f"{path} cannot be read: its end is missing. Make the file again.") from error
    return ((f"{path.name}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip())


def reason_of(error: ValueError | RecursionError) -> str:
    """What is wrong with a record, without its values: pydantic's own message would show the text."""
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, e['loc'])) or 'it'}: {e['msg'].lower()}" for e in error.errors())
    return f"not JSON in UTF-8 ({type(error).__name__})"
