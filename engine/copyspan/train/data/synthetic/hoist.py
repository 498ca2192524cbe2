"""Edits that make a function of a method that does not need its object, and adapt its calls. Python alone."""

from random import Random

from copyspan.train.data.synthetic.blocks import dedented, without_block
from copyspan.train.data.synthetic.code import Code, Function, replaced
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.wording import Name, word

_ABOVE = (
    "Make the method {method} of {owner} a function of the module, right above the class, and adapt its calls",
    "Move {method} out of the class {owner}: a top-level function above it, without self",
    "Turn {owner}.{method} into a stand-alone function above the class. Calls of self.{method} become {method}.",
    "{method} does not need self. Make it a top-level function above {owner} and update the calls.",
)
_AT_END = (
    "Make the method {method} of {owner} a function at the end of the module, and adapt its calls",
    "Move {method} out of the class {owner}: a top-level function at the end of the file, without self",
    "Turn {owner}.{method} into a stand-alone function at the end of the file. Update calls of self.{method}.",
    "{method} does not need self. Make it the last function of the file and update the calls.",
)


def hoist_method(file: SourceFile, rng: Random) -> Edit | None:
    code = file.code
    methods = [function for function in file.functions if _can_be_hoisted(code, function)] if code else []
    if code is None or not methods:
        return None
    method = rng.choice(methods)
    calls = [i for i in code.calls(method.name) if code.token(i - 2) == "." and code.token(i - 3) == "self"]
    uses = [token for token in code.tokens if token.text == method.name and token.kind == "name"]
    if len(uses) != len(calls) + 1:
        return None
    block = _as_function(code, method)
    changes = [(code.tokens[i - 3].start, code.tokens[i - 1].start, "") for i in calls]
    if block is None or any(method.lead <= start < method.stop for start, _, _ in changes):
        return None
    mark = "\0"
    marked = replaced(code.text, [*changes, (method.lead, method.lead, mark)])
    start = marked.index(mark)
    rest = without_block(marked.replace(mark, ""), start, start + method.stop - method.lead)
    if rng.random() < 0.5:
        return _edit(rng, _ABOVE, method, code.text, _above_class(rest, method.owner, block))
    return _edit(rng, _AT_END, method, code.text, rest.rstrip("\n") + "\n\n\n" + block)


def _edit(rng: Random, templates: tuple[str, ...], method: Function, before: str, after: str | None) -> Edit | None:
    instruction = word(rng, templates, method=Name(method.name), owner=Name(method.owner))
    return Edit(instruction, before, after) if after else None


def _can_be_hoisted(code: Code, function: Function) -> bool:
    """Whether it is a plain method that uses neither its object nor its class."""
    parameters = code.parameters(function)
    words = {code.token(i) for i in code.within(function.body, function.last)}
    is_plain = bool(function.owner and parameters) and parameters[0].name == "self" and function.name[:2] != "__"
    return is_plain and not words & {"self", "super", "__class__"} and code.text[function.start :].lstrip()[0] != "@"


def _as_function(code: Code, method: Function) -> str | None:
    """The method's text at the margin, without its first parameter."""
    first, *others = code.parameters(method)
    stop = others[0].start if others else method.closing
    text = code.text[method.lead : method.stop]
    block = dedented(replaced(text, [(first.start - method.lead, stop - method.lead, "")]))
    return block if block and block.endswith("\n") else None


def _above_class(text: str, owner: str, block: str) -> str | None:
    lines = text.split("\n")
    place = next((i for i, line in enumerate(lines) if line.startswith((f"class {owner}(", f"class {owner}:"))), None)
    if place is None:
        return None
    while place and lines[place - 1].startswith(("@", "#")) and not lines[place - 1].startswith("#!"):
        place -= 1
    return "\n".join([*lines[:place], *block.rstrip("\n").split("\n"), "", "", *lines[place:]])
