"""Where words go: results to standard output as bytes, everything else to standard error."""

import os
import sys
from typing import TextIO

import typer


def say(message: str, *, end: str = "\n") -> None:
    """A line for the person, on standard error."""
    typer.echo(message + end, err=True, nl=False)


def put(result: str) -> None:
    """A part of the result, on standard output: UTF-8, line ends as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(result.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def can_ask() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def has_colour(stream: TextIO) -> bool:
    """Whether the stream is a terminal that shows colours, and NO_COLOR does not forbid them."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def printable(name: str) -> str:
    """A file name for people and for JSON: bytes that are not UTF-8 are shown as U+FFFD."""
    return os.fsencode(name).decode("utf-8", "replace")
