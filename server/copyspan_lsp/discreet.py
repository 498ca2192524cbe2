"""What a log record may say while tracing is off: never a document's text.

Records of this package are written by us, who put no text in them; of an exception, only the message of a CopyspanError
is shown. All others are taken to hold text wherever they can: of their template only what stands as a constant in the
code that logs it is shown, of their arguments nothing, of an exception its type and the places in code that it came
through. For pygls logs whole messages and puts parameters and values into errors, and asyncio writes the results of
tasks into its templates.

It knows no handlers and no levels. Both functions return one line and raise nothing.
"""

import logging
import re
import sys
import traceback
from pathlib import PurePath
from types import FrameType, TracebackType

from copyspan.errors import CopyspanError

ErrorInfo = tuple[type[BaseException] | None, BaseException | None, TracebackType | None] | None

_PLACEHOLDER = re.compile(r"%%|%(?:\(\w*\))?[-#0 +]*[\d*]*(?:\.[\d*]+)?[a-zA-Z]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_NUM_PLACES = 5
_WITHHELD = "(a message that may hold text; turn on the setting trace to see it)"


def own_text(message: object, args: tuple[object, ...], error: ErrorInfo) -> str:
    """The message of a record of this package, with what may be said of its error."""
    return _CONTROLS.sub(" ", _formatted(message, args) + _of_error(error, is_ours=True))


def foreign_text(message: object, args: tuple[object, ...], error: ErrorInfo, path: str, line: int) -> str:
    """The same for another's record, which the code at `path` and `line`, somewhere up the stack, is logging now."""
    return _CONTROLS.sub(" ", _constant_part(message, args, path, line) + _of_error(error, is_ours=False))


def _formatted(message: object, args: tuple[object, ...]) -> str:
    template, values = _without_text(message), tuple(map(_without_text, args))
    try:
        return logging.LogRecord("", 0, "", 0, template, values, None).getMessage()
    except Exception as error:  # an argument's own __str__ may raise anything, and logging must not
        return f"{template} (its arguments do not fit: {type(error).__name__})"


def _without_text(value: object) -> object:
    """An exception that is none of ours may quote what it failed on."""
    is_foreign = isinstance(value, BaseException) and not isinstance(value, CopyspanError)
    return type(value).__name__ if is_foreign else value


def _constant_part(message: object, args: tuple[object, ...], path: str, line: int) -> str:
    """The template with dots for its arguments, if it stands in the code as it is, and nothing was put into it."""
    frame: FrameType | None = sys._getframe()
    while frame and (frame.f_code.co_filename, frame.f_lineno) != (path, line):
        frame = frame.f_back
    if not (frame and type(message) is str and message in frame.f_code.co_consts):
        return _WITHHELD
    return _PLACEHOLDER.sub(lambda found: "%" if found[0] == "%%" else "...", message) if args else message


def _of_error(info: ErrorInfo, is_ours: bool) -> str:
    """What may be said of an exception; its places in code, the last first, are names of files and functions."""
    if not info or not info[1]:
        return ""
    error = info[1]
    if is_ours and isinstance(error, CopyspanError):
        return f" ({type(error).__name__}: {error})"
    summary = traceback.StackSummary.extract(
        traceback.walk_tb(error.__traceback__), limit=-_NUM_PLACES, lookup_lines=False
    )
    places = [f"{PurePath(place.filename).name}:{place.lineno} in {place.name}" for place in reversed(summary)]
    return f" ({type(error).__name__}{' at ' if places else ''}{', '.join(places)})"
