"""Edits of a function's parameters together with the calls in the same file."""

from random import Random

from copyspan.train.data.synthetic.code import Argument, Code, Function, replaced
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.names import new_name
from copyspan.train.data.synthetic.wording import Name, word

_NEW = (
    ("timeout", "None", "float | None"),
    ("verbose", "False", "bool"),
    ("strict", "True", "bool"),
    ("limit", "100", "int"),
    ("encoding", '"utf-8"', "str"),
    ("dry_run", "False", "bool"),
    ("max_retries", "3", "int"),
    ("prefix", '""', "str"),
    ("logger", "None", "logging.Logger | None"),
    ("use_cache", "True", "bool"),
    ("sort_keys", "False", "bool"),
    ("separator", '", "', "str"),
    ("offset", "0", "int"),
    ("context", "None", "object"),
)
_ADD = (
    "Add a parameter {name} with the default {default} to {function}",
    "Add the parameter {name}={default} to {function}",
    "Give {function} an optional parameter {name} that is {default} by default",
    "Let {function} take {name} (default {default})",
    "Extend the signature of {function} by {name}, default {default}",
    "{function}: new parameter {name}={default}",
)
_ADD_WITH_CALLS = (
    "Add a parameter {name} to {function} and pass {value} wherever it is called",
    "{function} gets a new last parameter {name}; its callers in this file pass {value}",
    "Add a required parameter {name} to {function}. Call it with {value}.",
)
_REMOVE = (
    "Remove the parameter {name} from {function}",
    "Remove the unused parameter {name} of {function}",
    "{function} does not need {name}, drop it from the signature",
    "Drop the parameter {name} from {function}",
    "{function}: remove parameter {name}",
)
_REMOVE_WITH_CALLS = (
    "Remove the parameter {name} from {function} and from its calls",
    "{function} does not use {name}. Drop the parameter, and the argument wherever it is called.",
    "Drop {name} from {function} and update the callers",
)
_SWAP = (
    "Swap the parameters {first} and {second} of {function} and update its calls",
    "In {function}, put {second} in the place of {first} and the other way round, in all calls too",
    "Exchange {first} and {second} in the signature of {function}, and in every call of it",
    "{function}: swap {first} and {second}, callers too",
)


def add_parameter(file: SourceFile, rng: Random) -> Edit | None:
    found = _grown(file, rng, rng.random() < 0.4)
    if found is None:
        return None
    function, name, default, value, after = found
    templates = _ADD_WITH_CALLS if value else _ADD
    fields = {"name": Name(name), "function": Name(function), "default": default, "value": Name(value)}
    return Edit(word(rng, templates, **fields), file.text, after)


def remove_parameter(file: SourceFile, rng: Random) -> Edit | None:
    """The way back from a parameter that nothing uses."""
    found = _grown(file, rng, rng.random() < 0.4)
    if found is None:
        return None
    function, name, _, value, before = found
    templates = _REMOVE_WITH_CALLS if value else _REMOVE
    return Edit(word(rng, templates, name=Name(name), function=Name(function)), before, file.text)


def swap_parameters(file: SourceFile, rng: Random) -> Edit | None:
    code = file.code
    if code is None or not file.functions:
        return None
    function = rng.choice(file.functions)
    parameters = code.parameters(function)
    own = int(bool(parameters) and parameters[0].name in ("self", "cls"))
    plain = [i for i in range(own, len(parameters)) if parameters[i].is_plain]
    if len(plain) < 2 or plain != list(range(own, own + len(plain))) or not _is_unique(file, function):
        return None
    i = rng.choice(plain[:-1])
    calls = _simple_calls(code, function, i + 2 - own)
    if not calls:
        return None
    changes = _swap(code, parameters[i], parameters[i + 1])
    for arguments in calls:
        changes += _swap(code, arguments[i - own], arguments[i + 1 - own])
    if any(start < other < stop for start, stop, _ in changes for other, _, _ in changes):
        return None  # a call among the arguments of another one
    first, second = Name(parameters[i].name), Name(parameters[i + 1].name)
    instruction = word(rng, _SWAP, first=first, second=second, function=Name(file.called(function)))
    return Edit(instruction, code.text, replaced(code.text, changes))


