"""How a fetch tells what it is doing. Knows nothing of terminals or editors."""

from typing import Protocol


class Progress(Protocol):
    """Is told of stages, one after another, never nested.

    An exception that `advanced` raises stops the fetch at once; what has been fetched is kept, so that the next fetch
    goes on from there. All calls come from the thread that fetches.
    """

    def started(self, name: str, total: int | None, unit: str) -> None:
        """A stage begins: `name` for people, `total` in `unit` ("B" for bytes), None where the end is not known."""
        ...

    def advanced(self, n: int) -> None:
        """`n` >= 0 more units of the current stage are done; 0 only says that it is still alive."""
        ...

    def finished(self) -> None:
        """The current stage is over."""
        ...

    def noted(self, message: str) -> None:
        """Something worth a line, such as a part that came corrupted; may come inside a stage or between two."""
        ...


class Silent:
    """Tells nobody."""

    def started(self, name: str, total: int | None, unit: str) -> None:
        pass

    def advanced(self, n: int) -> None:
        pass

    def finished(self) -> None:
        pass

    def noted(self, message: str) -> None:
        pass


class Meter:
    """Tells a progress of one piece of a stage, by the bytes of it that are there: never back, never beyond it."""

    def __init__(self, size: int, progress: Progress) -> None:
        self.progress = progress
        self._size = size
        self._told = 0

    def __call__(self, num_bytes: int) -> None:
        told = max(self._told, min(num_bytes, self._size))
        self.progress.advanced(told - self._told)
        self._told = told
