"""Edits of documentation strings and comments: written, removed, put into another form."""

import re
from random import Random

from copyspan.train.data.synthetic.code import Function, replaced
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.wording import Name, word

_WRITE = (
    "Add a {what} to {function}",
    "Write a {what} for {function}",
    "Document {function}",
    "{function} has no {what}, write one",
    "add a {what} to {function}",
)
_WRITE_TEXT = (
    'Add the {what} "{text}" to {function}',
    'Document {function}: "{text}"',
    "Add a {what} to {function} that says: {text}",
    "{function} needs a {what}: {text}",
)
_REMOVE = (
    "Remove the {what} of {function}",
    "Delete the {what} of {function}",
    "Drop the {what} from {function}",
    "{function} needs no {what}, remove it",
)
_UNCOMMENT = (
    "Remove all comments from {function}",
    "Delete the comments in {function}",
    "Strip the comments out of {function}",
    "{function}: remove the comments",
)
_COMMENT = (
    'Add the comment "{text}" above the line that starts with {line}',
    "Put a comment above {line}: {text}",
    "Comment {line} in {function} with: {text}",
)
_SPREAD = (
    "Put the docstring of {function} on lines of its own, with the quotes on lines of their own",
    "Make the one-line docstring of {function} a multi-line one",
    "Spread the docstring of {function} over several lines",
)
_JOIN = (
    "Put the docstring of {function} on one line",
    "Make the docstring of {function} a one-liner",
    "Collapse the docstring of {function} into one line",
)
_DOC = re.compile(r'([ \t]*)[rR]?("""|\'\'\')(.*?)\2[ \t]*\n\Z', re.DOTALL)


def write_documentation(file: SourceFile, rng: Random) -> Edit | None:
    found = _documented(file, rng)
    if found is None:
        return None
    function, start, stop, what, text = found
    fields = {"what": what, "function": Name(file.called(function)), "text": text}
    is_told = text and len(text) < 100 and rng.random() < 0.6
    instruction = word(rng, _WRITE_TEXT if is_told else _WRITE, **fields)
    return Edit(instruction, file.text[:start] + file.text[stop:], file.text)


def remove_documentation(file: SourceFile, rng: Random) -> Edit | None:
    found = _documented(file, rng)
    if found is None:
        return None
    function, start, stop, what, _ = found
    instruction = word(rng, _REMOVE, what=what, function=Name(file.called(function)))
    return Edit(instruction, file.text, file.text[:start] + file.text[stop:])


def reshape_documentation(file: SourceFile, rng: Random) -> Edit | None:
    """One line to several, and back. Python alone."""
    documented = [f for f in file.functions if f.code > f.body] if file.lang == "python" else []
    if not documented:
        return None
    function = rng.choice(documented)
    match = _DOC.match(file.text[function.body : function.code].rstrip() + "\n")
    if match is None or not match[3].strip():
        return None
    indent, quotes, text = match[1], match[2], match[3]
    lines = [line.strip() for line in text.strip().split("\n")]
    if len(lines) != 1:
        return None
    new, templates = f"{indent}{quotes}{lines[0]}{quotes}\n", _JOIN
    if "\n" not in text:
        new, templates = f"{indent}{quotes}\n{indent}{lines[0]}\n{indent}{quotes}\n", _SPREAD
    after = replaced(file.text, [(function.body, function.body + len(match[0]), new)])
    return Edit(word(rng, templates, function=Name(file.called(function))), file.text, after)


def remove_comments(file: SourceFile, rng: Random) -> Edit | None:
    code = file.code
    if code is None or not file.functions:
        return None
    function = rng.choice(file.functions)
    changes = []
    for i in code.within(function.body, function.last):
        token = code.tokens[i]
        if token.kind == "comment" and not re.match(
            r"#\s*(?:noqa|type:|pragma|pylint)|//\s*@|/\*\s*eslint", token.text
        ):
            line = code.lines[code.line_at(token.start)]
            before = code.text[line.start : token.start]
            if "\n" in token.text or token.stop < line.start + len(line.text.rstrip()):
                return None
            alone = not before.strip()
            changes.append(
                (line.start, line.stop, "") if alone else (line.start + len(before.rstrip()), token.stop, "")
            )
    if not changes:
        return None
    return Edit(word(rng, _UNCOMMENT, function=Name(file.called(function))), code.text, replaced(code.text, changes))


def add_comment(file: SourceFile, rng: Random) -> Edit | None:
    """The way back from a comment of one line that was taken out."""
    code = file.code
    if code is None:
        return None
    mark = "#" if code.is_python else "//"
    lines = code.lines
    places = [
        (i, function)
        for function in file.functions
        for i in range(code.line_at(function.body), code.line_at(function.last - 1))
        if lines[i].content.startswith(mark + " ")
        and not lines[i + 1].content.startswith(mark)
        and not lines[i - 1].content.startswith(mark)
        and lines[i + 1].content
        and lines[i].is_whole
    ]
    if not places:
        return None
    i, function = rng.choice(places)
    target, comment = lines[i + 1].content, lines[i].content.removeprefix(mark).strip()
    if code.text.count(target) != 1 or len(target) > 80 or len(comment) < 5:
        return None
    instruction = word(rng, _COMMENT, text=comment, line=Name(target), function=function.name)
    return Edit(instruction, replaced(code.text, [(lines[i].start, lines[i].stop, "")]), code.text)


def _documented(file: SourceFile, rng: Random) -> tuple[Function, int, int, str, str] | None:
    """A function with documentation: where that is, what it is called, and its one sentence, if it has one."""
    found = []
    for function in file.functions:
        if file.lang == "python" and function.code > function.body:
            text = file.text[function.body : function.code]
            match = _DOC.match(text.rstrip() + "\n")
            if match and function.code < function.last:
                line = match[3].strip() if "\n" not in match[3].strip() else ""
                found.append((function, function.body, function.body + len(match[0]), "docstring", line))
        elif file.lang != "python" and file.text[function.lead : function.start].lstrip().startswith("/**"):
            text = file.text[function.lead : function.start]
            lines = [line.strip(" \t/*") for line in text.split("\n")]
            words = [line for line in lines if line]
            found.append(
                (function, function.lead, function.start, "JSDoc comment", words[0] if len(words) == 1 else "")
            )
    return rng.choice(found) if found else None
