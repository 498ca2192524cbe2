"""Source code as tokens, lines and functions: what makers look at. Knows no edit."""

import ast
import json
import re
import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from copyspan.train.data.synthetic.lexer import LexError, Token, python_tokens, script_tokens

SCRIPTS = frozenset({"javascript", "typescript"})
_OPEN = {"(": ")", "[": "]", "{": "}"}
_LEADS = re.compile(r"[,.?:*%&|<>=]|[-+](?![-+])|/(?![/*])|in\b|instanceof\b")
_TRAILS = re.compile(r"(?:[=,?:&|<%]|(?<![-+])[-+]|=>|\b(?:return|in|instanceof))\s*\Z")
"""How a line of a script starts, or the one above it ends, where a statement goes on."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text; `stop` is after its newline."""

    start: int
    stop: int
    text: str
    """Without the newline."""
    is_whole: bool
    """Whether no bracket and no string reaches over its ends; braces of blocks do not count."""

    @property
    def indent(self) -> str:
        return self.text[: len(self.text) - len(self.text.lstrip(" \t"))]

    @property
    def content(self) -> str:
        return self.text.strip()


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of a function, or an argument of a call: tokens first..last-1."""

    tokens: tuple[Token, ...]

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def stop(self) -> int:
        return self.tokens[-1].stop

    @property
    def name(self) -> str:
        """The parameter's name; what is spread or taken apart has none."""
        return self.tokens[0].text if self.tokens[0].kind == "name" else ""

    @property
    def is_plain(self) -> bool:
        """A name without default and annotation."""
        return len(self.tokens) == 1 and bool(self.name)

    def index(self, operator: str) -> int | None:
        """Where an operator stands in it, outside of brackets."""
        depth = 0
        for i, token in enumerate(self.tokens):
            if token.kind == "operator":
                if token.text == operator and depth == 0:
                    return i
                depth += (token.text in _OPEN) - (token.text in _OPEN.values())
        return None


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a module, or a method of a class. Positions are starts of lines, but for those of brackets."""

    name: str
    owner: str
    """The class, or "". """
    lead: int
    """With the comments above it."""
    start: int
    """With its decorators."""
    opening: int
    """Of the bracket that opens its parameters."""
    closing: int
    body: int
    """After its header."""
    code: int
    """Of its first statement after the documentation string."""
    last: int
    """After its last statement."""
    stop: int
    indent: str
    """Of its body."""


@dataclass(frozen=True)
class Code:
    """Text of a language that makers understand. Only `parse` makes one."""

    text: str
    lang: str
    tokens: tuple[Token, ...]
    matching: dict[int, int]
    """From the number of a token that is a bracket to that of the one that closes or opens it."""

    @property
    def is_python(self) -> bool:
        return self.lang == "python"

    @cached_property
    def starts(self) -> tuple[int, ...]:
        return tuple(token.start for token in self.tokens)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines; an empty one after a final newline is none."""
        open_at = _covered(self)
        texts = self.text.split("\n")
        lines, at = [], 0
        for i, text in enumerate(texts):
            stop = min(at + len(text) + 1, len(self.text))
            above, below = texts[i - 1] if i else "", texts[i + 1] if i + 1 < len(texts) else ""
            goes_on = self._goes_on(above, text) or self._goes_on(text, below)
            if at < stop:
                lines.append(Line(at, stop, text, at not in open_at and stop not in open_at and not goes_on))
            at = stop
        return tuple(lines)

    def _goes_on(self, line: str, below: str) -> bool:
        """Whether a statement reaches from a line to the one below without a bracket."""
        if self.is_python:
            return line.endswith("\\")
        return bool(_LEADS.match(below.lstrip()) or _TRAILS.search(line))

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        return tuple(line.start for line in self.lines)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(token.text for token in self.tokens if token.kind in ("name", "keyword"))

    @cached_property
    def enclosing(self) -> tuple[int | None, ...]:
        """For every token the number of the innermost bracket around it."""
        found: list[int | None] = []
        stack: list[int] = []
        for i in range(len(self.tokens)):
            if i in self.matching and self.matching[i] < i:
                stack.pop()
            found.append(stack[-1] if stack else None)
            if i in self.matching and self.matching[i] > i:
                stack.append(i)
        return tuple(found)

    def at(self, position: int) -> int:
        """The number of the first token that starts at the position or after it."""
        return bisect_left(self.starts, position)

    def within(self, start: int, stop: int) -> range:
        """The numbers of the tokens that start in start..stop-1."""
        return range(self.at(start), self.at(stop))

    def lines_within(self, start: int, stop: int) -> list[Line]:
        first, last = (bisect_left(self.line_starts, position) for position in (start, stop))
        return list(self.lines[first:last])

    def line_at(self, position: int) -> int:
        """The number of the line that holds the position."""
        return max(0, bisect_left(self.line_starts, position + 1) - 1)

    def token(self, number: int) -> str:
        """The text of a token; "" beyond the ends."""
        return self.tokens[number].text if 0 <= number < len(self.tokens) else ""

    def arguments(self, opening: int) -> tuple[Argument, ...]:
        """What stands between commas in the brackets that token number `opening` opens."""
        parts: list[list[Token]] = [[]]
        closing = self.matching[opening]
        for i in range(opening + 1, closing):
            if self.tokens[i].text == "," and self.enclosing[i] == opening:
                parts.append([])
            elif self.tokens[i].kind != "comment":
                parts[-1].append(self.tokens[i])
        return tuple(Argument(tuple(part)) for part in parts if part)

    def parameters(self, function: Function) -> tuple[Argument, ...]:
        return self.arguments(self.at(function.opening))

    def calls(self, name: str) -> Iterator[int]:
        """The numbers of the brackets that open a call of the name; definitions are none."""
        for i, token in enumerate(self.tokens):
            if token.text == name and token.kind == "name" and self.token(i + 1) == "(":
                closing = self.matching[i + 1]
                is_method = not self.is_python and self.token(closing + 1) == "{" and self.token(i - 1) != "new"
                if self.token(i - 1) not in ("def", "function") and not is_method:
                    yield i + 1

    def is_keyword_argument(self, number: int) -> bool:
        """Whether the name is that of a parameter that a call is given."""
        around = self.enclosing[number]
        if not self.is_python or self.token(number + 1) != "=" or around is None or self.token(around) != "(":
            return False
        return self.token(around - 2) != "def" and self.token(number - 1) in ("(", ",")


