"""A person at an editor, for the fuzz: types, undoes, and knows where the scope of an edit has got to."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Literal

from fuzz_editor import Buffer, Span, Zones, as_sent, smallest

from copyspan.edits.text import Snapshot
from copyspan_lsp.changes import TextChange
from copyspan_lsp.documents import Documents

URI = "file:///c%3A/fuzz.py"


class Person:
    """One document in an editor's buffer and in the server's `documents`.

    `zones` are where the scope is now, `first` where it was when the edit was asked for. `shown` is what the scope may
    hold: what it held then, and every candidate since.
    """

    def __init__(self, rng: Random, text: str, encoding: Literal["utf-8", "utf-16", "utf-32"], busyness: float) -> None:
        self.rng = rng
        self.encoding = encoding
        self.buffer = Buffer(rng, text, encoding)
        self.documents = Documents(encoding)
        self.documents.open(URI, "python", self.buffer.version, text)
        self.busyness = busyness
        self.forget()

    def forget(self) -> None:
        """No edit is asked for."""
        self.zones = self.first = Zones("", "", self.buffer.text)
        self.past: list[Zones] = []
        self.shown: list[str] = []
        self.is_waiting = False
        self.has_to_land = True
        """While an edit was waited for, the scope was always beyond doubt where it was, and as it was."""
        self.can_land = True
        """While an edit was waited for, the scope, or what looks like it, was always there."""

    def type(self) -> None:
        while self.rng.random() < self.busyness * 2:
            self.change()

    def change(self) -> None:
        """One notification."""
        before, kind = self.buffer.text, self.rng.random()
        if kind < 0.15 and self.past:
            self.restore(self.rng.choice(self.past))
            return
        self.past.append(self.zones)
        told = []
        for _ in range(self.rng.choice([1, 1, 2])):
            start, stop, new = self.buffer.random_change(len(self.zones.above), len(self.zones.below))
            told.append(TextChange(new, self.buffer.position(start), self.buffer.position(stop)))
            self.buffer.replace([(start, stop, new)])
            self.zones = self.zones.changed(start, stop, new)
        assert self.zones.text == self.buffer.text
        if kind > 0.85:
            self.zones = replace(self.zones, is_certain=False)
            self.tell(before, [], "whole")
        else:
            self.send(told)

    def restore(self, zones: Zones) -> None:
        """Undo."""
        before = self.buffer.text
        spans = [smallest(before, zones.text)]
        self.buffer.replace(spans)
        self.zones = replace(zones, is_certain=False)
        self.tell(before, spans, self.rng.choice(["whole", "backwards"]))

    def tell(self, before: str, spans: Sequence[Span], way: str) -> None:
        for changes in as_sent(self.rng, self.buffer, before, spans, way):
            self.send(changes)

    def send(self, changes: list[TextChange]) -> None:
        self.buffer.version += self.rng.choice([1, 1, 2])
        self.documents.change(URI, self.buffer.version, changes)
        if self.is_waiting:
            self.judge()

    def reopen(self) -> None:
        self.documents.close(URI)
        self.documents.open(URI, "python", self.buffer.version, self.buffer.text)

    def places(self) -> tuple[list[tuple[str, str]], bool]:
        """What may stand above and below the scope now, and whether that is beyond doubt."""
        zones, first = self.zones, self.first
        if zones.is_certain and zones.inside in self.shown:
            return [(zones.above, zones.below)], True
        if any(zones.text == first.above + part + first.below for part in self.shown):
            return [(first.above, first.below)], True
        return [place for part in self.shown for place in zones.places_of(part)], False

    def judge(self) -> None:
        """Look at the buffer while an edit is waited for."""
        places, is_sure = self.places()
        self.has_to_land &= is_sure
        self.can_land &= bool(places)

    def compare(self) -> None:
        assert self.documents.get(URI).snapshot == Snapshot(self.buffer.text, self.buffer.version)
