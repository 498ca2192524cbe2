"""New names for old ones: a word of the name replaced, or one added, in the style that the name has."""

import re
from random import Random

_SYNONYMS = (
    ("get", "fetch", "load", "read"),
    ("set", "update", "assign"),
    ("make", "build", "create"),
    ("data", "payload", "content", "records"),
    ("result", "outcome", "output", "answer"),
    ("value", "item", "entry", "element"),
    ("values", "items", "entries", "elements"),
    ("name", "label", "title"),
    ("key", "identifier", "token"),
    ("path", "location", "filename"),
    ("file", "document", "handle"),
    ("count", "total", "number", "amount"),
    ("index", "position", "offset"),
    ("list", "sequence", "collection"),
    ("config", "settings", "options"),
    ("args", "arguments", "parameters"),
    ("func", "function", "callback"),
    ("msg", "message", "text"),
    ("err", "error", "failure"),
    ("req", "request"),
    ("res", "response", "reply"),
    ("url", "address", "link"),
    ("start", "begin", "first"),
    ("end", "stop", "last"),
    ("parse", "read", "interpret"),
    ("check", "validate", "verify"),
    ("is", "has", "can"),
    ("add", "append", "insert"),
    ("remove", "delete", "drop"),
    ("find", "search", "locate"),
    ("send", "dispatch", "submit"),
    ("handler", "listener", "receiver"),
    ("node", "vertex", "element"),
    ("user", "account", "member"),
    ("line", "row"),
    ("lines", "rows"),
    ("text", "content", "body"),
    ("size", "length", "width"),
    ("max", "upper", "limit"),
    ("min", "lower"),
    ("tmp", "temporary", "scratch"),
    ("obj", "instance", "target"),
    ("cls", "klass"),
    ("default", "fallback"),
    ("write", "store", "save"),
    ("run", "execute", "start"),
    ("old", "previous"),
    ("new", "fresh", "next"),
)
_BEFORE = ("new", "base", "raw", "inner", "current", "parsed", "known", "main")
_AFTER = ("value", "info", "data", "entry", "target", "spec", "state", "item")
_SHORT = ("first", "index", "item", "value", "current", "part", "number", "element", "entry", "token", "field", "other")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]+")


def is_structured(name: str) -> bool:
    """Whether the name can be no word of a language: it has an underscore, a digit, or a capital inside."""
    return bool(re.search(r"\w_\w|[a-z][A-Z]|\d", name))


def new_name(old: str, taken: frozenset[str], rng: Random, is_script: bool) -> str | None:
    """Another name in the style of the old one; None where each that comes to mind is taken."""
    body = old.strip("_$")
    words = _WORDS.findall(body)
    if not words or "".join(words).lower() != body.replace("_", "").lower():
        return None
    lowered = [found.lower() for found in words]
    for _ in range(8):
        changed = _changed(lowered, rng)
        name = old.replace(body, _styled(changed, body, is_script), 1)
        if name not in taken and name != old:
            return name
    return None


def _changed(words: list[str], rng: Random) -> list[str]:
    places = [(i, group) for i, found in enumerate(words) for group in _SYNONYMS if found in group]
    if places and rng.random() < 0.75:
        i, group = rng.choice(places)
        return [*words[:i], rng.choice([other for other in group if other != words[i]]), *words[i + 1 :]]
    if len(words) == 1 and len(words[0]) <= 3:
        return [rng.choice(_SHORT)] if rng.random() < 0.7 else [rng.choice(_SHORT), rng.choice(_AFTER)]
    if len(words) > 2 and rng.random() < 0.4:
        drop = rng.randrange(1, len(words))
        return words[:drop] + words[drop + 1 :]
    return [rng.choice(_BEFORE), *words] if rng.random() < 0.5 else [*words, rng.choice(_AFTER)]


def _styled(words: list[str], like: str, is_script: bool) -> str:
    if like.isupper() and len(like) > 1:
        return "_".join(words).upper()
    if like[0].isupper():
        return "".join(word.capitalize() for word in words)
    if "_" in like or (not is_script and not re.search(r"[a-z][A-Z]", like)):
        return "_".join(words)
    return words[0] + "".join(word.capitalize() for word in words[1:])
