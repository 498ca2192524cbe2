"""Blocks of a document around a line: functions, classes, sections. Knows no limits and no editor.

A tree-sitter grammar tells them where its packages are installed; they are never required. Inside of what it tells, and
where it tells nothing, indentation does. Markdown has sections.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from copyspan.edits.text import LineRange, Snapshot
from copyspan_lsp.indentation import indented_blocks, short_title
from copyspan_lsp.languages import Language

_PYTHON = frozenset({"function_definition", "class_definition"})
_JAVASCRIPT = frozenset(
    {"function_declaration", "generator_function_declaration", "class_declaration", "method_definition"}
)
_TYPESCRIPT = frozenset({"abstract_class_declaration", "interface_declaration", "enum_declaration", "internal_module"})
_DEFINITIONS = _PYTHON | _JAVASCRIPT | _TYPESCRIPT  # the node types of the grammars in languages.py
_HOLDERS = frozenset({"variable_declarator", "field_definition", "public_field_definition"})
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "class"})
_WRAPPERS = frozenset({"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"})

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARKDOWN = frozenset({"markdown", "quarto"})


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together, and a title for people: "def total"."""

    lines: LineRange
    title: str


def enclosing_blocks(snapshot: Snapshot, language: Language, line: int) -> list[Block]:
    """The blocks that hold this line, smallest first; each lies inside the next."""
    if language.id in _MARKDOWN:
        return _around(line, _sections(snapshot))
    defined = _around(line, _definitions(snapshot, language, line))
    indented = _around(line, indented_blocks(snapshot, language))
    if defined:
        inmost = defined[0].lines
        indented = [it for it in indented if inmost.contains(it.lines) and it.lines != inmost]
    return indented + defined


def _around(line: int, found: Iterable[tuple[LineRange, str]]) -> list[Block]:
    blocks = [Block(lines, title) for lines, title in found if line in lines]
    return sorted(blocks, key=lambda block: len(block.lines))


def _definitions(snapshot: Snapshot, language: Language, line: int) -> Iterator[tuple[LineRange, str]]:
    """Functions, classes and methods around the line, with their decorators; none without a grammar."""
    contents = [snapshot.content(i) for i in snapshot.all_lines]
    root = _parse("\n".join(contents), language)  # rows are our lines, whatever ends those
    waiting = [(root, snapshot.all_lines)] if root is not None else []
    while waiting:
        node, lines = waiting.pop()
        if _is_definition(node):
            yield lines, _title(node, contents)
        waiting += [(child, own) for child, own in _parts(node, lines) if line in own]


def _parse(source: str, language: Language) -> Any:
    """The root node of the syntax tree, or None."""
    if language.grammar is None:
        return None
    package, _, function = language.grammar.partition(":")
    try:
        binding, grammar = import_module("tree_sitter"), import_module(package)
        parser = binding.Parser(binding.Language(getattr(grammar, function or "language")()))
    except (ImportError, AttributeError, TypeError, ValueError):
        return None  # not installed, or in releases that do not fit together
    return parser.parse(source.encode("utf-8", "surrogatepass")).root_node


def _parts(node: Any, lines: LineRange) -> Iterator[tuple[Any, LineRange]]:
    """The node's children with their lines; `lines` are those of the node.

    Decorators belong to what follows them, and what a wrapper adds (`export`, `const`) to what it wraps.
    """
    decorated: int | None = None
    for child in node.named_children:
        rows = _rows(child)
        if child.type == "decorator":
            decorated = rows.start if decorated is None else decorated
        elif node.type in _WRAPPERS:
            yield child, lines
        elif child.type != "comment":
            yield child, rows if decorated is None else LineRange(decorated, rows.stop)
            decorated = None


def _rows(node: Any) -> LineRange:
    end = node.end_point
    return LineRange(node.start_point.row, end.row + (end.column > 0))


def _is_definition(node: Any) -> bool:
    if node.type in _HOLDERS:
        value = node.child_by_field_name("value")
        return value is not None and value.type in _FUNCTION_VALUES
    return node.type in _DEFINITIONS


def _title(node: Any, contents: Sequence[str]) -> str:
    """What stands on the name's line up to the name: "async def total"."""
    name = node.child_by_field_name("name")
    if name is None:
        return short_title(contents[node.start_point.row].strip())
    end = name.end_point
    line = contents[end.row].encode("utf-8", "surrogatepass")  # columns are bytes
    title: str = line[: end.column].decode("utf-8", "surrogatepass").strip()
    return title


def _sections(snapshot: Snapshot) -> Iterator[tuple[LineRange, str]]:
    """From each heading to the next one of its level or a higher one."""
    headings = list(_headings(snapshot))
    for i, (start, level, title) in enumerate(headings):
        after = (line for line, other, _ in headings[i + 1 :] if other <= level)
        yield LineRange(start, next(after, snapshot.num_lines)), title


def _headings(snapshot: Snapshot) -> Iterator[tuple[int, int, str]]:
    """Line, level and title of the headings, of both kinds, outside fenced code."""
    fence, above = "", ""
    for line in snapshot.all_lines:
        content = snapshot.content(line)
        if found := _FENCE.match(content):
            if not fence:
                fence = found[1]
            elif found[1].startswith(fence) and not content.strip(" \t`~"):
                fence = ""
        if fence or found:
            above = ""
        elif heading := _HEADING.match(content):
            yield line, len(heading[1]), short_title(heading[2] or "")
            above = ""
        elif above and (underline := _UNDERLINE.match(content)):
            yield line - 1, 1 if underline[1] else 2, short_title(above)
            above = ""
        else:
            above = content.strip()
