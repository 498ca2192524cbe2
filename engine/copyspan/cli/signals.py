"""Signals that are noted instead of ending the process, so that work is undone or finished in order."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

INTERRUPTS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@dataclass(slots=True)
class Caught:
    """The first signal that came, or None."""

    signum: int | None = None

    def __call__(self) -> bool:
        """Whether one came."""
        return self.signum is not None


@contextmanager
def catching(signums: Sequence[int], react: Callable[[int], None] | None = None) -> Iterator[Caught]:
    """Note these signals while the block runs; `react` is called for each. What is ignored stays ignored (nohup).

    In threads other than the main one nothing is caught, for signals do not come there.
    """
    caught = Caught()

    def note(signum: int, _: FrameType | None) -> None:
        caught.signum = caught.signum or signum
        if react is not None:
            react(signum)

    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {s: signal.getsignal(s) or signal.SIG_DFL for s in signums if signal.getsignal(s) != signal.SIG_IGN}
    try:
        for signum in before:
            signal.signal(signum, note)
        yield caught
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


@contextmanager
def postponed() -> Iterator[None]:
    """Let the block finish before an interrupt has its effect. For blocks that take milliseconds."""
    with catching(INTERRUPTS) as caught:
        yield
    if caught.signum is not None:
        signal.raise_signal(caught.signum)
