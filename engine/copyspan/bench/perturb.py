"""What remains of oracle programs whose line numbers are a little wrong. Knows no model.

Each end of each copy is moved by an integer drawn evenly from -e..e and put back into the document; a copy whose ends
have crossed is left out. The result counts where it is still the right text.
"""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Literal

from copyspan.bench.cases import Case, Framing
from copyspan.bench.results import Record
from copyspan.bench.stats import bootstrap, ratio_of_sums
from copyspan.bench.tables import Table
from copyspan.edits.align import align_lines
from copyspan.edits.program import CopyLines, Op, Program
from copyspan.edits.resolve import render
from copyspan.edits.text import Snapshot

ERRORS = (1, 2, 3, 5)
TRIALS = 5


class PerturbRecord(Record):
    """The trials of one case with one size of error."""

    kind: Literal["perturb"] = "perturb"
    framing: Framing
    error: int
    num_copies: int
    num_trials: int
    num_exact: int

    @property
    def key(self) -> tuple[str, ...]:
        return (self.set, self.case, self.framing, str(self.error))


def measure(case: Case, error: int, seed: int, trials: int = TRIALS) -> PerturbRecord:
    """The trials of one case. The same case, error and seed give the same trials, whatever was measured before."""
    before = Snapshot(case.before)
    program = align_lines(before, case.after)
    draw = Random(f"{seed}/{case.set}/{case.id}/{error}")
    results = (render(perturbed(program, before.num_lines, error, draw), before) for _ in range(trials))
    return PerturbRecord(
        set=case.set,
        case=case.id,
        framing=case.framing,
        error=error,
        num_copies=sum(isinstance(op, CopyLines) for op in program.ops),
        num_trials=trials,
        num_exact=sum(map(case.is_gold, results)),
    )


def perturbed(program: Program, num_lines: int, error: int, draw: Random) -> Program:
    """The program of lines with its ends moved."""
    ops: list[Op] = []
    for op in program.ops:
        if isinstance(op, CopyLines):
            first, last = (_move(end, num_lines, error, draw) for end in (op.start, op.stop - 1))
            if first <= last:
                ops.append(CopyLines(first, last + 1))
        else:
            ops.append(op)
    return Program(tuple(ops))


def perturb_table(records: Iterable[PerturbRecord], seed: int) -> Table:
    """The share of exact trials for every size of error, set by set and pooled, with a bootstrap over cases."""
    groups: dict[str, list[PerturbRecord]] = {}
    for record in records:
        groups.setdefault(f"{record.set} ({record.framing})", []).append(record)
    if len(groups) > 1:
        groups["pooled"] = [record for group in groups.values() for record in group]
    errors = sorted({record.error for group in groups.values() for record in group})
    rows = [(name, *(_share(group, error, seed) for error in errors)) for name, group in groups.items()]
    return Table("Exact results with wrong ends, %", ("set (framing)", *(f"e = {e}" for e in errors)), tuple(rows))


def _share(records: Sequence[PerturbRecord], error: int, seed: int) -> str:
    pairs = [(record.num_exact, record.num_trials) for record in records if record.error == error]
    return bootstrap(pairs, ratio_of_sums, seed=seed).format(2, 100) if pairs else "-"


def _move(line: int, num_lines: int, error: int, draw: Random) -> int:
    return min(max(line + draw.randint(-error, error), 0), num_lines - 1)
