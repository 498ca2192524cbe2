"""Faults by whole statements: a result that is not returned, a line that is missing, too much, or too late."""

import re
from collections.abc import Iterator
from itertools import pairwise

from copyspan.train.data.synthetic.code import Code, Function, Line
from copyspan.train.data.synthetic.faults.changes import Fault

_OPENS = (":", "{", "(", "[", ",")
_STEP = re.compile(r"(?:[\w.\[\]]+ [-+*/|&]?= |\w+(?:\.\w+)*\(.*\);?\Z|\w+(?:\+\+|--);?\Z|continue;?\Z|break;?\Z)")


def missing_return(code: Code, function: Function) -> Iterator[Fault]:
    """The value is computed and not returned, or the line is not there at all."""
    for line in _simple(code, function):
        match = re.match(r"return (?=[^;\s])", line.content)
        if match:
            at = line.start + len(line.indent)
            yield Fault(at, at + len("return "), "")
            if not _is_alone(code, line):
                yield Fault(line.start, line.stop, "")


def missing_line(code: Code, function: Function) -> Iterator[Fault]:
    for line in _simple(code, function):
        if _STEP.match(line.content) and not _is_alone(code, line):
            yield Fault(line.start, line.stop, "")


def early_return(code: Code, function: Function) -> Iterator[Fault]:
    """The last line of a function goes into the block above it: it returns in the first round."""
    lines = [line for line in code.lines_within(function.code, function.last) if line.content]
    if len(lines) < 3 or not code.is_python:
        return
    last, above = lines[-1], lines[-2]
    is_return = last.is_whole and last.content.startswith("return") and last.indent == function.indent
    if is_return and above.is_whole and len(above.indent) > len(last.indent):
        yield Fault(last.start, last.start + len(last.indent), above.indent)


def repeated_line(code: Code, function: Function) -> Iterator[Fault]:
    """A step is taken twice."""
    for line in _simple(code, function):
        is_step = re.match(r"[\w.\[\]]+ [-+*/]= |[\w.]+\.(?:append|push|add|pop)\(", line.content)
        # In scripts a second statement would fall out of a block without braces.
        if is_step and (code.is_python or not _is_alone(code, line)):
            yield Fault(line.stop, line.stop, line.text + "\n")


def swapped_lines(code: Code, function: Function) -> Iterator[Fault]:
    """Two steps that follow each other, in the wrong order."""
    lines = _simple(code, function)
    for first, second in pairwise(lines):
        is_pair = first.stop == second.start and first.indent == second.indent and first.text != second.text
        if is_pair and _STEP.match(first.content) and _STEP.match(second.content) and _share_a_name(first, second):
            yield Fault(first.start, second.stop, f"{second.text}\n{first.text}\n")


def _simple(code: Code, function: Function) -> list[Line]:
    """The function's lines that are one statement each."""
    return [
        line
        for line in code.lines_within(function.code, function.last)
        if line.is_whole
        and line.content
        and not line.content.endswith(_OPENS)
        and line.stop > line.start + len(line.text)
    ]


def _is_alone(code: Code, line: Line) -> bool:
    """Whether the line is the only one of its block, so that nothing would be left of it."""
    lines, number = code.lines, code.line_at(line.start)
    above = next((other for other in reversed(lines[:number]) if other.content), None)
    below = next((other for other in lines[number + 1 :] if other.content), None)
    opens = above is None or len(above.indent) < len(line.indent)
    closes = below is None or len(below.indent) < len(line.indent)
    return opens and closes


def _share_a_name(first: Line, second: Line) -> bool:
    names = [set(re.findall(r"[^\W\d]\w*", line.text)) - {"self", "this"} for line in (first, second)]
    return bool(names[0] & names[1])
