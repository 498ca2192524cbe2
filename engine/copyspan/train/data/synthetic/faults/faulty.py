"""Makers of the kinds of faults: one fault in one function, and words for it."""

from collections.abc import Mapping
from random import Random

from copyspan.train.data.synthetic.code import Code, Function, replaced
from copyspan.train.data.synthetic.edit import Edit, Maker, SourceFile
from copyspan.train.data.synthetic.faults.changes import Faults
from copyspan.train.data.synthetic.faults.operators import missing_not, negated_condition, off_by_one, wrong_operator
from copyspan.train.data.synthetic.faults.statements import (
    early_return,
    missing_line,
    missing_return,
    repeated_line,
    swapped_lines,
)
from copyspan.train.data.synthetic.faults.values import (
    swapped_arguments,
    wrong_constant,
    wrong_method,
    wrong_order,
    wrong_variable,
)
from copyspan.train.data.synthetic.wording import Name, word

FAULTS: Mapping[str, tuple[Faults, str]] = {
    "operator": (wrong_operator, "an operator is wrong"),
    "negated-condition": (negated_condition, "a condition is the wrong way round"),
    "missing-not": (missing_not, "a condition is the wrong way round"),
    "off-by-one": (off_by_one, "it is off by one"),
    "wrong-variable": (wrong_variable, "the wrong variable is used"),
    "wrong-constant": (wrong_constant, "a constant is wrong"),
    "swapped-arguments": (swapped_arguments, "arguments are in the wrong order"),
    "wrong-method": (wrong_method, "the wrong function is called"),
    "wrong-order": (wrong_order, "two operands are in the wrong order"),
    "missing-return": (missing_return, "it does not return its result"),
    "missing-line": (missing_line, "a line is missing"),
    "early-return": (early_return, "it returns too early"),
    "repeated-line": (repeated_line, "a line is there twice"),
    "swapped-lines": (swapped_lines, "two lines are in the wrong order"),
}
_SHORT_TEXT = 60
"""Lines of a text in which a fault can be looked for without a word about where it is."""

_ANYWHERE = (
    "Fix the bug",
    "Find and fix the bug",
    "There is a bug in this code, fix it",
    "This code has a bug. Fix it.",
    "fix the bug",
    "Correct the mistake",
    "Repair this code: {symptom}",
    "Fix this: {symptom}",
)
_IN_FUNCTION = (
    "Fix the bug in {function}",
    "Fix {function}",
    "{function} has a bug, fix it",
    "Find the bug in {function} and fix it",
    "Correct {function}",
    "{function} does not work as it should. Fix it.",
    "fix bug in {function}",
    "Repair {function}",
)
_SYMPTOM = (
    "Fix {function}: {symptom}",
    "Fix the bug in {function}, {symptom}",
    "In {function}, {symptom}. Fix it.",
    "{function} is wrong, {symptom}. Please fix it.",
    "fix {function}, {symptom}",
)
_LINE = (
    "Fix the bug in the line {line}",
    "The line {line} of {function} is wrong, fix it",
    "There is a mistake in {line}",
    "Fix this line in {function}: {line}",
)


def fault_maker(kind: str) -> Maker:
    """The maker of one kind of fault."""
    faults, symptom = FAULTS[kind]

    def make(file: SourceFile, rng: Random) -> Edit | None:
        code = file.code
        if code is None or not file.functions:
            return None
        function = rng.choice(file.functions)
        found = list(faults(code, function))
        if not found:
            return None
        fault = rng.choice(found)
        before = replaced(code.text, [(fault.start, fault.stop, fault.new)])
        line = _changed_line(code, before, fault.start, len(fault.new))
        return Edit(_instruction(file, function, symptom, line, rng), before, code.text)

    return make


def _instruction(file: SourceFile, function: Function, symptom: str, line: str, rng: Random) -> str:
    choices = [_IN_FUNCTION, _SYMPTOM, _SYMPTOM]
    if file.text.count("\n") <= _SHORT_TEXT:
        choices += [_ANYWHERE, _ANYWHERE]
    if line:
        choices.append(_LINE)
    return word(rng, rng.choice(choices), function=Name(file.called(function)), symptom=symptom, line=Name(line))


def _changed_line(code: Code, before: str, at: int, length: int) -> str:
    """The line with the fault, where it is one line, and there is no second one like it; else ""."""
    start, stop = before.rfind("\n", 0, at) + 1, before.find("\n", at)
    line = before[start:stop].strip()
    if stop < at + length or before.count("\n") != code.text.count("\n") or before.count(line) > 1 or len(line) > 80:
        return ""
    return line
