"""What a person sees of an edit: the diff in colour, what it cost, and what to do next. Writes nothing itself."""

import re
from pathlib import Path

from copyspan.cli.diff import changes
from copyspan.edits.text import Snapshot
from copyspan.engine import Candidate, Cost, EditResult

_RESET = "\x1b[0m"
_COLOURS = (("--- ", "\x1b[1m"), ("+++ ", "\x1b[1m"), ("@@ ", "\x1b[36m"), ("-", "\x1b[31m"), ("+", "\x1b[32m"))
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters by which text could rewrite the screen, or show in another order than it has."""

NO_CHANGE = (
    "No change: the model copied every line. Word the instruction more exactly, point to the place with --lines A-B, "
    "or try more candidates (--candidates 8) or a larger model (--model)."
)


def diff_name(path: Path) -> str:
    """The file's name in a diff's header: from the current folder where it lies there, so that `git apply` finds it."""
    path = path.absolute()
    here = Path.cwd()
    return str(path.relative_to(here if path.is_relative_to(here) else path.anchor))


def for_terminal(diff: str, *, colour: bool) -> str:
    """The diff with colours, and with every character made visible that a terminal would obey."""
    lines = diff.split("\n")
    bodies = [line for line in lines if line[:1] in (" ", "+", "-")]
    if all(line.endswith("\r") for line in bodies[2:]):
        lines = [line.removesuffix("\r") for line in lines]  # one kind of line end throughout: no news
    shown = [_UNSAFE.sub(_picture, line) for line in lines]
    return "\n".join(map(_coloured, shown)) if colour else "\n".join(shown)


def change_line(snapshot: Snapshot, candidate: Candidate) -> str:
    """How many lines a candidate adds and removes."""
    found = changes(snapshot.text, candidate.edits)
    removed, added = sum(change.stop - change.start for change in found), sum(len(change.new) for change in found)
    return f"+{added:,} -{removed:,} lines of {snapshot.num_lines:,}"


def cost_line(snapshot: Snapshot, candidate: Candidate, result: EditResult) -> str:
    """What a candidate of the result changes, what was copied and written, and what the whole edit took."""
    cost, parts = result.cost, [change_line(snapshot, candidate)]
    if candidate is result.best:  # the counts of the others are not known
        copied = f"{counted(cost.copied_lines, 'line')} ({counted(cost.copied_tokens, 'token')})"
        written = f"{counted(cost.generated_lines, 'line')} ({counted(cost.generated_tokens, 'token')})"
        parts.append(f"copied {copied}, wrote {written}")
    forwards = counted(cost.forwards, "sequential forward")
    parts.append(f"{forwards}, plain decoding needs {cost.plain_forwards:,}{_ratio(cost)}")
    parts.append(", ".join(f"{phase} {seconds:.1f} s" for phase, seconds in cost.seconds.items() if seconds >= 0.05))
    return " · ".join(part for part in parts if part)


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 line, 2,140 lines."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _ratio(cost: Cost) -> str:
    """By how much fewer, where it is fewer; a search for more candidates may take more."""
    if not 0 < cost.forwards < cost.plain_forwards:
        return ""
    ratio = cost.plain_forwards / cost.forwards
    return f" ({ratio:.0f}x as many)" if ratio >= 10 else f" ({ratio:.1f}x as many)"


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def _coloured(line: str) -> str:
    colour = next((colour for start, colour in _COLOURS if line.startswith(start)), "")
    return f"{colour}{line}{_RESET}" if colour else line
