"""One edit, from what a person asks to edits of the newest text: engine, candidates, changes meanwhile.

Knows no LSP: positions are offsets, and what happens on the way goes to a `Listener`. Applies nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol
from uuid import uuid4

from copyspan.edits.edit import EditList
from copyspan.edits.resolve import Hunk, hunks_of
from copyspan.edits.text import Snapshot
from copyspan.engine import Candidate, EditResult, Engine, Event, Progress
from copyspan_lsp.documents import Documents, Tracking
from copyspan_lsp.jobs import Jobs, Stopped, Ticket
from copyspan_lsp.rebase import Landing, Region, land
from copyspan_lsp.refusals import NoMoreCandidates, changed, forgotten, outdated, refusal_of
from copyspan_lsp.settings import ServerSettings
from copyspan_lsp.task import Ask, Task, task_of

Work = Callable[[Engine, Ticket, Callable[[Event], None]], EditResult]


class Listener(Protocol):
    """Follows one edit."""

    @property
    def progress(self) -> Progress:
        """Told of the loading of the model, from the worker's thread."""
        ...

    def begin(self, task: Task, ticket: Ticket) -> None:
        """The edit waits for its turn; whoever wants to stop it stops the ticket. Called on the loop."""
        ...

    def see(self, event: Event) -> None:
        """Something happened. Called from the worker's thread."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """A candidate, as edits of the document's newest text."""

    edit_id: str
    task: Task
    snapshot: Snapshot
    """The newest text; `edits`, `hunks` and `region` are in its positions."""
    edits: EditList
    hunks: tuple[Hunk, ...]
    region: Region
    candidate: Candidate
    number: int
    """Which candidate it is, from 1."""
    num_candidates: int
    """How many that change something are known."""
    result: EditResult


@dataclass(slots=True)
class _Session:
    """An edit and its candidates, kept until its document is closed or edited anew."""

    edit_id: str
    task: Task
    tracking: Tracking
    result: EditResult | None = None
    shown: list[Candidate] = field(default_factory=list)

    @property
    def known(self) -> list[Candidate]:
        """The candidates that change something."""
        return [candidate for candidate in self.result.candidates if candidate.changed] if self.result else []

    def land(self, candidate: Candidate | None) -> Landing | None:
        """The candidate in the place of what the region holds now: the text as it was, or a shown candidate."""
        bases = [*(self._goal(shown) for shown in reversed(self.shown)), EditList()]
        task = self.task
        return land(self._goal(candidate), bases, task.document.text, task.region, self.tracking.changes)

    def _goal(self, candidate: Candidate | None) -> EditList:
        """From the document as it was to the candidate. A comment with an instruction goes away only with an edit."""
        if candidate is None or not candidate.changed:
            return EditList()
        return self.task.removal.compose(candidate.edits).trim(self.task.document.text)


class Editing:
    """Makes edits of open documents, and keeps the newest of each document for its next candidates."""

    def __init__(self, documents: Documents, jobs: Jobs, settings: Callable[[], ServerSettings]) -> None:
        self._documents = documents
        self._jobs = jobs
        self._settings = settings
        self._sessions: dict[str, _Session] = {}
        """By the document's URI."""

    async def edit(self, ask: Ask, listener: Listener) -> Outcome:
        """Raises CopyspanError: the refusals of this package, and what the engine raises."""
        document = self._documents.get(ask.uri)
        if ask.version is not None and ask.version != document.version:
            raise outdated(ask.version, document.version)
        settings = self._settings()
        task = task_of(document, ask, settings.max_lines, settings.context_lines, settings.strategy)
        session = _Session(uuid4().hex, task, document.track())
        self._keep(session)

        def work(engine: Engine, ticket: Ticket, see: Callable[[Event], None]) -> EditResult:
            return engine.edit(task.request, ticket.is_stopped, see)

        try:
            session.result = await self._run(session, listener, work)
            return self._outcome(session, session.result.best)
        except BaseException:
            self._drop(session)
            raise

    async def next(self, edit_id: str, listener: Listener) -> Outcome:
        """The next candidate of an edit, in place of the one before, be that applied or not.

        Raises NoMoreCandidates, and what `edit` raises.
        """
        session = self._find(edit_id)
        if session.result is None or session.land(None) is None:
            raise changed()
        if len(session.shown) == len(session.known):
            result = session.result

            def work(engine: Engine, ticket: Ticket, see: Callable[[Event], None]) -> EditResult:
                return engine.search(session.task.request, result, ticket.is_stopped, see)

            session.result = await self._run(session, listener, work)
        if len(session.shown) == len(session.known):
            raise NoMoreCandidates("No other candidate was found. Ask again to search on, or word it differently.")
        return self._outcome(session, session.known[len(session.shown)])

    def document_of(self, edit_id: str) -> str:
        """The URI of the document that an edit is about. Raises ContentModified where the edit is kept no longer."""
        return self._find(edit_id).task.uri

    def forget(self, uri: str) -> None:
        """Give up what is kept for a document."""
        session = self._sessions.get(uri)
        if session is not None:
            self._drop(session)

    async def _run(self, session: _Session, listener: Listener, work: Work) -> EditResult:
        """Work for a session, stopped as soon as the text that it works on becomes another one."""
        ticket = Ticket(session.task.uri)

        def follow(tracking: Tracking) -> None:
            if tracking.is_closed:
                ticket.stop("closed")
            elif session.land(None) is None:
                ticket.stop("changed")

        session.tracking.on_change = follow
        listener.begin(session.task, ticket)
        try:
            return await self._jobs.run(ticket, lambda engine: work(engine, ticket, listener.see), listener.progress)
        except Stopped as stopped:
            raise refusal_of(stopped) from stopped
        finally:
            if session.tracking.on_change is follow:  # else a newer request for the session follows it by now
                session.tracking.on_change = lambda tracking: self._drop(session) if tracking.is_closed else None

    def _outcome(self, session: _Session, candidate: Candidate) -> Outcome:
        landing = session.land(candidate)
        if landing is None or session.result is None:
            raise changed()
        if candidate.changed:
            session.shown.append(candidate)
        current = session.tracking.current
        return Outcome(
            edit_id=session.edit_id,
            task=session.task,
            snapshot=current,
            edits=landing.edits,
            hunks=hunks_of(landing.edits, current),
            region=landing.region,
            candidate=candidate,
            number=max(len(session.shown), 1),
            num_candidates=len(session.known),
            result=session.result,
        )

    def _find(self, edit_id: str) -> _Session:
        found = (session for session in self._sessions.values() if session.edit_id == edit_id)
        session = next(found, None)
        if session is None:
            raise forgotten()
        return session

    def _keep(self, session: _Session) -> None:
        self.forget(session.task.uri)
        self._sessions[session.task.uri] = session

    def _drop(self, session: _Session) -> None:
        session.tracking.stop()
        if self._sessions.get(session.task.uri) is session:
            del self._sessions[session.task.uri]
