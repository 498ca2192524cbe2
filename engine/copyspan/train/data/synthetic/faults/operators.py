"""Faults in expressions: an operator for another, a condition turned around, one too many or too few."""

from collections.abc import Iterator, Mapping

from copyspan.train.data.synthetic.code import Code, Function
from copyspan.train.data.synthetic.faults.changes import Fault, body, is_value_end

_OPERATORS: Mapping[str, tuple[str, ...]] = {
    "<": ("<=", ">"),
    "<=": ("<", ">="),
    ">": (">=", "<"),
    ">=": (">", "<="),
    "==": ("!=",),
    "!=": ("==",),
    "===": ("!==",),
    "!==": ("===",),
    "+": ("-",),
    "-": ("+",),
    "*": ("+", "/"),
    "/": ("*",),
    "//": ("/",),
    "%": ("//",),
    "+=": ("-=", "="),
    "-=": ("+=",),
    "&&": ("||",),
    "||": ("&&",),
    "&": ("|",),
    "|": ("&",),
    "<<": (">>",),
    ">>": ("<<",),
    "and": ("or",),
    "or": ("and",),
}
_ONLY_PYTHON = frozenset({"//"})


def wrong_operator(code: Code, function: Function) -> Iterator[Fault]:
    for i in body(code, function):
        token = code.tokens[i]
        if token.kind not in ("operator", "keyword") or i == 0 or not is_value_end(code, i - 1):
            continue
        is_text = "string" in (code.tokens[i - 1].kind, code.tokens[min(i + 1, len(code.tokens) - 1)].kind)
        if is_text and token.text in ("+", "%", "*"):
            continue  # a text is put together; the fault would be one of types
        for new in _OPERATORS.get(token.text, ()):
            if code.is_python or new not in _ONLY_PYTHON:
                yield Fault(token.start, token.stop, new)


def negated_condition(code: Code, function: Function) -> Iterator[Fault]:
    for i in body(code, function):
        token = code.tokens[i]
        if token.text not in ("if", "elif", "while") or token.kind != "keyword":
            continue
        if code.is_python:
            line = code.lines[code.line_at(token.start)]
            condition = line.text[token.stop - line.start :].strip()
            is_block = line.is_whole and line.text.rstrip().endswith(":") and line.content.startswith(token.text)
            # "not a and b" would negate one half.
            if is_block and not condition.startswith("not ") and not {" and ", " or "} & set(_spaced(condition)):
                yield Fault(token.stop, token.stop, " not")
        elif code.token(i + 1) == "(":
            closing = code.matching[i + 1]
            start, stop = code.tokens[i + 1].stop, code.tokens[closing].start
            text = code.text[start:stop]
            if not text.startswith("!") and i + 3 == closing:
                yield Fault(start, stop, f"!{text}")
            elif not text.startswith("!") and "\n" not in text:
                yield Fault(start, stop, f"!({text})")


def missing_not(code: Code, function: Function) -> Iterator[Fault]:
    for i in body(code, function):
        token = code.tokens[i]
        if token.text == "not":
            # "not in" is taken for one operator, and so is "is not".
            start = code.tokens[i - 1].stop if code.token(i + 1) == "in" else token.start
            yield Fault(start, code.tokens[i + 1].start, " " if code.token(i + 1) == "in" else "")
        elif token.text == "!" and not code.is_python and code.token(i + 1) != "!" and code.token(i - 1) != "!":
            yield Fault(token.start, token.stop, "")


def off_by_one(code: Code, function: Function) -> Iterator[Fault]:
    for i in body(code, function):
        token, next_ = code.token(i), code.token(i + 1)
        if token in ("+", "-") and next_ == "1" and is_value_end(code, i - 1):
            one = code.tokens[i + 1]
            yield Fault(code.tokens[i - 1].stop, one.stop, "")
        elif token == "[" and next_ in ("0", "1") and code.token(i + 2) == "]" and is_value_end(code, i - 1):
            one = code.tokens[i + 1]
            yield Fault(one.start, one.stop, "1" if next_ == "0" else "0")
        elif token == "range" and next_ == "(":
            arguments = code.arguments(i + 1)
            if len(arguments) == 1:
                yield Fault(arguments[0].start, arguments[0].start, "1, ")
            if arguments:
                last = arguments[min(1, len(arguments) - 1)]
                if len(last.tokens) == 1 or last.tokens[-1].text == ")":
                    yield Fault(last.stop, last.stop, " - 1")
                    yield Fault(last.stop, last.stop, " + 1")
        elif next_ == "length" and token == "." and code.token(i + 2) in (";", ")") and not code.is_python:
            yield Fault(code.tokens[i + 1].stop, code.tokens[i + 1].stop, " - 1")


def _spaced(text: str) -> list[str]:
    return [f" {part} " for part in text.split(" ")]
