"""Edits that put statements into a function: a check at its start, a log line, handling of an error."""

import re
from random import Random

from copyspan.train.data.synthetic.blocks import indented
from copyspan.train.data.synthetic.code import Code, Function, replaced
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.wording import Name, word

_RAISE = (
    "Make {function} raise {error} if {name} {state}",
    "{function} should raise {error} when {name} {state}",
    "Raise {error} at the start of {function} if {name} {state}",
    "In {function}, check {name} first: raise {error} if it {state}",
    "Let {function} fail with {error} if {name} {state}",
)
_RETURN = (
    "Return {result} from {function} at once if {name} {state}",
    "{function} should return {result} early if {name} {state}",
    "Add a guard clause to {function}: if {name} {state}, return {result}",
    "In {function}, return {result} when {name} {state}",
    "Make {function} return {result} if {name} {state}",
)
_LOG = (
    "Log at {level} level that {function} was called",
    "Add a {level} log line at the start of {function}",
    "Let {function} log its call ({level})",
    "{function}: log a {level} message when it starts",
)
_PRINT = (
    "Print the value of {name} at the start of {function}",
    "Add a debug print of {name} to the start of {function}",
    "{function}: print {name} first, for debugging",
)
_TRY = (
    "Catch {error} around the call of {call} in {function} and {action}",
    "Wrap the call of {call} in {function} in a try block; on {error}, {action}",
    "In {function}, handle {error} of {call}: {action}",
    "{function} should survive {error} from {call}: {action}",
)
_ERRORS = ("OSError", "ValueError", "KeyError", "RuntimeError", "TypeError", "Exception")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")


def add_guard(file: SourceFile, rng: Random) -> Edit | None:
    found = _function_with_parameter(file, rng)
    if found is None:
        return None
    code, function, name = found
    python = code.is_python
    state, condition = rng.choice(
        (
            ("is None", f"{name} is None") if python else ("is null", f"{name} === null"),
            ("is empty", f"not {name}") if python else ("is missing", f"!{name}"),
            ("is negative", f"{name} < 0"),
        )
    )
    indent, unit = function.indent, _unit(function, code)
    if rng.random() < 0.5:
        error = rng.choice(("ValueError", "TypeError")) if python else rng.choice(("Error", "TypeError"))
        message = f"{name} must not be {state.removeprefix('is ')}"
        quote = _quote(code)
        action = f"raise {error}({quote}{message}{quote})" if python else f"throw new {error}({quote}{message}{quote})"
        instruction = word(rng, _RAISE, function=Name(file.called(function)), name=Name(name), state=state, error=error)
        if rng.random() < 0.5:
            instruction += f" The message is {quote}{message}{quote}." if instruction[-1:] in ".?" else f": {message}"
    else:
        result = rng.choice(("None", "False", "0", '""') if python else ("null", "false", "undefined", "0"))
        action = f"return {result}"
        instruction = word(
            rng, _RETURN, function=Name(file.called(function)), name=Name(name), state=state, result=result
        )
    new = f"{indent}if {condition}:\n{indent}{unit}{action}\n"
    if not python:
        new = f"{indent}if ({condition}) {{\n{indent}{unit}{action}{_semicolon(code)}\n{indent}}}\n"
    return Edit(instruction, code.text, _at_start(code, function, new))


def add_log(file: SourceFile, rng: Random) -> Edit | None:
    code = file.code
    if code is None or not file.functions:
        return None
    function = rng.choice(file.functions)
    logger = re.search(r"^(\w+)\s*=\s*logging\.getLogger\(", code.text, re.MULTILINE) if code.is_python else None
    if logger or not code.is_python:
        level = rng.choice(("debug", "info") if logger else ("debug", "info", "log"))
        quote = _quote(code)
        what = logger[1] if logger else "console"
        line = f"{function.indent}{what}.{level}({quote}{function.name} called{quote}){_semicolon(code)}\n"
        instruction = word(rng, _LOG, function=Name(file.called(function)), level=level)
    else:
        found = _function_with_parameter(file, rng)
        if found is None:
            return None
        _, function, name = found
        line = f"{function.indent}print({name})\n"
        instruction = word(rng, _PRINT, function=Name(file.called(function)), name=Name(name))
    return Edit(instruction, code.text, _at_start(code, function, line))


def add_error_handling(file: SourceFile, rng: Random) -> Edit | None:
    """A statement that calls something goes into a try block. Its lines are moved in, and nothing else changes."""
    code = file.code
    if code is None or not file.functions:
        return None
    function = rng.choice(file.functions)
    lines = [line for line in code.lines_within(function.code, function.last) if line.is_whole]
    statements = []
    for line in lines:
        match = re.match(r"(?:[\w.]+ = )?(?:await )?([\w.]+)\(.*\);?\Z", line.content)
        if match and "#" not in line.content and "//" not in line.content:
            statements.append((line, match[1], " = " in match[0][: match.start(1)]))
    if not statements:
        return None
    line, call, is_assigned = rng.choice(statements)
    if sum(call == other for _, other, _ in statements) > 1:
        return None
    indent, unit = line.indent, _unit(function, code)
    moved = indented(code.text[line.start : line.stop].removesuffix("\n") + "\n", unit)
    quote = _quote(code)
    message = f"{call} failed"
    if code.is_python:
        error = rng.choice(_ERRORS)
        choices = [("return None", "return None"), ("raise RuntimeError", "raise RuntimeError")]
        if not is_assigned:  # what was to be assigned would be missing
            choices += [("ignore it", "pass"), (f"print {quote}{message}{quote}", f"print({quote}{message}{quote})")]
        action, handler = rng.choice(choices)
        new = f"{indent}try:\n{moved}{indent}except {error}:\n{indent}{unit}{handler}\n"
    else:
        error = "errors"
        said = f"{quote}{message}{quote}"
        choices = [("return null", "return null"), (f"log {said} as an error", f"console.error({said})")]
        action, handler = rng.choice(choices)
        caught = f"{indent}}} catch (error) {{\n{indent}{unit}{handler}{_semicolon(code)}\n{indent}}}\n"
        new = f"{indent}try {{\n{moved}{caught}"
    instruction = word(rng, _TRY, function=Name(file.called(function)), call=Name(call), error=error, action=action)
    return Edit(instruction, code.text, replaced(code.text, [(line.start, line.stop, new)]))


def _function_with_parameter(file: SourceFile, rng: Random) -> tuple[Code, Function, str] | None:
    code = file.code
    if code is None or not file.functions:
        return None
    function = rng.choice(file.functions)
    names = [argument.name for argument in code.parameters(function) if _IDENTIFIER.match(argument.name)]
    names = [name for name in names if name not in ("self", "cls")]
    return (code, function, rng.choice(names)) if names else None


def _at_start(code: Code, function: Function, lines: str) -> str:
    return replaced(code.text, [(function.code, function.code, lines)])


def _unit(function: Function, code: Code) -> str:
    """One step of indentation, as the function has it."""
    outer = code.lines[code.line_at(function.start)].indent
    return function.indent.removeprefix(outer) or "    "


def _quote(code: Code) -> str:
    return '"' if code.text.count('"') >= code.text.count("'") else "'"


def _semicolon(code: Code) -> str:
    return "" if code.is_python or code.text.count(";\n") * 8 < code.text.count("\n") else ";"
