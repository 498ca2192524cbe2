"""Edits that give an identifier another name: everywhere in the file, or inside of one function.

Names with an underscore or a capital inside are renamed in comments and documentation as well. A name that could be a
word is taken only where no text holds it.
"""

import re
from random import Random

from copyspan.train.data.synthetic.code import Code, Function, replaced
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.names import is_structured, new_name
from copyspan.train.data.synthetic.wording import Name, word

_EVERYWHERE = (
    "Rename {old} to {new}",
    "Rename {old} to {new} everywhere in this file",
    "Rename the {what} {old} to {new}",
    "Rename the {what} {old} to {new}, and adapt every use of it",
    "Give the {what} {old} the name {new}",
    "Change the name of {old} to {new}",
    "Replace the name {old} by {new} throughout the file",
    "Use the name {new} instead of {old}",
    "rename {old} -> {new}",
    "{old} -> {new}",
    "{old} should be called {new}",
)
_LOCAL = (
    "Rename {old} to {new} in {function}",
    "In {function}, rename {old} to {new}",
    "In the function {function}, rename the variable {old} to {new}",
    "Rename the variable {old} of {function} to {new}",
    "Give {old} in {function} the name {new}",
    "in {function}: {old} -> {new}",
    "rename {old} -> {new} in {function}",
    "{old} in {function} should be called {new}",
)
_UNTOUCHED = frozenset({"self", "cls", "this", "_", "__all__", "args", "kwargs", "exports", "module", "constructor"})


def rename_everywhere(file: SourceFile, rng: Random) -> Edit | None:
    code = file.code
    definitions = _definitions(file)
    if code is None or not definitions:
        return None
    old, what = rng.choice(definitions)
    new = new_name(old, code.names, rng, not code.is_python)
    places = _uses(code, old, range(len(code.tokens)), is_method=what == "method")
    if new is None or places is None:
        return None
    after = replaced(code.text, [*_at(code, places, new), *_in_texts(code, range(len(code.tokens)), old, new)])
    return Edit(word(rng, _EVERYWHERE, old=Name(old), new=Name(new), what=what), code.text, after)


def rename_in_function(file: SourceFile, rng: Random) -> Edit | None:
    code = file.code
    if code is None or not file.functions:
        return None
    function = rng.choice(file.functions)
    locals_ = _locals(code, function)
    if not locals_:
        return None
    old = rng.choice(locals_)
    new = new_name(old, code.names, rng, not code.is_python)
    tokens = code.within(function.start, function.stop)
    places = _uses(code, old, tokens, is_method=False)
    if new is None or places is None:
        return None
    after = replaced(code.text, [*_at(code, places, new), *_in_texts(code, tokens, old, new)])
    return Edit(word(rng, _LOCAL, old=Name(old), new=Name(new), function=Name(file.called(function))), code.text, after)


def local_names(code: Code, function: Function) -> list[str]:
    """The names that a function's body binds or takes, in order, each once."""
    found = [argument.name for argument in code.parameters(function) if argument.name]
    for i in code.within(function.body, function.last):
        token, before, after = code.tokens[i], code.token(i - 1), code.token(i + 1)
        if token.kind != "name":
            continue
        is_first = code.text[: token.start].rsplit("\n", 1)[-1].strip() == ""
        binds = (code.is_python and is_first and after == "=") or (before == "for" and after == "in")
        if binds or before in ("let", "const", "var"):
            found.append(token.text)
    return [name for name in dict.fromkeys(found) if name not in _UNTOUCHED]


def _locals(code: Code, function: Function) -> list[str]:
    """Local names that can be renamed without a look beyond the function."""
    tokens = code.within(function.start, function.stop)
    words = {code.token(i) for i in tokens}
    if words & {"global", "nonlocal", "locals", "eval", "class"}:
        return []
    given = {code.token(i) for i in range(len(code.tokens)) if code.is_keyword_argument(i)}
    parameters = {argument.name for argument in code.parameters(function)}
    return [name for name in local_names(code, function) if name not in parameters or name not in given]


def _definitions(file: SourceFile) -> list[tuple[str, str]]:
    """Names that the file defines, each with the word for what it is."""
    code = file.code
    if code is None:
        return []
    found = [(function.name, "method" if function.owner else "function") for function in file.functions]
    for i, token in enumerate(code.tokens):
        at_margin = token.start == 0 or code.text[token.start - 1] == "\n"
        if token.text == "class" and code.tokens[i].kind == "keyword":
            found.append((code.token(i + 1), "class"))
        elif token.text in ("const", "let", "var") and at_margin and code.tokens[i + 1].kind == "name":
            found.append((code.token(i + 1), "variable"))
        elif code.is_python and token.kind == "name" and at_margin and code.token(i + 1) == "=":
            found.append((token.text, "constant" if token.text.isupper() else "variable"))
    names = [(name, what) for name, what in dict.fromkeys(found) if re.fullmatch(r"[^\W\d]\w*", name)]
    counts = {name: sum(name == other for other, _ in names) for name, _ in names}
    return [
        (name, what)
        for name, what in names
        if counts[name] == 1 and name not in _UNTOUCHED and len(name) > 1 and not name.startswith("__")
    ]


def _uses(code: Code, name: str, tokens: range, *, is_method: bool) -> list[int] | None:
    """The tokens that mean the name, or None where that cannot be told."""
    if not is_structured(name) and _is_in_texts(code, name, tokens):
        return None
    found = []
    for i in tokens:
        token, before, after = code.tokens[i], code.token(i - 1), code.token(i + 1)
        if token.kind == "string" and name in token.text and not _is_documentation(token.text):
            if token.text[1:-1] != name and re.search(rf"\b{re.escape(name)}\b", token.text):
                return None
            continue
        if token.kind != "name" or token.text != name:
            continue
        if code.is_keyword_argument(i):
            if is_method:
                return None
            continue
        if before in (".", "?."):
            if not is_method:
                if is_structured(name):
                    return None  # somebody else's attribute, or this name by way of a module
                continue
            if not is_structured(name) and code.token(i - 2) not in ("self", "this", "cls"):
                return None
        around = code.enclosing[i]
        if not code.is_python and around is not None and code.token(around) == "{" and before in ("{", ","):
            if after in (",", "}"):
                return None  # a shorthand is a key and a variable at once
            if after == ":":
                continue
        found.append(i)
    return found if found else None


def _is_documentation(text: str) -> bool:
    return text.startswith(('"""', "'''", 'r"""', "r'''"))


def _is_in_texts(code: Code, name: str, tokens: range) -> bool:
    pattern = re.compile(rf"\b{re.escape(name)}\b")
    kinds = ("string", "comment")
    return any(code.tokens[i].kind in kinds and pattern.search(code.tokens[i].text) for i in tokens)


def _at(code: Code, places: list[int], new: str) -> list[tuple[int, int, str]]:
    return [(code.tokens[i].start, code.tokens[i].stop, new) for i in places]


def _in_texts(code: Code, tokens: range, old: str, new: str) -> list[tuple[int, int, str]]:
    """Changes in comments, in documentation, and of strings that are the name and nothing else."""
    if not is_structured(old):
        return []
    pattern = re.compile(rf"(?<![\w$]){re.escape(old)}(?![\w$])")
    changes = []
    for i in tokens:
        token = code.tokens[i]
        if token.kind in ("string", "comment"):
            for match in pattern.finditer(token.text):
                start = token.start + match.start()
                changes.append((start, start + len(old), new))
    return changes