def parse(text: str, lang: str) -> Code | None:
    """The text as code; None where it is not valid, or not understood."""
    if lang not in SCRIPTS | {"python"} or "\r" in text or (lang == "python" and not _is_python(text)):
        return None
    try:
        tokens = tuple(python_tokens(text) if lang == "python" else script_tokens(text))
        matching = _match(tokens)
    except (LexError, RecursionError):
        return None
    return Code(text, lang, tokens, matching)


def is_valid(text: str, lang: str) -> bool:
    """Whether Python compiles to a tree, JSON is JSON, and brackets of scripts are balanced. Other text is valid."""
    if lang == "python":
        return _is_python(text)
    if lang in SCRIPTS:
        return parse(text.replace("\r\n", "\n"), lang) is not None
    if lang == "json":
        try:
            json.loads(text)
        except ValueError:
            return False
    return True


def replaced(text: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """The text with other text in the place of text[start:stop]. Changes do not overlap; their order is free."""
    parts, at = [], 0
    for start, stop, new in sorted(changes):
        parts += [text[at:start], new]
        at = stop
    return "".join([*parts, text[at:]])


def tree(text: str) -> ast.Module:
    """Python's own tree, without the warnings about doubtful escapes. Raises SyntaxError and ValueError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _is_python(text: str) -> bool:
    try:
        tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _match(tokens: Sequence[Token]) -> dict[int, int]:
    matching: dict[int, int] = {}
    stack: list[int] = []
    for i, token in enumerate(tokens):
        if token.kind != "operator":
            continue
        if token.text in _OPEN:
            stack.append(i)
        elif token.text in _OPEN.values():
            if not stack or _OPEN[tokens[stack[-1]].text] != token.text:
                raise LexError(f"the bracket at {token.start} closes nothing")
            opening = stack.pop()
            matching[i], matching[opening] = opening, i
    if stack:
        raise LexError(f"the bracket at {tokens[stack[-1]].start} is not closed")
    return matching


def _covered(code: Code) -> set[int]:
    """The starts of lines that lie inside of brackets (blocks do not count), strings or comments."""
    spans = [(token.start, token.stop) for token in code.tokens if "\n" in token.text]
    for opening, closing in code.matching.items():
        if opening < closing and (code.is_python or code.token(opening) != "{" or not _is_block(code, opening)):
            spans.append((code.tokens[opening].start, code.tokens[closing].stop))
    found: set[int] = set()
    for start, stop in spans:
        at = code.text.find("\n", start, stop)
        while at >= 0:
            found.add(at + 1)
            at = code.text.find("\n", at + 1, stop)
    return found


def _is_block(code: Code, opening: int) -> bool:
    """Whether a brace opens statements, and no object."""
    before = code.token(opening - 1)
    return before in (")", "=>", "else", "try", "finally", "do", ";", "{", "}", "") or code.tokens[
        opening - 1
    ].kind in ("name",)
