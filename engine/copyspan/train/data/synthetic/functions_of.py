"""Where the functions of a text are: of Python by its own tree, of scripts by their brackets. Knows no edit.

Only functions whose body stands on lines of its own are found, and no functions inside of functions.
"""

import ast
from collections.abc import Iterator

from copyspan.train.data.synthetic.code import Code, Function, Line, tree

_NO_METHODS = frozenset({"if", "for", "while", "switch", "catch", "with", "function", "return", "await", "super"})


def python_functions(code: Code) -> Iterator[Function]:
    module = tree(code.text)
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found = _python_function(code, node, "")
            if found:
                yield found
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                    found = _python_function(code, inner, node.name)
                    if found:
                        yield found


def script_functions(code: Code) -> Iterator[Function]:
    reached = 0
    for i, token in enumerate(code.tokens):
        if token.text != "{" or i not in code.matching or token.start < reached:
            continue
        found = _script_function(code, i)
        if found:
            reached = found.stop
            yield found


def _python_function(code: Code, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> Function | None:
    lines = code.lines
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
    header = code.at(lines[node.lineno - 1].start)
    opening = next(i for i in range(header, len(code.tokens)) if code.token(i) == "(")
    closing = code.matching[opening]
    around = code.enclosing[opening]
    colon = next(i for i in range(closing, len(code.tokens)) if code.token(i) == ":" and code.enclosing[i] == around)
    header_end = code.line_at(code.tokens[colon].start)
    first_statement = lines[node.body[0].lineno - 1]
    if first_statement.start < code.tokens[colon].stop:
        return None
    statements = node.body
    if _is_documentation(statements[0]):
        statements = statements[1:]
    last = lines[(node.end_lineno or node.lineno) - 1].stop
    return Function(
        name=node.name,
        owner=owner,
        lead=_lead(lines, first, "#"),
        start=lines[first].start,
        opening=code.tokens[opening].start,
        closing=code.tokens[closing].start,
        body=lines[header_end + 1].start,
        code=lines[statements[0].lineno - 1].start if statements else last,
        last=last,
        stop=last,
        indent=first_statement.indent,
    )


def _is_documentation(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _script_function(code: Code, brace: int) -> Function | None:
    """The function whose body token number `brace` opens, where it has a name and stands on lines of its own."""
    named = _script_header(code, brace)
    lines = code.lines
    opening_line = code.line_at(code.tokens[brace].start)
    closing_line = code.line_at(code.tokens[code.matching[brace]].start)
    closing = lines[closing_line]
    if named is None or closing_line - opening_line < 2 or not lines[opening_line].text.endswith("{"):
        return None
    name, parameters, first = named
    start_line = code.line_at(code.tokens[first].start)
    if closing.content not in ("}", "};", "},") or closing.indent != lines[start_line].indent:
        return None
    if not lines[start_line].is_whole and start_line == opening_line and closing.content == "}":
        return None
    body = lines[opening_line + 1]
    return Function(
        name=name,
        owner=_owner(code, brace),
        lead=_lead(lines, start_line, "//", "*", "/*"),
        start=lines[start_line].start,
        opening=code.tokens[parameters].start,
        closing=code.tokens[code.matching[parameters]].start,
        body=body.start,
        code=body.start,
        last=closing.start,
        stop=closing.stop,
        indent=body.indent,
    )


def _script_header(code: Code, brace: int) -> tuple[str, int, int] | None:
    """The name, the bracket of the parameters and the first token of the function that a brace opens."""
    at = brace - 1
    is_arrow = code.token(at) == "=>"
    at -= is_arrow
    while at > 0 and code.token(at) != ")" and code.tokens[at].start > code.tokens[brace].start - 60:
        if code.token(at) in (";", "}", "{", "="):
            return None
        at -= 1  # a type of the result
    if code.token(at) != ")":
        return None
    parameters = code.matching[at]
    before = parameters - 1
    if code.token(before) == "function" or is_arrow:
        before -= code.token(before) == "function"
        before -= code.token(before) == "async"
        if code.token(before) != "=" or code.tokens[before - 1].kind != "name":
            return None
        name = before - 1
    elif code.tokens[before].kind == "name" and code.token(before) not in _NO_METHODS:
        name = before
    else:
        return None
    if code.token(name) == "exports":
        return None  # the module's own export has no name that one could use
    first = name
    line = code.lines[code.line_at(code.tokens[name].start)]
    while first > 0 and code.tokens[first - 1].start >= line.start:
        first -= 1
    is_method = name == before and code.token(name - 1) != "function"
    allowed = {"async", "static", "get", "set", "public", "private", "protected", "readonly"}
    if is_method and any(code.token(i) not in allowed for i in range(first, name)):
        return None
    return code.token(name), parameters, first


def _owner(code: Code, brace: int) -> str:
    """The class around a brace, or ""."""
    around = code.enclosing[brace]
    while around is not None:
        for i in range(around - 1, max(around - 6, -1), -1):
            if code.token(i) == "class":
                return code.token(i + 1)
        around = code.enclosing[around]
    return ""


def _lead(lines: tuple[Line, ...], first: int, *marks: str) -> int:
    """Where the comments right above a line start, which are as far in as it is."""
    at = first
    while at > 0 and lines[at - 1].content.startswith(marks) and not lines[at - 1].content.startswith("#!"):
        at -= 1
    return lines[at].start
