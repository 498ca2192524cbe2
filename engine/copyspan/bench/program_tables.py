"""Tables of programs that a model wrote, beside those of an oracle: right copies, and what went wrong."""

from collections.abc import Sequence

from copyspan.bench.edit_records import Difference, EditRecord, ProgramRecord
from copyspan.bench.edit_stats import group_by
from copyspan.bench.stats import proportion
from copyspan.bench.tables import Table

_WRONG: dict[Difference, str] = {
    "none": "right places, other text",
    "ends": "other ends",
    "missing": "some places missed",
    "elsewhere": "elsewhere",
    "unchanged": "nothing changed",
    "fallback": "fell back",
}


def copy_table(records: Sequence[EditRecord]) -> Table:
    """How many copies of the oracle begin and end where one of the model does, set by set; intervals are Wilson's.

    Of a program that was of no use, none does.
    """
    rows = []
    for name, group in _programs(records).items():
        programs = [program for program, _ in group]
        copies = sum(program.copies for program in programs)
        starts = proportion(sum(program.starts_right for program in programs), copies)
        ends = proportion(sum(program.ends_right for program in programs), copies)
        rows.append((name, f"{len(programs)}", f"{copies}", starts.format(1, 100), ends.format(1, 100)))
    return Table("Copies of programs", ("set", "n", "copies", "starts right %", "ends right %"), tuple(rows))


def failure_table(records: Sequence[EditRecord]) -> Table:
    """What became of the programs of each set: exact, or the first thing that is wrong."""
    rows = []
    for name, group in _programs(records).items():
        wrong = [program.difference for program, is_exact in group if not is_exact]
        counts = [len(group) - len(wrong), *(wrong.count(difference) for difference in _WRONG)]
        rows.append((name, f"{len(group)}", *map(str, counts)))
    return Table("What became of programs (cases)", ("set", "n", "exact", *_WRONG.values()), tuple(rows))


def _programs(records: Sequence[EditRecord]) -> dict[str, list[tuple[ProgramRecord, bool]]]:
    """By set, the judgements, and whether each program gives the reference."""
    found: dict[str, list[tuple[ProgramRecord, bool]]] = {}
    for name, group in group_by(records, lambda record: record.set).items():
        # The first program is the same whether others are looked for or not.
        answers = [record.ways.get("program") or record.ways.get("program-search") for record in group]
        judged = [(a.program, any(c.exact for c in a.alone.candidates[:1])) for a in answers if a and a.program]
        if judged:
            found[name] = judged
    return found
