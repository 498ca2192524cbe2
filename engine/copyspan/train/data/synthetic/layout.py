"""Edits of how brackets are laid out: one line to one entry a line, and back; keys in order."""

import re
from random import Random

from copyspan.train.data.synthetic.code import Code, replaced
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.wording import Name, word

_SPREAD = (
    "Put each {entry} of {what} on a line of its own",
    "Spread {what} over several lines, one {entry} a line",
    "Break {what} into one {entry} per line",
    "Format {what} with one {entry} a line and a trailing comma",
    "{what} is too long, one {entry} a line please",
)
_JOIN = (
    "Put {what} on one line",
    "Join {what} into a single line",
    "Write {what} on one line, it is short enough",
    "Collapse {what} to one line",
)
_SORT = (
    "Sort the {entry}s of {what}",
    "Sort the {entry}s of {what} alphabetically",
    "Put the {entry}s of {what} into alphabetical order",
    "Order {what} by {entry}",
)


def spread_brackets(file: SourceFile, rng: Random) -> Edit | None:
    """One line becomes one entry a line."""
    code = file.code
    if code is None:
        return None
    places = [
        i
        for i, closing in code.matching.items()
        if i < closing
        and "\n" not in code.text[code.tokens[i].start : code.tokens[closing].stop]
        and len(code.arguments(i)) > 1
        and _name(code, i)
        and code.lines[code.line_at(code.tokens[i].start)].is_whole
    ]
    if not places:
        return None
    i = rng.choice(places)
    text, entry = _name(code, i) or ("", "")
    entries = code.arguments(i)
    if any(argument.tokens[0].text in ("for", "*", "**") or argument.index("for") is not None for argument in entries):
        return None
    line = code.lines[code.line_at(code.tokens[i].start)]
    inner = line.indent + _unit(code)
    body = "".join(f"{inner}{code.text[argument.start : argument.stop]},\n" for argument in entries)
    if any(argument.tokens[0].text == "..." for argument in entries) or "for" in {
        token.text for argument in entries for token in argument.tokens
    }:
        return None
    closing = code.tokens[code.matching[i]]
    after = replaced(code.text, [(code.tokens[i].stop, closing.start, f"\n{body}{line.indent}")])
    return Edit(word(rng, _SPREAD, what=text, entry=entry), code.text, after)


def join_brackets(file: SourceFile, rng: Random) -> Edit | None:
    """One entry a line becomes one line, where that has room for it."""
    code = file.code
    if code is None:
        return None
    places = []
    for i, closing in code.matching.items():
        if i > closing or not _name(code, i):
            continue
        inside = code.text[code.tokens[i].stop : code.tokens[closing].start]
        is_spread = inside.startswith("\n") and inside.rstrip(" \t").endswith("\n")
        kinds = {token.kind for token in code.tokens[i : closing + 1]}
        if is_spread and "comment" not in kinds and inside.count("\n") == len(code.arguments(i)) + 1:
            places.append(i)
    if not places:
        return None
    i = rng.choice(places)
    what, _ = _name(code, i) or ("", "")
    end = code.tokens[code.matching[i]].start
    joined = ", ".join(code.text[argument.start : argument.stop] for argument in code.arguments(i))
    if "\n" in joined or not joined:
        return None
    pad = " " if code.token(i) == "{" and not code.is_python else ""
    after = replaced(code.text, [(code.tokens[i].stop, end, f"{pad}{joined}{pad}")])
    line = after[code.tokens[i].start :].split("\n")[0]
    if len(line) > 90:
        return None
    return Edit(word(rng, _JOIN, what=what), code.text, after)


def sort_entries(file: SourceFile, rng: Random) -> Edit | None:
    """Sort entries that stand on a line each, by their first word. The entries may be shuffled for it."""
    code = file.code
    if code is None:
        return None
    places = []
    for i, closing in code.matching.items():
        if i < closing and code.token(i) in ("[", "{") and _name(code, i):
            lines = code.lines_within(code.tokens[i].stop, code.tokens[closing].start)
            lines = [
                line for line in lines if line.start > code.tokens[i].start and line.stop <= code.tokens[closing].start
            ]
            texts = [line.content for line in lines]
            is_plain = all(re.fullmatch(r"['\"]?[\w.$-]+['\"]?(?:\s*:\s*[^{\[(]+)?,", text) for text in texts)
            if len(texts) > 2 and is_plain and len(set(texts)) == len(texts):
                places.append((i, lines))
    if not places:
        return None
    i, lines = rng.choice(places)
    what, entry = _name(code, i) or ("", "")
    texts = [line.text for line in lines]
    ordered = sorted(texts, key=lambda text: re.sub(r"['\"]", "", text.strip()).split(":")[0].lower())
    shuffled = rng.sample(texts, len(texts)) if rng.random() < 0.6 else texts
    span = (lines[0].start, lines[-1].stop)
    before, after = (
        replaced(code.text, [(*span, "".join(f"{text}\n" for text in order))]) for order in (shuffled, ordered)
    )
    return Edit(word(rng, _SORT, what=what, entry=entry), before, after)


def _name(code: Code, opening: int) -> tuple[Name, str] | None:
    """What a bracket and its contents are called, and what an entry of it is; None where that is not unique."""
    before, mark = code.token(opening - 1), code.token(opening)
    if mark == "(":
        is_definition = code.token(opening - 2) in ("def", "function", "class") or code.token(opening - 1) == "function"
        if opening == 0 or code.tokens[opening - 1].kind != "name" or is_definition:
            return None
        after = code.token(code.matching[opening] + 1)
        if code.token(opening - 2) == "@" or (not code.is_python and after in ("{", "=>")):
            return None
        if sum(code.token(i - 1) == before for i in code.calls(before)) != 1:
            return None
        return Name(f"{before}(...)"), "argument"
    if before in ("=", ":") and opening > 1 and code.tokens[opening - 2].kind in ("name", "string"):
        name = code.token(opening - 2)
        rivals = sum(
            token.text == name and code.token(i + 1) == before and code.token(i + 2) in ("[", "{")
            for i, token in enumerate(code.tokens)
        )
        if rivals == 1 and mark in ("[", "{"):
            is_keyed = any(argument.index(":") is not None for argument in code.arguments(opening))
            return Name(name.strip("'\"")), "key" if is_keyed else "element"
    return None


def _unit(code: Code) -> str:
    """One step of indentation: the smallest that the text has."""
    indents = [line.indent for line in code.lines if line.indent and line.is_whole]
    return min(indents, key=len) if indents else "    "
