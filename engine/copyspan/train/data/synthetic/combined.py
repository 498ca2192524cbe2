"""Kinds that are made of others: two edits at once, and an edit that has been made already."""

import re
from collections.abc import Sequence
from random import Random

from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.makers import KINDS, Kind

SEVERAL, NOTHING = "several", "nothing"
WEIGHTS = {SEVERAL: 4.0, NOTHING: 2.5}
_TRIES = 6
_JOINTS = (
    ("{0}, and {lower}", 4),
    ("{0}. Then {lower}", 2),
    ("{0}. Also {lower}", 2),
    ("1. {0}\n2. {1}", 2),
    ("- {0}\n- {1}", 1),
    ("{0}; {lower}", 1),
)


def several(file: SourceFile, rng: Random) -> Edit | None:
    """Two edits, the second one made of the first one's result. A repair of a fault is not one of several."""
    kinds = [kind for name, kind in _kinds_for(file) if not name.startswith("fault-")]
    first = _try(kinds, file, rng)
    if first is None:
        return None
    between = file.with_text(first.after)
    second = _try(kinds, between, rng, before=first.after)
    if second is None or second.after == first.before:
        return None
    told = first.instruction + second.instruction
    if any(mark in told for mark in ("\n", "?", "else")):
        return None  # "Change nothing else" does not go together with more
    if _words(second.instruction) & (_words(first.after) - _words(first.before)):
        return None  # the second sentence speaks of what the first one makes
    return Edit(_joined(first.instruction, second.instruction, file, rng), first.before, second.after)


def nothing(file: SourceFile, rng: Random) -> Edit | None:
    """The instruction of an edit, and the text in which it is carried out already."""
    kinds = [kind for _, kind in _kinds_for(file) if kind.can_repeat]
    edit = _try(kinds, file, rng)
    return edit and Edit(edit.instruction, edit.after, edit.after)


def _kinds_for(file: SourceFile) -> list[tuple[str, Kind]]:
    return [(name, kind) for name, kind in KINDS.items() if file.lang in kind.langs]


def _try(kinds: Sequence[Kind], file: SourceFile, rng: Random, before: str | None = None) -> Edit | None:
    """The first edit that comes about, of a kind that is drawn; one of the text `before` where that is given."""
    for _ in range(_TRIES if kinds else 0):
        kind = rng.choices(kinds, [kind.weight for kind in kinds])[0]
        edit = kind.make(file, rng)
        if edit is not None and edit.before != edit.after and before in (None, edit.before):
            return edit
    return None


def _joined(first: str, second: str, file: SourceFile, rng: Random) -> str:
    first, second = first.rstrip("."), second.rstrip(".")
    start = re.match(r"\w+", second)
    is_name = start is None or start[0] in file.text
    lower = second if is_name else second[:1].lower() + second[1:]
    joint = rng.choices([joint for joint, _ in _JOINTS], [weight for _, weight in _JOINTS])[0]
    return joint.format(first, second, lower=lower)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))
