"""Edits of whole functions: inserted, deleted, moved."""

from random import Random

from copyspan.train.data.synthetic.blocks import gap_before, with_block, without_block
from copyspan.train.data.synthetic.code import Function
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.wording import Name, word

_DELETE = (
    "Delete the {what} {function}",
    "Remove {function}",
    "Remove the {what} {function}, it is not used any more",
    "Drop {function}",
    "{function} is not needed any more, remove it",
    "delete {function}",
)
_INSERT = (
    "Add a {what} {function}{place}: {text}",
    "Write a {what} {function}{place}. {text}",
    "Implement the {what} {function}{place}. What it does: {text}",
)
_INSERT_CODE = (
    "Add this {what}{place}:\n{code}",
    "Insert the following {what}{place}, as it is:\n\n{code}",
    "Put this{place}:\n```\n{code}\n```",
)
_MOVE = (
    "Move {function} {side} {other}",
    "Move the {what} {function} so that it stands {side} {other}",
    "Put {function} {side} {other}",
    "{function} should come {side} {other}",
    "move {function} {side} {other}",
)
_MOVE_END = (
    "Move {function} to the end of {place}",
    "Make {function} the last {what} of {place}",
    "{function} should come last in {place}",
)
_LONGEST_CODE = 25
"""Lines of a function that an instruction spells out."""


def delete_function(file: SourceFile, rng: Random) -> Edit | None:
    function = _choose(file, rng)
    if function is None:
        return None
    after = without_block(file.text, function.lead, function.stop)
    return Edit(word(rng, _DELETE, what=_what(function), function=Name(file.called(function))), file.text, after)


def insert_function(file: SourceFile, rng: Random) -> Edit | None:
    """The way back from a deletion. The instruction spells the function out, or says what its documentation says."""
    function = _choose(file, rng)
    if function is None:
        return None
    before = without_block(file.text, function.lead, function.stop)
    above = [other for other in _neighbours(file, function) if other.stop <= function.lead]
    place = f" after {above[-1].name}" if above else f" to {function.owner}" if function.owner else ""
    what, text = _what(function), file.text[function.lead : function.stop]
    summary = _summary(file, function)
    if summary and (rng.random() < 0.5 or text.count("\n") > _LONGEST_CODE):
        instruction = word(rng, _INSERT, what=what, function=Name(file.called(function)), place=place, text=summary)
    elif text.count("\n") <= _LONGEST_CODE:
        instruction = word(rng, _INSERT_CODE, what=what, place=place, code=text.rstrip())
    else:
        return None
    return Edit(instruction, before, file.text)


def move_function(file: SourceFile, rng: Random) -> Edit | None:
    function = _choose(file, rng)
    if function is None:
        return None
    others = _neighbours(file, function)
    if not others:
        return None
    what, block = _what(function), file.text[function.lead : function.stop]
    fields = {"what": what, "function": Name(file.called(function))}
    rest = without_block(file.text, function.lead, function.stop)
    removed = len(file.text) - len(rest)
    other = rng.choice(others)
    gap = gap_before(file.text, max(function.lead, other.lead))

    def now(position: int) -> int:
        return position if position <= function.lead else position - removed

    if other is others[-1] and other.lead > function.lead and rng.random() < 0.3:
        place = f"the class {function.owner}" if function.owner else "the file"
        after = rest[: now(other.stop)] + "\n" * gap + block + rest[now(other.stop) :]
        if not function.owner and rest[now(other.stop) :].strip():
            return None  # more than functions follows
        return Edit(word(rng, _MOVE_END, place=place, **fields), file.text, after)
    if rng.random() < 0.5:
        after = with_block(rest, now(other.lead), block, gap)
        return Edit(word(rng, _MOVE, side="above", other=Name(other.name), **fields), file.text, after)
    after = rest[: now(other.stop)] + "\n" * gap + block + rest[now(other.stop) :]
    return Edit(word(rng, _MOVE, side="below", other=Name(other.name), **fields), file.text, after)


def _choose(file: SourceFile, rng: Random) -> Function | None:
    """A function that can be taken out, and that its name tells from the others."""
    names = [function.name for function in file.functions]
    movable = [
        function
        for function in file.functions
        if names.count(function.name) == 1 and _stands_alone(file, function) and function.stop < len(file.text)
    ]
    return rng.choice(movable) if movable else None


def _stands_alone(file: SourceFile, function: Function) -> bool:
    text = file.text[function.start : function.stop]
    return text.endswith("\n") and not text.rstrip().endswith(",") and "@property" not in text and ".setter" not in text


def _neighbours(file: SourceFile, function: Function) -> list[Function]:
    """The other functions of the module or the class it stands in."""
    return [f for f in file.functions if f.owner == function.owner and f is not function and _stands_alone(file, f)]


def _what(function: Function) -> str:
    return "method" if function.owner else "function"


def _summary(file: SourceFile, function: Function) -> str:
    """The first sentence of its documentation."""
    if file.lang == "python":
        text = file.text[function.body : function.code].strip().strip("rR\"' \n")
    else:
        text = file.text[function.lead : function.start].strip().strip("/* \n")
    first = text.split("\n")[0].strip(" */").rstrip(".")
    return f"{first}." if len(first) > 10 else ""
