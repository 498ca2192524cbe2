"""What a fault is: one small change of a function, with words for the symptom."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from copyspan.train.data.synthetic.code import Code, Function


@dataclass(frozen=True, slots=True)
class Fault:
    """text[start:stop] of the working code is replaced by `new`."""

    start: int
    stop: int
    new: str


Faults = Callable[[Code, Function], Iterator[Fault]]
"""All faults of one kind that a function could have."""


def body(code: Code, function: Function) -> range:
    """The numbers of the tokens of a function's statements."""
    return code.within(function.code, function.last)


def is_value_end(code: Code, number: int) -> bool:
    """Whether a value ends at the token, so that an operator after it has two operands."""
    token = code.tokens[number]
    return token.kind in ("name", "number", "string") or token.text in (")", "]", "}", "this", "self", "None", "null")
