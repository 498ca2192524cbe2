"""Random documents, and engines whose answers are random edits of what they are shown."""

import re
from collections.abc import Sequence
from random import Random
from typing import Any

from fuzz_editor import ENDS, PIECES
from scripted_edits import ProgramEngine, random_ops

from copyspan.edits.lines import LineOp
from copyspan.edits.program import CopyLines
from copyspan.edits.text import LineRange
from copyspan.engine import Engine
from copyspan.errors import OutputRejected
from copyspan.testing import ScriptedModel, fenced

_HALF = "\ud83d"


def random_lines(rng: Random, has_halves: bool) -> list[str]:
    """The few contents that a document and its edits are made of, so that the same lines come again and again."""
    pieces = [*PIECES, _HALF] if has_halves else PIECES
    return ["", *("".join(rng.choices(pieces, k=rng.randint(1, 3))) for _ in range(4))]


def is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def random_text(rng: Random, contents: Sequence[str]) -> str:
    """Up to ten lines, most of them all different, some of them with an instruction."""
    is_unique = rng.random() < 0.6
    lines = [
        rng.choice(["", "", "  "]) + rng.choice(contents) + (str(i) if is_unique else "")
        for i in range(rng.randrange(11))
    ]
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        place = rng.randint(0, len(lines))
        if rng.random() < 0.6 or place == len(lines):
            lines.insert(place, rng.choice(["# ai: do it", "  #AI: do it ", "## ai: do"]))
        else:
            lines[place] += " # ai: do it"
    ends = ENDS if rng.random() < 0.3 else [rng.choice(ENDS)]
    text = "".join(line + rng.choice(ends) for line in lines)
    return text.rstrip("\r\n") if rng.random() < 0.3 else text


def program_engine(rng: Random, contents: Sequence[str]) -> ProgramEngine:
    error = OutputRejected("Refused.") if rng.random() < 0.03 else None
    lines = [line for line in contents if is_unicode(line)]
    return ProgramEngine(lambda snapshot, scope: random_ops(rng, scope, lines), error)


def scripted_engine(rng: Random, contents: Sequence[str]) -> Engine:
    """The real engine, with a model that knows three answers to every prompt."""

    def script(prompt: str) -> list[str]:
        found = re.search(r".*^(`{3,})py\n(.*?)^\1\n\nInstruction: ", prompt, re.DOTALL | re.MULTILINE)
        assert found is not None
        fence, lines = found[1], found[2].split("\n")[:-1]
        answers = [random_ops(rng, LineRange(0, len(lines)), contents) for _ in range(3)]
        return [fenced("".join(f"{line}\n" for line in _written(ops, lines)), "py", fence) for ops in answers]

    return Engine(ScriptedModel(script))


def _written(ops: Sequence[LineOp], lines: list[str]) -> list[str]:
    parts: list[Any] = [lines[op.start : op.stop] if isinstance(op, CopyLines) else op.lines for op in ops]
    return [line for part in parts for line in part]
