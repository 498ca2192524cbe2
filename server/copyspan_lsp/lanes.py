"""Threads that work side by side, each with an engine of its own. Knows no queue, no LSP and no documents.

A model in this process wants one: there is one memory for it. Requests to a server wait for one another at the server.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from copyspan_lsp.holder import EngineHolder
from copyspan_lsp.worker import Worker

Occupant = TypeVar("Occupant")


@dataclass(slots=True)
class Lane(Generic[Occupant]):
    """One thread and its engine."""

    worker: Worker
    holder: EngineHolder
    occupant: Occupant | None = None
    """Whose turn it is."""


@dataclass(slots=True)
class Lanes(Generic[Occupant]):
    """Lanes that are made when they are wanted. `holder_of` makes the engine holder of lane 0, 1, ..."""

    holder_of: Callable[[int], EngineHolder]
    _lanes: list[Lane[Occupant]] = field(default_factory=list)

    @property
    def first(self) -> Lane[Occupant]:
        """The one that there always is."""
        return self._lane(0)

    @property
    def occupants(self) -> Sequence[Occupant]:
        return [lane.occupant for lane in self._lanes if lane.occupant is not None]

    def free(self, width: int) -> Lane[Occupant] | None:
        """A lane that nobody has, of the first `width`."""
        return next((lane for lane in map(self._lane, range(width)) if lane.occupant is None), None)

    def leave(self, occupant: Occupant) -> bool:
        """Free the lane that somebody has; returns whether there was one."""
        found = [lane for lane in self._lanes if lane.occupant is occupant]
        for lane in found:
            lane.occupant = None
        return bool(found)

    def drop_engines(self, first: int = 0) -> None:
        """Let the lanes from `first` on give their engines' memory back when they have done what they do."""
        for lane in self._lanes[first:]:
            lane.worker.submit(lane.holder.drop)

    def close(self) -> None:
        """Give all memory back, and let the threads end after that."""
        self.drop_engines()
        for lane in self._lanes:
            lane.worker.close()

    def join(self, timeout: float) -> bool:
        """After `close`: wait for the threads, `timeout` seconds at most; returns whether they are over."""
        until = time.monotonic() + timeout
        return all(lane.worker.join(max(0.0, until - time.monotonic())) for lane in self._lanes)

    def _lane(self, number: int) -> Lane[Occupant]:
        while len(self._lanes) <= number:
            name = f"copyspan-model-{len(self._lanes) + 1}"
            self._lanes.append(Lane(Worker(name), self.holder_of(len(self._lanes))))
        return self._lanes[number]
