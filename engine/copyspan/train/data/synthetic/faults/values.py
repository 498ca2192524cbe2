"""Faults in what is used: another variable or constant, arguments in the wrong order, a method of another name."""

from collections.abc import Iterator
from itertools import pairwise

from copyspan.train.data.synthetic.code import Code, Function
from copyspan.train.data.synthetic.faults.changes import Fault, body, is_value_end
from copyspan.train.data.synthetic.rename import local_names

_METHODS = (
    ("append", "extend"),
    ("extend", "append"),
    ("min", "max"),
    ("max", "min"),
    ("any", "all"),
    ("all", "any"),
    ("lower", "upper"),
    ("upper", "lower"),
    ("lstrip", "rstrip"),
    ("rstrip", "lstrip"),
    ("startswith", "endswith"),
    ("endswith", "startswith"),
    ("keys", "values"),
    ("values", "keys"),
    ("items", "keys"),
    ("add", "discard"),
    ("split", "rsplit"),
    ("find", "rfind"),
    ("sorted", "list"),
    ("reversed", "list"),
    ("isdigit", "isalpha"),
    ("isupper", "islower"),
    ("append", "insert"),
    ("push", "unshift"),
    ("unshift", "push"),
    ("pop", "shift"),
    ("shift", "pop"),
    ("startsWith", "endsWith"),
    ("endsWith", "startsWith"),
    ("toLowerCase", "toUpperCase"),
    ("toUpperCase", "toLowerCase"),
    ("floor", "ceil"),
    ("ceil", "floor"),
    ("some", "every"),
    ("every", "some"),
    ("map", "filter"),
    ("filter", "map"),
    ("slice", "splice"),
    ("indexOf", "lastIndexOf"),
    ("call", "apply"),
    ("apply", "call"),
    ("isinstance", "issubclass"),
)
_CONSTANTS = {"True": "False", "False": "True", "true": "false", "false": "true", "None": "False", "null": "undefined"}


def wrong_variable(code: Code, function: Function) -> Iterator[Fault]:
    """Another local name in the place of one that is read."""
    names = [name for name in local_names(code, function) if name.isidentifier()]
    for i in body(code, function):
        token, before, after = code.tokens[i], code.token(i - 1), code.token(i + 1)
        is_read = (
            token.text in names
            and token.kind == "name"
            and before not in (".", "?.", "let", "const", "var", "for", "as")
        )
        if not is_read or after in ("=", ":", "=>", "+=", "-=", ":=", ".", "(") or code.is_keyword_argument(i):
            continue
        if before in ("{", ",") and after in (",", "}") and not code.is_python:
            continue
        yield from (Fault(token.start, token.stop, name) for name in names if name != token.text)


def wrong_constant(code: Code, function: Function) -> Iterator[Fault]:
    for i in body(code, function):
        token = code.tokens[i]
        if token.text in _CONSTANTS and code.token(i - 1) not in ("is", "not"):
            yield Fault(token.start, token.stop, _CONSTANTS[token.text])
        elif token.kind == "number" and token.text.isdecimal() and len(token.text) < 4 and code.token(i - 1) != "[":
            number = int(token.text)
            yield from (
                Fault(token.start, token.stop, str(other))
                for other in {number + 1, abs(number - 1), number * 2} - {number}
            )
        elif token.text in ('""', "''") and code.token(i - 1) in ("=", "return", "("):
            yield Fault(token.start, token.stop, f"{token.text[0]} {token.text[0]}")


def swapped_arguments(code: Code, function: Function) -> Iterator[Fault]:
    for i in body(code, function):
        is_call = code.token(i) == "(" and i and code.tokens[i - 1].kind == "name" and code.token(i - 2) != "def"
        if not is_call or (not code.is_python and code.token(code.matching[i] + 1) in ("{", "=>")):
            continue
        arguments = code.arguments(i)
        for first, second in pairwise(arguments):
            tokens = (first.tokens[0], second.tokens[0])
            if any(
                code.is_keyword_argument(code.at(token.start)) or token.text in ("*", "**", "...") for token in tokens
            ):
                continue
            one, two = code.text[first.start : first.stop], code.text[second.start : second.stop]
            if "\n" not in one + two and one != two and "for" not in {token.text for token in first.tokens}:
                yield Fault(first.start, second.stop, two + code.text[first.stop : second.start] + one)


def wrong_method(code: Code, function: Function) -> Iterator[Fault]:
    for i in body(code, function):
        token = code.tokens[i]
        if token.kind == "name" and code.token(i + 1) == "(" and code.token(i - 1) not in ("def", "function"):
            yield from (Fault(token.start, token.stop, new) for old, new in _METHODS if old == token.text)


def wrong_order(code: Code, function: Function) -> Iterator[Fault]:
    """The operands of a subtraction, a division or a comparison the other way round."""
    for i in body(code, function):
        if code.token(i) in ("-", "/", "//", "%", "<", ">", "<=", ">=") and 0 < i < len(code.tokens) - 1:
            left, right = code.tokens[i - 1], code.tokens[i + 1]
            alone = code.token(i - 2) not in (".", "?.", "*", "/", "%", "+", "-", "not", "is")
            ends = code.token(i + 2) not in (".", "?.", "(", "[", "*", "/", "%")
            kinds = {left.kind, right.kind} <= {"name", "number"} and is_value_end(code, i - 1)
            if alone and ends and kinds and left.text != right.text:
                middle = code.text[left.stop : right.start]
                yield Fault(left.start, right.stop, right.text + middle + left.text)
