"""The question after a diff: write it, see the next candidate, or leave the file alone."""

import sys
from collections.abc import Callable, Sequence

from copyspan.cli.terminal import say
from copyspan.engine import Candidate

_QUESTION = "Write it? [y]es, [n]ext candidate, [q]uit (default): "


def choose(
    candidates: Sequence[Candidate],
    show: Callable[[int, Sequence[Candidate]], None],
    search: Callable[[], Sequence[Candidate]],
) -> Candidate | None:
    """The candidate that the person wants written, or None.

    `show` presents one of the candidates. After the last one `search` is asked for more, which takes time; where it
    finds no more, the first one comes again.
    """
    known, is_complete = list(candidates), False
    index = 0
    while True:
        show(index, known)
        match _answer():
            case "y":
                return known[index]
            case "q":
                return None
        index += 1
        if index == len(known) and not is_complete:
            more = _new(search(), known)
            is_complete = not more
            known += more
            if is_complete:
                say("There is no other candidate.")
        index %= len(known)


def _answer() -> str:
    """y, n or q; the end of the input is q."""
    while True:
        say(_QUESTION, end="")
        line = sys.stdin.readline()
        if not line:
            say("")
            return "q"
        answer = line.strip().lower()
        if answer in ("", "q", "quit", "no"):
            return "q"
        if answer in ("y", "yes", "n", "next"):
            return answer[0]


def _new(found: Sequence[Candidate], known: Sequence[Candidate]) -> list[Candidate]:
    texts = {candidate.text for candidate in known}
    return [candidate for candidate in found if candidate.changed and candidate.text not in texts]
