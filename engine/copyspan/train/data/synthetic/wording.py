"""Instructions in many wordings. A template is an imperative sentence without its full stop; fields stand in braces."""

from collections.abc import Sequence
from random import Random


class Name(str):
    """A field that is text of the document, such as an identifier. It may be put between quotes."""

    __slots__ = ()


_QUOTES = (("", 6), ("`", 4), ("'", 1), ('"', 1))
_MANNERS = (
    ("{0}.", 9),
    ("{0}", 5),
    ("{lower}", 6),
    ("Please {lower}.", 2),
    ("please {lower}", 1),
    ("Can you {lower}?", 1),
    ("Could you {lower}, please?", 1),
    ("I want you to {lower}. Leave everything else as it is.", 1),
    ("{0}. Change nothing else.", 1),
)


_NO_VERBS = frozenset({"The", "There", "This", "In", "imports"})
"""Words that start a template which no "please" can stand before."""


def word(rng: Random, templates: Sequence[str], **fields: object) -> str:
    """An instruction of one of the templates, in one of the manners. Terse ones stay as they are."""
    template = rng.choice(templates)
    quote = rng.choices([quote for quote, _ in _QUOTES], [weight for _, weight in _QUOTES])[0]
    filled = {key: f"{quote}{value}{quote}" if isinstance(value, Name) else value for key, value in fields.items()}
    sentence = template.format_map(filled)
    is_terse = "->" in template or template.endswith((":", "?", ".")) or "\n" in sentence
    if is_terse or template.startswith("{"):
        return sentence
    manners = _MANNERS[:2] if template.split()[0] in _NO_VERBS else _MANNERS
    manner = rng.choices([manner for manner, _ in manners], [weight for _, weight in manners])[0]
    return manner.format(sentence, lower=sentence[:1].lower() + sentence[1:])