def _grown(file: SourceFile, rng: Random, with_calls: bool) -> tuple[str, str, str, str, str] | None:
    """A function, its new parameter's name and default, what calls pass ("" for nothing), and the file with it."""
    code = file.code
    if code is None or not file.functions:
        return None
    function = rng.choice(file.functions)
    parameters = code.parameters(function)
    if any(not argument.name for argument in parameters[:1]) or any(_is_rest(argument) for argument in parameters):
        return None
    name, default, annotation = rng.choice(_NEW)
    if not code.is_python:
        name = "".join(part.capitalize() if i else part for i, part in enumerate(name.split("_")))
        default = {"None": "null", "False": "false", "True": "true"}.get(default, default)
    if name in code.names:
        other = new_name(name, code.names, rng, not code.is_python)
        if other is None:
            return None
        name = other
    typed = any(argument.index(":") is not None for argument in parameters) and code.is_python
    has_default = any(argument.index("=") is not None for argument in parameters)
    value = ""
    changes: list[tuple[int, int, str]] = []
    if with_calls and not has_default and _is_unique(file, function):
        own = int(bool(parameters) and parameters[0].name in ("self", "cls"))
        calls = _simple_calls(code, function, len(parameters) - own)
        if calls and len(parameters) > own and all(len(call) == len(parameters) - own for call in calls):
            value = default
            changes += [(call[-1].stop, call[-1].stop, f", {value}") for call in calls]
    hint = f": {annotation}" if typed else ""
    equals = "" if value else f" = {default}" if typed or not code.is_python else f"={default}"
    changes.append(_insertion(code, function, parameters, name + hint + equals))
    return file.called(function), name, default, value, replaced(code.text, changes)


def _insertion(code: Code, function: Function, parameters: tuple[Argument, ...], new: str) -> tuple[int, int, str]:
    if not parameters:
        return (function.opening + 1, function.closing, new)
    last = parameters[-1]
    line = code.lines[code.line_at(last.start)]
    if line.text[: last.start - line.start].strip():
        return (last.stop, last.stop, f", {new}")
    comma = code.at(last.stop)
    if code.token(comma) == ",":  # a trailing comma, and a line for each parameter
        return (code.tokens[comma].stop, code.tokens[comma].stop, f"\n{line.indent}{new},")
    return (last.stop, last.stop, f",\n{line.indent}{new}")


def _simple_calls(code: Code, function: Function, least: int) -> list[tuple[Argument, ...]] | None:
    """The arguments of all calls; None where one is not given by position, or the function is used in other ways."""
    calls = []
    openings = list(code.calls(function.name))
    for opening in openings:
        arguments = code.arguments(opening)
        names = {token.start for argument in arguments[:least] for token in argument.tokens[:1]}
        if len(arguments) < least or any(_is_rest(argument) for argument in arguments):
            return None
        if any(code.is_keyword_argument(code.at(start)) for start in names):
            return None
        calls.append(arguments)
    uses = sum(token.text == function.name and token.kind == "name" for token in code.tokens)
    return calls if uses == len(openings) + 1 else None


def _is_rest(argument: Argument) -> bool:
    return argument.tokens[0].text in ("*", "**", "...", "/", "{", "[")


def _is_unique(file: SourceFile, function: Function) -> bool:
    return sum(function.name == other.name for other in file.functions) == 1


def _swap(code: Code, first: Argument, second: Argument) -> list[tuple[int, int, str]]:
    one, two = code.text[first.start : first.stop], code.text[second.start : second.stop]
    return [(first.start, first.stop, two), (second.start, second.stop, one)]
