"""Why an edit is not made although the engine did nothing wrong. Knows no LSP; `convert` gives these their codes."""

from copyspan.errors import CopyspanError
from copyspan_lsp.jobs import Reason, Stopped


class ContentModified(CopyspanError):
    """The document is no longer the one that the edit was asked for."""


class Superseded(CopyspanError):
    """A newer request for the same document took this one's place."""


class RequestCancelled(CopyspanError):
    """Somebody asked to stop."""


class NoMoreCandidates(CopyspanError):
    """The search found nothing that was not shown before."""


_CHANGED = "The lines were changed while they were being edited; nothing was applied. Ask again for the new text."


def refusal_of(stopped: Stopped) -> CopyspanError:
    """What a person is told about a job that was stopped."""
    refusals: dict[Reason, CopyspanError] = {
        "cancelled": RequestCancelled("The edit was cancelled; nothing was changed."),
        "superseded": Superseded("A newer edit of the same document took the place of this one."),
        "changed": ContentModified(_CHANGED),
        "closed": ContentModified("The document was closed while it was being edited; nothing was applied."),
        "shutdown": RequestCancelled("The server is shutting down; nothing was changed."),
    }
    return refusals[stopped.reason]


def changed() -> ContentModified:
    """The document went on in a way that the edit cannot follow."""
    return ContentModified(_CHANGED)


def forgotten() -> ContentModified:
    """An edit is asked for its next candidate that is kept no longer."""
    return ContentModified("This edit is over: its document was closed or edited anew. Ask for a new edit.")


def outdated(wanted: int, current: int | None) -> ContentModified:
    """The request is about another version of the document than the server's."""
    return ContentModified(
        f"The request is about version {wanted} of the document, and the server has version {current}; nothing was "
        "changed. Ask again."
    )
