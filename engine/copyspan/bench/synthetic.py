"""Documents and edits for measurements that need a length and no meaning. Knows no model."""

import random
from collections.abc import Sequence

from copyspan.bench.cases import Case

LENGTHS = (20, 40, 80, 160)
_FUNCTION = """\
def total_{number}(items):
    \"\"\"Add up the prices of all items.\"\"\"
    result = 0
    for item in items:
        if item.price is None:
            continue
        result += item.price * item.count
    return result


"""
FUNCTION_LINES = _FUNCTION.count("\n")


def document(num_lines: int) -> str:
    """Python of about so many lines: functions of ten lines each."""
    return "".join(_FUNCTION.format(number=i) for i in range(max(1, num_lines // FUNCTION_LINES)))


def synthetic_cases(number: int, seed: int, lengths: Sequence[int] = LENGTHS) -> tuple[Case, ...]:
    """Edits of Python documents of known lengths: in one function, drawn, a variable has another name afterwards."""
    draw = random.Random(seed)
    cases = []
    for i in range(number):
        length = lengths[i % len(lengths)]
        before = document(length)
        functions = before.split("\n\n\n")
        place = draw.randrange(len(functions) - 1)
        functions[place] = functions[place].replace("result", "amount")
        after = "\n\n\n".join(functions)
        instruction = f"In the function total_{place}, rename result to amount."
        cases.append(Case(f"synthetic, {length} lines", str(i), before, after, "plain", instruction, "python"))
    return tuple(cases)
