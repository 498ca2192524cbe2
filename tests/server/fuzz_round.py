"""One round of the fuzz: a document, edits of it, and a person who changes it at random moments."""

from collections import Counter
from collections.abc import Coroutine, Sequence
from random import Random
from typing import Any

import pytest
from fuzz_editor import Buffer, Stale, Zones
from fuzz_material import is_unicode, program_engine, random_lines, random_text, scripted_engine
from fuzz_person import URI, Person
from scripted_edits import Staged, StagedJobs
from slow_positions import ENCODINGS, slow_lines, slow_position

from copyspan.edits.text import Snapshot
from copyspan.engine import Candidate
from copyspan.errors import CopyspanError, OutputRejected
from copyspan_lsp.client import Client
from copyspan_lsp.comments import find_instructions
from copyspan_lsp.convert import error_of, result_of
from copyspan_lsp.editing import Editing, Outcome
from copyspan_lsp.jobs import Ticket
from copyspan_lsp.languages import language
from copyspan_lsp.settings import ServerSettings
from copyspan_lsp.task import Ask, Task

_CODES = {"RequestCancelled": -32800, "ContentModified": -32801, "UsageError": -32602}
_FAILED = -32803


class Round(Person):
    """Plays with one document. Raises AssertionError where the buffer or an answer is not what it has to be."""

    def __init__(self, number: int, seen: Counter[str]) -> None:
        rng = Random(f"copyspan {number}")
        contents = random_lines(rng, number % 16 == 5)
        super().__init__(rng, random_text(rng, contents), ENCODINGS[number % 3], rng.choice([0, 0.15, 0.4]))
        self.seen = seen
        self.client = Client(versioned_edits=rng.random() < 0.7, counts_units=rng.random() < 0.8)
        self.settings = ServerSettings(max_lines=rng.choice([3, 300]), context_lines=rng.choice([0, 2]))
        engine = scripted_engine(rng, contents) if number % 4 == 0 else program_engine(rng, contents)
        self.editing = Editing(self.documents, StagedJobs(engine), lambda: self.settings)
        self.refusal: str | None = None
        """The kind of error that has to come."""

    def play(self) -> None:
        for _ in range(self.rng.choice([1, 1, 2])):
            self.forget()
            self.refusal = None
            self.type()
            outcome = self._ask()
            for _ in range(self.rng.randrange(4)):
                if outcome is not None:
                    self.type()
                    outcome = self._next(outcome.edit_id)
            self.compare()

    def _ask(self) -> Outcome | None:
        ask = self._random_ask()
        staged = Staged(lambda task: self._begin(ask, task), self._meanwhile)
        return self._run(staged, self.editing.edit(ask, staged))

    def _next(self, edit_id: str) -> Outcome | None:
        self.has_to_land = self.can_land = True
        self.judge()
        staged = Staged(lambda task: None, self._meanwhile)
        return self._run(staged, self.editing.next(edit_id, staged))

    def _run(self, staged: Staged, request: Coroutine[None, None, Outcome]) -> Outcome | None:
        """The outcome, if the edit is one to go on with."""
        self.is_waiting = True
        try:
            outcome = staged.drive(request)
        except CopyspanError as error:
            self._check_refusal(error)
            return None
        finally:
            self.is_waiting = False
        assert self.refusal is None, f"{self.refusal} did not come"
        assert self.can_land, "the scope is another one, and there is an edit"
        self._take(outcome)
        return outcome

    def _random_ask(self) -> Ask:
        rng, version, places = self.rng, self.buffer.version, self.buffer.places()
        selection = cursor = comment = None
        comments = find_instructions(Snapshot(self.buffer.text), language("python"))
        kind = rng.random()
        if kind < 0.4 and comments:
            comment = rng.choice(comments)
        elif kind < 0.8:
            first = rng.randrange(len(places))
            selection = places[first], rng.choice(places[max(first - 12, 0) : first + 12])
        elif kind < 0.9:
            cursor = rng.choice(places)
        if rng.random() < 0.03:
            version += 1
            self.refusal = "ContentModified"
        elif not is_unicode(self.buffer.text):
            self.refusal = "SourceError"
        return Ask(URI, "do it", version, selection, cursor, comment)

    def _begin(self, ask: Ask, task: Task) -> None:
        """The scope is chosen; see whether it is what was asked for."""
        text, start, stop = self.buffer.text, task.region.start, task.region.stop
        assert task.document.text == text
        assert task.removal.apply(text) == task.request.snapshot.text
        if ask.selection and ask.selection[0] != ask.selection[1]:
            assert (start, stop) == _lines_around(text, *sorted(ask.selection))
        if ask.comment:
            assert start <= ask.comment.start <= ask.comment.stop <= stop
        self.zones = self.first = Zones(text[:start], text[start:stop], text[stop:])
        self.shown = [self.zones.inside]
        self.seen["with a comment"] += ask.comment is not None
        self.seen[f"scope: {task.scope.kind}"] += 1

    def _check_refusal(self, error: CopyspanError) -> None:
        kind, answer = type(error).__name__, error_of(error)
        assert (answer.code, answer.data) == (_CODES.get(kind, _FAILED), {"kind": kind})
        self.seen[f"refused: {kind}"] += 1
        if self.refusal is not None:
            assert kind == self.refusal
        elif kind == "ContentModified":
            assert not self.has_to_land, "refused without need"
            self.seen["refused in doubt" if self.can_land else "refused for sure"] += 1
        elif kind == "UsageError":
            assert not self.shown
            assert len(slow_lines(self.buffer.text)) > self.settings.max_lines
        else:
            assert kind == "NoMoreCandidates" or isinstance(error, OutputRejected)
            assert self.can_land

    def _take(self, outcome: Outcome) -> None:
        """Apply it, or a part of it, or nothing; now and then a moment too late."""
        wire = result_of(outcome, self.encoding, self.client).to_wire()
        assert wire["textDocument"] == {"uri": URI, "version": self.buffer.version}
        goal, kind = self._goal_of(outcome.candidate), self.rng.random()
        self._check_hunks(wire)
        if kind < 0.2:
            self.seen["rejected"] += 1
        elif kind < 0.27 and len(wire["hunks"]) > 1:
            self._apply_some(self.rng.sample(wire["hunks"], len(wire["hunks"]) // 2))
        elif kind < 0.31 and self.client.versioned_edits and wire["edit"]:
            self._apply_too_late(wire["edit"])
        else:
            self._apply(wire["edit"], goal)
        if outcome.candidate.changed:
            self.shown.append(goal)

    def _goal_of(self, candidate: Candidate) -> str:
        """What the scope has to hold."""
        above, below, text = self.first.above, self.first.below, candidate.text
        if not candidate.changed:
            return self.first.inside
        assert text.startswith(above)
        assert text.endswith(below)
        assert len(text) >= len(above) + len(below)
        return text[len(above) : len(text) - len(below)]

    def _check_hunks(self, wire: dict[str, Any]) -> None:
        """The hunks, as replacements of whole lines, do what the edit does."""
        by_hunks, by_edit = self._copy_of_buffer(), self._copy_of_buffer()
        by_edit.apply(wire["edit"], URI, self._counted())
        spans = [(*by_hunks.span(hunk["range"], self.encoding), hunk["newText"]) for hunk in wire["hunks"]]
        assert [by_hunks.text[start:stop] for start, stop, _ in spans] == [hunk["oldText"] for hunk in wire["hunks"]]
        by_hunks.replace(spans)
        assert by_hunks.text == by_edit.text

    def _apply(self, edit: dict[str, Any], goal: str) -> None:
        places, is_sure = self.places()
        before, zones = self.buffer.text, self.zones
        spans = self.buffer.apply(edit, URI, self._counted())
        fitting = [(above, below) for above, below in places if above + goal + below == self.buffer.text]
        assert fitting, f"{before!r} became {self.buffer.text!r}"
        is_moved = (zones.above, zones.below) != (self.first.above, self.first.below)
        self.seen[("rebased" if is_moved else "applied") + (", for sure" if is_sure else "")] += 1
        way = self.rng.choice(["whole", "forwards", "backwards", "backwards", "one by one"])
        self.tell(before, spans, way)
        self.zones = Zones(fitting[0][0], goal, fitting[0][1], zones.is_certain and way != "whole")
        self.past.append(zones)

    def _apply_some(self, hunks: Sequence[dict[str, Any]]) -> None:
        before = self.buffer.text
        edits = [edit for hunk in hunks for edit in hunk["edits"]]
        spans = sorted((*self.buffer.span(edit["range"], self.encoding), edit["newText"]) for edit in edits)
        self.past.append(self.zones)
        for span in reversed(spans):
            self.zones = self.zones.changed(*span)
        self.buffer.replace(spans)
        assert self.buffer.text == self.zones.text
        self.tell(before, spans, "backwards")
        self.seen["applied in part"] += 1

    def _apply_too_late(self, edit: dict[str, Any]) -> None:
        self.change()
        text = self.buffer.text
        with pytest.raises(Stale):
            self.buffer.apply(edit, URI, self.encoding)
        assert self.buffer.text == text
        self.seen["too late"] += 1

    def _counted(self) -> str:
        """How this client counts: one that announces nothing may count bytes, wherever it is told of."""
        is_open = self.buffer.text[-1:] not in ("", "\n", "\r")
        return self.encoding if self.client.counts_units or is_open else "utf-8"

    def _copy_of_buffer(self) -> Buffer:
        copied = Buffer(self.rng, self.buffer.text, self.encoding)
        copied.version = self.buffer.version
        return copied

    def _meanwhile(self, ticket: Ticket) -> None:
        kind = self.rng.random()
        if kind < self.busyness / 4:
            self.change()
        elif kind > 0.997 and not ticket.is_stopped():
            self.refusal = "RequestCancelled"
            ticket.stop("cancelled")
        elif kind > 0.994 and not ticket.is_stopped():
            self.refusal = "ContentModified"
            self.reopen()


def _lines_around(text: str, start: int, stop: int) -> tuple[int, int]:
    """The whole lines of a selection, without one at whose very start it ends."""
    lines = slow_lines(text)
    first, last = (slow_position(text, "utf-32", offset)[0] for offset in (start, stop))
    end = last if lines[last][0] == stop else last + 1
    return lines[first][0], lines[end][0] if end < len(lines) else len(text)
