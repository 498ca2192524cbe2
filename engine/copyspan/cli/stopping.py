"""Long work that a person can stop: it ends in order, and goes on later."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from copyspan.cli.exit_codes import Interrupted
from copyspan.cli.signals import INTERRUPTS, Caught, catching
from copyspan.cli.terminal import say
from copyspan.errors import Cancelled


@contextmanager
def stopping() -> Iterator[Caught]:
    """Note the first signal, and turn the Cancelled that follows into one that names it. The next ends at once."""

    def react(signum: int) -> None:
        signal.signal(signum, signal.SIG_DFL)
        say("Stopping (Ctrl-C again ends at once)")

    with catching(INTERRUPTS, react) as caught:
        try:
            yield caught
        except Cancelled as error:
            if caught.signum is None:
                raise
            raise Interrupted(caught.signum, str(error)) from error
