"""What the process says to its caller. Knows the error tree and nothing else."""

import signal
from enum import IntEnum

from copyspan.errors import (
    Cancelled,
    ContextTooLong,
    CopyspanError,
    ModelError,
    OutOfMemory,
    OutputRejected,
    ProgramError,
    SourceError,
    UsageError,
)


class ExitCode(IntEnum):
    """Exit codes of `copyspan`; they are part of its interface."""

    CHANGED = 0
    UNCHANGED = 1
    USAGE = 2
    SOURCE = 3
    MODEL = 4
    CONTEXT = 5
    MEMORY = 6
    OUTPUT = 7
    CHECK = 8
    FAULT = 70
    CANCELLED = 130
    CLOSED = 141

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]


_MEANINGS = {
    ExitCode.CHANGED: "there is an edit, and it was written, shown or printed as asked",
    ExitCode.UNCHANGED: "nothing changed: the model copied every line, or you declined",
    ExitCode.USAGE: "wrong options, lines out of range, or an empty instruction",
    ExitCode.SOURCE: "the file cannot be read or written",
    ExitCode.MODEL: "the model cannot be had or used",
    ExitCode.CONTEXT: "the file does not fit the model's context",
    ExitCode.MEMORY: "out of memory",
    ExitCode.OUTPUT: "the model's answer was refused, for example because it was cut off",
    ExitCode.CHECK: "no candidate passes the check",
    ExitCode.FAULT: "a fault of copyspan itself",
    ExitCode.CANCELLED: "cancelled by Ctrl-C (other signals: 128 and their number)",
    ExitCode.CLOSED: "the reader of the output went away",
}

_BY_ERROR: tuple[tuple[type[CopyspanError], ExitCode], ...] = (
    (UsageError, ExitCode.USAGE),
    (SourceError, ExitCode.SOURCE),
    (ModelError, ExitCode.MODEL),
    (ContextTooLong, ExitCode.CONTEXT),
    (OutOfMemory, ExitCode.MEMORY),
    (OutputRejected, ExitCode.OUTPUT),
    (ProgramError, ExitCode.OUTPUT),
    (Cancelled, ExitCode.CANCELLED),
)


class Interrupted(Cancelled):
    """A signal ended the work; what it had begun is undone."""

    def __init__(self, signum: int, message: str) -> None:
        self.signum = signum
        super().__init__(f"{message} ({signal.Signals(signum).name})")


def exit_code_of(error: CopyspanError) -> int:
    """The exit code that tells this kind of error."""
    if isinstance(error, Interrupted):
        return 128 + error.signum
    return next((code for kind, code in _BY_ERROR if isinstance(error, kind)), ExitCode.FAULT)
