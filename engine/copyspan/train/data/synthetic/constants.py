"""Edits that give a name another value: a number, a truth value or a short text."""

from random import Random

from copyspan.train.data.synthetic.code import Code, replaced
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.wording import Name, word

_CHANGE = (
    "Change {name} from {old} to {new}",
    "Set {name} to {new}",
    "Set {name} to {new} instead of {old}",
    "{name} should be {new}",
    "{name} should be {new}, not {old}",
    "Use {new} for {name}",
    "Update the value of {name} to {new}",
    "{name}: {old} -> {new}",
)
_CHANGE_IN = (
    "In {function}, change {name} from {old} to {new}",
    "Set {name} to {new} in {function}",
    "Change {name} in {function} to {new}",
    "{function} should use {new} for {name}",
    "in {function}: {name} {old} -> {new}",
)
_OPPOSITES = {"True": "False", "False": "True", "true": "false", "false": "true"}
_TEXTS = ("default", "utf-8", "latin-1", "main", "debug", "production", "staging", "unknown", "none", "w", "rb", "v2")


def change_constant(file: SourceFile, rng: Random) -> Edit | None:
    code = file.code
    places = _places(code) if code else []
    if code is None or not places:
        return None
    i = rng.choice(places)
    name, old = code.token(i), code.tokens[i + 2]
    new = _other_value(old.text, old.kind, rng)
    if new is None or new == old.text:
        return None
    inside = [function for function in file.functions if function.start <= old.start < function.stop]
    rivals = [j for j in places if code.token(j) == name]
    if len(rivals) > 1:
        near = [j for j in rivals if inside and inside[0].start <= code.tokens[j].start < inside[0].stop]
        if len(near) != 1:
            return None
    templates = _CHANGE_IN if inside and (len(rivals) > 1 or rng.random() < 0.5) else _CHANGE
    fields = {"name": Name(name.strip("'\"")), "old": old.text, "new": new}
    instruction = word(rng, templates, **fields, function=Name(file.called(inside[0]) if inside else ""))
    return Edit(instruction, code.text, replaced(code.text, [(old.start, old.stop, new)]))


def _places(code: Code) -> list[int]:
    """Names and keys that are given a literal, by the number of the token."""
    found = []
    for i in range(len(code.tokens) - 3):
        token, value = code.tokens[i], code.tokens[i + 2]
        names = token.kind == "name" and code.token(i + 1) == "="
        keys = token.kind in ("name", "string") and code.token(i + 1) == ":" and code.token(i - 1) in ("{", ",")
        is_literal = value.kind in ("number", "string") or value.text in _OPPOSITES
        ends = (
            code.token(i + 3) in (",", ")", "}", ";", "]") or "\n" in code.text[value.stop : code.tokens[i + 3].start]
        )
        if (names or keys) and is_literal and ends and len(value.text) < 30 and code.token(i - 1) not in (".", "?."):
            found.append(i)
    return found


def _other_value(old: str, kind: str, rng: Random) -> str | None:
    if old in _OPPOSITES:
        return _OPPOSITES[old]
    if kind == "number":
        return _other_number(old, rng)
    if len(old) < 3 or old[0] != old[-1] or old[0] not in "'\"" or "\\" in old or old[1:-1].count(" ") > 3:
        return None
    body = old[1:-1]
    words = [f"{body}-{rng.choice(('new', 'v2', 'local', 'test'))}", rng.choice(_TEXTS), body.upper(), body.title()]
    return old[0] + rng.choice(words) + old[0]


def _other_number(old: str, rng: Random) -> str | None:
    if old.isdecimal() and not (len(old) > 1 and old[0] == "0"):
        number = int(old)
        return str(rng.choice([number + 1, number * 2, number * 10, number + 5, max(number - 1, 0), number // 2]))
    whole, point, part = old.partition(".")
    if point and whole.isdecimal() and part.isdecimal():
        return f"{int(whole) + rng.choice((0, 1, 2))}.{rng.choice((part + '5', '5', '25', '1'))}"
    return None
