"""What an edit costs to write in each form, and how often the form does not bring the result back. Knows no model.

Every form is written by an oracle that knows the result, and applied by what a tool would do with it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Literal

from copyspan.bench.answer_forms import apply_search_replace, apply_unified, write_search_replace, write_unified
from copyspan.bench.cases import Case, Framing
from copyspan.bench.results import Record
from copyspan.bench.stats import bootstrap, proportion
from copyspan.bench.tables import Table
from copyspan.bench.tokens import Tokens
from copyspan.edits.align import align_lines
from copyspan.edits.program import format_program, parse_program
from copyspan.edits.resolve import render
from copyspan.edits.text import Snapshot
from copyspan.errors import ProgramRangeError, ProgramSyntaxError

Failure = Literal["ambiguous", "not found", "not readable", "other text"]


@dataclass(frozen=True, slots=True)
class Form:
    """How an edit is written, and how the answer is applied: to the new text, and whether it was ambiguous.

    `apply` raises ProgramSyntaxError for an answer that it cannot read, ProgramRangeError for one that does not fit.
    """

    name: str
    write: Callable[[str, str], str]
    apply: Callable[[str, str], tuple[str, bool]]


def _write_program(before: str, after: str) -> str:
    return format_program(align_lines(Snapshot(before), after))


def _apply_program(before: str, answer: str) -> tuple[str, bool]:
    snapshot = Snapshot(before)
    return render(parse_program(answer, num_lines=snapshot.num_lines), snapshot), False


FORMS = (
    Form("full text", lambda _, after: after, lambda _, answer: (answer, False)),
    *(
        Form(f"search-replace, context {context}", partial(write_search_replace, context=context), apply_search_replace)
        for context in (0, 1, 3)
    ),
    Form("unified diff", write_unified, lambda before, answer: (apply_unified(before, answer), False)),
    Form("program", _write_program, _apply_program),
)


class FormatRecord(Record):
    """One edit in one form."""

    kind: Literal["format"] = "format"
    framing: Framing
    form: str
    num_tokens: int
    """Tokens of the answer."""
    failure: Failure | None
    """Why the answer does not bring the result back; None where it does."""

    @property
    def key(self) -> tuple[str, ...]:
        return (self.set, self.case, self.framing, self.form)


def measure(case: Case, tokens: Tokens, forms: Sequence[Form] = FORMS) -> Iterator[FormatRecord]:
    """One case in every form."""
    for form in forms:
        answer = form.write(case.before, case.after)
        yield FormatRecord(
            set=case.set,
            case=case.id,
            framing=case.framing,
            form=form.name,
            num_tokens=len(tokens.ids(case.without_joint(answer) if answer == case.after else answer)),
            failure=_failure(form, case, answer),
        )


def format_table(records: Iterable[FormatRecord], seed: int) -> Table:
    """Mean tokens (with a bootstrap over cases) and failures (with Wilson's interval) of each form, set by set."""
    groups: dict[tuple[str, str], list[FormatRecord]] = {}
    for record in records:
        groups.setdefault((f"{record.set} ({record.framing})", record.form), []).append(record)
    headings = ("set (framing)", "form", "n", "mean tokens", "of full text %", "failures", "failures %", "why")
    full = {name: _mean(group) for (name, form), group in groups.items() if form == FORMS[0].name}
    rows = tuple(_row(*names, group, full.get(names[0], 0.0), seed) for names, group in groups.items())
    return Table("Output tokens and failing round trips", headings, rows)


def _row(name: str, form: str, records: Sequence[FormatRecord], full: float, seed: int) -> tuple[str, ...]:
    failures = [record.failure for record in records if record.failure]
    why = ", ".join(f"{failures.count(kind)} {kind}" for kind in sorted(set(failures)))
    return (
        name,
        form,
        f"{len(records)}",
        bootstrap(records, _mean, seed=seed).format(1),
        f"{_mean(records) / full * 100:.0f}" if full else "-",
        f"{len(failures)}",
        proportion(len(failures), len(records)).format(1, 100),
        why or "-",
    )


def _mean(records: Sequence[FormatRecord]) -> float:
    return fmean(record.num_tokens for record in records)


def _failure(form: Form, case: Case, answer: str) -> Failure | None:
    try:
        text, is_ambiguous = form.apply(case.before, answer)
    except ProgramRangeError:
        return "not found"
    except ProgramSyntaxError:
        return "not readable"
    if text == case.after:
        return None
    return "ambiguous" if is_ambiguous else "other text"
