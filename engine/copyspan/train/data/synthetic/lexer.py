"""Tokens of Python and JavaScript, good enough to tell code from strings and comments. Knows no grammar.

An f-string or a template is several tokens: its texts, braces included, are strings; the expressions between them are
tokens like any others.
"""

import keyword
import re
from dataclasses import dataclass
from typing import Literal

TokenKind = Literal["name", "keyword", "number", "string", "comment", "regex", "operator"]

PYTHON_KEYWORDS = frozenset(keyword.kwlist)
SCRIPT_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        "await break case catch class const continue debugger default delete do else export extends false finally for "
        "function if import in instanceof let new null return super switch this throw true try typeof undefined var "
        "void while with yield async of static",
    )
)
_PYTHON = re.compile(
    r"""(?P<space>[ \t\f\n]+|\\\n)
    |(?P<comment>\#[^\n]*)
    |(?P<string>(?:[rRbBuUfF]|[rR][bBfF]|[bBfF][rR])?
        (?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<number>(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?)[jJ]?)
    |(?P<name>[^\W\d]\w*)
    |(?P<operator>\*\*=|//=|>>=|<<=|\.\.\.|[-+*/%@&|^]=|->|:=|==|!=|<=|>=|\*\*|//|<<|>>|[-+*/%@&|^~<>()\[\]{},:;.=!])
    """,
    re.VERBOSE | re.DOTALL,
)
_SCRIPT = re.compile(
    r"""(?P<space>\s+)
    |(?P<comment>//[^\n]*|/\*.*?\*/|\A\#![^\n]*)
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<number>0[xXoObB][\da-fA-F_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?n?)
    |(?P<name>[\#@]?[^\W\d]?[\w$]+)
    |(?P<operator>>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--
        |[-+*/%&|^]=|\*\*|<<|>>|[-+*/%&|^~<>()\[\]{},:;.=!?@])
    """,
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?![/*])(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
_QUOTES = re.compile(r"\"{3}|'{3}|\"|'")


class LexError(ValueError):
    """The text is not of the language, or uses what this lexer does not know."""


@dataclass(frozen=True, slots=True)
class Token:
    """text[start:stop] of a document."""

    kind: TokenKind
    text: str
    start: int

    @property
    def stop(self) -> int:
        return self.start + len(self.text)


def python_tokens(text: str, start: int = 0, stop: int | None = None) -> list[Token]:
    """The tokens of Python source, without white space. Raises LexError."""
    tokens: list[Token] = []
    at, end = start, len(text) if stop is None else stop
    while at < end:
        match = _PYTHON.match(text, at, end)
        if match is None:
            raise LexError(f"no Python at {at}")
        found = match[0]
        if match.lastgroup == "string" and "f" in found[: _QUOTES.search(found).start()].lower():  # type: ignore[union-attr]
            tokens += _formatted(text, at, match.end())
        elif match.lastgroup != "space":
            tokens.append(_token(match, PYTHON_KEYWORDS))
        at = match.end()
    return tokens


def script_tokens(text: str) -> list[Token]:
    """The tokens of JavaScript or TypeScript, without white space. Raises LexError; JSX is not known."""
    tokens: list[Token] = []
    _script(text, 0, tokens, in_template=False)
    return tokens


def _script(text: str, at: int, tokens: list[Token], *, in_template: bool) -> int:
    """Read tokens up to the end, or up to the brace that closes an expression of a template."""
    depth = 0
    while at < len(text):
        if text[at] == "`":
            at = _template(text, at, tokens)
            continue
        if text[at] == "/" and _regex_may_follow(tokens) and (regex := _REGEX.match(text, at)):
            tokens.append(Token("regex", regex[0], at))
            at = regex.end()
            continue
        match = _SCRIPT.match(text, at)
        if match is None:
            raise LexError(f"no JavaScript at {at}")
        if match[0] == "}" and depth == 0 and in_template:
            return at
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if match.lastgroup != "space":
            tokens.append(_token(match, SCRIPT_KEYWORDS))
        at = match.end()
    return at


def _template(text: str, start: int, tokens: list[Token]) -> int:
    at = start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == "`":
            tokens.append(Token("string", text[start : at + 1], start))
            return at + 1
        elif text.startswith("${", at):
            tokens.append(Token("string", text[start : at + 2], start))
            start = _script(text, at + 2, tokens, in_template=True)
            at = start + 1
        else:
            at += 1
    raise LexError(f"the template at {start} does not end")


def _regex_may_follow(tokens: list[Token]) -> bool:
    """Whether a slash starts a regular expression here, and divides nothing."""
    last = next((token for token in reversed(tokens) if token.kind != "comment"), None)
    if last is None:
        return True
    if last.kind == "keyword":
        return last.text not in {"this", "super", "null", "true", "false", "undefined"}
    return last.kind == "operator" and last.text not in {")", "]", "}", "++", "--"}


def _formatted(text: str, start: int, stop: int) -> list[Token]:
    """The tokens of an f-string: its texts, and between them those of its expressions."""
    quotes = _QUOTES.search(text, start)
    assert quotes is not None
    tokens: list[Token] = []
    at, piece, end = quotes.end(), start, stop - len(quotes[0])
    while at < end:
        if text.startswith(("{{", "}}"), at):
            at += 2
        elif text[at] == "{":
            expression = _expression_end(text, at + 1, end)
            tokens.append(Token("string", text[piece : at + 1], piece))
            tokens += python_tokens(text, at + 1, expression)
            piece = expression
            at = _replacement_end(text, expression, end)
        else:
            at += 1
    tokens.append(Token("string", text[piece:stop], piece))
    return tokens


def _expression_end(text: str, at: int, end: int) -> int:
    """Where the expression stops: at its conversion, its format, or its closing brace."""
    depth = 0
    while at < end:
        if text[at] in "'\"":
            at = text.index(text[at], at + 1, end) if text[at] in text[at + 1 : end] else end
        elif text[at] in "([{":
            depth += 1
        elif depth == 0 and (text[at] in "}:" or (text[at] == "!" and text[at + 1] != "=")):
            return at
        elif text[at] in ")]}":
            depth -= 1
        at += 1
    raise LexError(f"an expression of the f-string does not end before {end}")


def _replacement_end(text: str, at: int, end: int) -> int:
    """After the brace that closes a replacement field, from where its expression stops."""
    depth = 1
    while at < end:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
    raise LexError(f"a field of the f-string does not end before {end}")


def _token(match: re.Match[str], keywords: frozenset[str]) -> Token:
    kind = match.lastgroup
    if kind == "name" and match[0] in keywords:
        kind = "keyword"
    return Token(kind, match[0], match.start())  # type: ignore[arg-type]
