"""Edits of Python's type hints: added to a function, or taken away from it."""

from random import Random

from copyspan.train.data.synthetic.code import Function, replaced
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.wording import Name, word

_ADD = (
    "Add type hints to {function}",
    "Annotate {function}",
    "Annotate the parameters and the result of {function} with types",
    "Type the signature of {function}",
    "{function} lacks type hints, add them",
)
_ADD_TOLD = (
    "Add type hints to {function}: {hints}",
    "Annotate {function} with these types: {hints}",
    "{function}: types are {hints}",
)
_REMOVE = (
    "Remove the type hints of {function}",
    "Strip the annotations from {function}",
    "Take the types out of the signature of {function}",
    "{function} without type hints",
)
_NONE = (
    "Annotate the return type of {function} as None",
    "Declare that {function} returns None",
    "Add -> None to {function}",
    "{function} returns nothing, add the return annotation",
)


def add_hints(file: SourceFile, rng: Random) -> Edit | None:
    """The way back from hints that were taken away; they are told in the instruction, or left to be found."""
    found = _hinted(file, rng)
    if found is None:
        return None
    function, before, hints = found
    templates = _ADD_TOLD if rng.random() < 0.6 else _ADD
    return Edit(word(rng, templates, function=Name(file.called(function)), hints=hints), before, file.text)


def remove_hints(file: SourceFile, rng: Random) -> Edit | None:
    found = _hinted(file, rng)
    if found is None:
        return None
    function, after, _ = found
    return Edit(word(rng, _REMOVE, function=Name(file.called(function))), file.text, after)


def add_none_result(file: SourceFile, rng: Random) -> Edit | None:
    code = file.code
    if code is None or not code.is_python:
        return None
    functions = [
        function
        for function in file.functions
        if code.token(code.at(function.closing) + 1) == ":"
        and not {code.token(i) for i in code.within(function.body, function.last)} & {"return", "yield", "raise"}
    ]
    if not functions:
        return None
    function = rng.choice(functions)
    after = replaced(code.text, [(function.closing + 1, function.closing + 1, " -> None")])
    return Edit(word(rng, _NONE, function=Name(file.called(function))), code.text, after)


def _hinted(file: SourceFile, rng: Random) -> tuple[Function, str, str] | None:
    """A function with hints, the file without them, and the hints in words."""
    code = file.code
    if code is None or not code.is_python or not file.functions:
        return None
    function = rng.choice(file.functions)
    changes, hints = [], []
    for argument in code.parameters(function):
        colon, equals = argument.index(":"), argument.index("=")
        if colon is None:
            continue
        tokens = argument.tokens
        end = len(tokens) if equals is None else equals
        text = code.text[tokens[colon].stop : tokens[end - 1].stop].strip()
        hints.append(f"{tokens[colon - 1].text}: {text}")
        if equals is None:
            changes.append((tokens[colon].start, argument.stop, ""))
        else:
            changes.append((tokens[colon].start, tokens[equals + 1].start, "="))
    arrow = code.at(function.closing) + 1
    if code.token(arrow) == "->":
        colon = _closing_colon(file, arrow)
        result = code.text[code.tokens[arrow].stop : code.tokens[colon].start].strip()
        hints.append(f"returns {result}")
        changes.append((function.closing + 1, code.tokens[colon].start, ""))
    if not changes or any("\n" in hint for hint in hints):
        return None
    return function, replaced(code.text, changes), ", ".join(hints)


def _closing_colon(file: SourceFile, arrow: int) -> int:
    code = file.code
    assert code is not None
    return next(
        i for i in range(arrow, len(code.tokens)) if code.token(i) == ":" and code.enclosing[i] == code.enclosing[arrow]
    )
