"""Every error that copyspan raises on purpose, in one tree.

    CopyspanError
    ├── UsageError              the request itself: empty instruction, lines out of range, unknown name
    ├── SourceError             the document: missing, binary, not UTF-8, not writable
    ├── ContextTooLong          document and instruction exceed the model's context
    ├── ModelError
    │   ├── ModelMissing        not on disk, and not to be had now
    │   ├── ModelUnusable       there, but not a model that can edit text
    │   ├── WeightsCorrupted    bytes that differ from what was published
    │   ├── StorageError        the model cache: full, read-only
    │   └── ServerError         a model that an inference server runs
    │       ├── ServerUnreachable   no connection, or one that broke
    │       ├── ServerRefused       the key or the model was turned down: every request would be
    │       ├── RequestRefused      one request was turned down
    │       ├── ServerOverloaded    too busy, or failing, again and again
    │       └── ServerMisfit        it answers, but lacks an ability, or is not the one that it was
    │           └── NotScored       it tells no probabilities of given text
    ├── OutOfMemory             the device has too little memory for this edit
    ├── ProgramError
    │   ├── ProgramSyntaxError  not the surface form of a program
    │   └── ProgramRangeError   a copy of lines or tokens that do not exist
    ├── OutputRejected          the model's answer, refused as a whole
    │   ├── OutputTruncated     cut by a limit before it was complete
    │   ├── OutputRepeats       the model writes the same lines for ever
    │   ├── PlaceholderFound    "... existing code ..." in place of code
    │   ├── SweepingDeletion    a good part of the scope gone, and nobody asked for that
    │   └── OddProgram          a program with the marks of a wrong span
    └── Cancelled               the caller asked to stop

A message carries the values and the next step; it never holds the document's text. After any of these the document is
as it was. `assert` is kept for our own mistakes.
"""


class CopyspanError(Exception):
    """Base of all expected errors."""


class UsageError(CopyspanError):
    """The request cannot be carried out as it was asked."""


class SourceError(CopyspanError):
    """The document cannot be read or written."""


class ContextTooLong(CopyspanError):
    """The prompt and the longest answer to it do not fit the model's context.

    `needed` and `available` are counts of tokens.
    """

    def __init__(self, needed: int, available: int) -> None:
        self.needed = needed
        self.available = available
        super().__init__(
            f"This edit needs about {needed} tokens, and the model's context holds {available}. "
            "Select the lines to edit, or take a model with a longer context."
        )


class ModelError(CopyspanError):
    """A model cannot be had, read or kept."""


class ModelMissing(ModelError):
    """The model is not on disk and cannot be fetched now."""


class ModelUnusable(ModelError):
    """The files are there, but no model that can edit text comes of them."""


class WeightsCorrupted(ModelError):
    """The bytes on disk differ from what was published."""


class StorageError(ModelError):
    """The model cache cannot be written: disk full, or read-only."""


class ServerError(ModelError):
    """An inference server, or the way to it, fails."""


class ServerUnreachable(ServerError):
    """There is no connection to the server, or it broke off."""


class ServerRefused(ServerError):
    """The server turns every request down: it knows no such key, model or path."""


class RequestRefused(ServerError):
    """The server turned one request down."""


class ServerOverloaded(ServerError):
    """The server is too busy, or fails, and did so again when it was asked again."""


class ServerMisfit(ServerError):
    """The server answers, but not as it has to, or not as it did before."""


class NotScored(ServerMisfit):
    """The server tells no probabilities of given text."""


class OutOfMemory(CopyspanError):
    """The device has too little memory for this edit; the engine lives on."""


class ProgramError(CopyspanError):
    """An edit program is not valid for its snapshot."""


class ProgramSyntaxError(ProgramError):
    """The text is not the surface form of a program."""


class ProgramRangeError(ProgramError):
    """A program copies lines or tokens that the snapshot does not have."""


class OutputRejected(CopyspanError):
    """The model's answer is refused as a whole; nothing of it is applied."""


class OutputTruncated(OutputRejected):
    """The answer reached a limit before it was complete."""


class OutputRepeats(OutputRejected):
    """The model writes the same lines again and again."""


class PlaceholderFound(OutputRejected):
    """The answer stands in for code that it was asked to write."""


class SweepingDeletion(OutputRejected):
    """The answer leaves out a good part of the scope, and the instruction does not ask for that."""


class OddProgram(OutputRejected):
    """The program leaves out or repeats single lines in a way that nobody asked for."""


class Cancelled(CopyspanError):
    """The caller asked to stop. The model's context is at its last checkpoint."""
