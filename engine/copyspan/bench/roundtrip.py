"""Whether oracle programs rebuild every result, byte for byte, whatever the line ends. Knows no model.

Three ways, which must agree: rendering the program, rendering it after it was written in the surface form and read
back, and applying its edits. The texts are tried as they are, with CRLF, and with and without a final newline.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from copyspan.bench.cases import Case, Framing
from copyspan.bench.results import Record
from copyspan.bench.stats import proportion
from copyspan.bench.tables import Table
from copyspan.bench.tokens import Tokens
from copyspan.edits.align import align_lines, align_tokens, token_program
from copyspan.edits.program import Program, format_program, parse_program
from copyspan.edits.resolve import render, resolve
from copyspan.edits.text import Snapshot, strip_terminator

Variant = Literal["as it is", "crlf", "open", "crlf, open", "loses final newline", "gains final newline"]
Unit = Literal["lines", "tokens"]


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _closed(text: str) -> str:
    return strip_terminator(text) + "\n"


_VARIANTS: Mapping[Variant, tuple[Callable[[str], str], Callable[[str], str]]] = {
    "as it is": (str, str),
    "crlf": (_crlf, _crlf),
    "open": (strip_terminator, strip_terminator),
    "crlf, open": (lambda text: strip_terminator(_crlf(text)), lambda text: strip_terminator(_crlf(text))),
    "loses final newline": (_closed, strip_terminator),
    "gains final newline": (strip_terminator, _closed),
}
"""What is done to the text before the edit, and to the one after it."""


class RoundTripRecord(Record):
    """What came of one oracle program."""

    kind: Literal["roundtrip"] = "roundtrip"
    framing: Framing
    variant: Variant
    unit: Unit
    rendered: bool
    """The program renders to the result."""
    reread: bool
    """Written and read back it does too, and is the same program."""
    applied: bool
    """Its edits turn the text into the result."""

    @property
    def is_exact(self) -> bool:
        return self.rendered and self.reread and self.applied

    @property
    def key(self) -> tuple[str, ...]:
        return (self.set, self.case, self.framing, self.variant, self.unit)


def measure(case: Case, tokens: Tokens, min_span: int = 8) -> Iterator[RoundTripRecord]:
    """All variants of a case, each with a program of lines and one of tokens."""
    for variant, (change_before, change_after) in _VARIANTS.items():
        varied = replace(case, before=change_before(case.before), after=change_after(case.after))
        before = Snapshot(varied.before)
        yield _try(varied, variant, "lines", align_lines(before, varied.after), ())
        borders = tokens.borders(varied.before)
        spans = align_tokens(tokens.ids(varied.before), tokens.ids(varied.after), min_span)
        program = token_program(spans, varied.before, borders, varied.after, tokens.borders(varied.after))
        yield _try(varied, variant, "tokens", program, borders)


def roundtrip_table(records: Iterable[RoundTripRecord]) -> Table:
    """How many programs are exact, set by set and in all; a case fails where one of its programs does (Wilson)."""
    groups: dict[str, list[RoundTripRecord]] = {}
    for record in records:
        groups.setdefault(f"{record.set} ({record.framing})", []).append(record)
    groups["all"] = [record for group in groups.values() for record in group]
    headings = ("set (framing)", "cases", "programs", "rendered", "reread", "applied", "exact", "failing cases %")
    return Table("Oracle programs that rebuild the result", headings, tuple(_row(*group) for group in groups.items()))


def _row(name: str, records: Sequence[RoundTripRecord]) -> tuple[str, ...]:
    cases, failing = (
        len({(record.set, record.case, record.framing) for record in chosen})
        for chosen in (records, [record for record in records if not record.is_exact])
    )
    ways = (sum(getattr(record, way) for record in records) for way in ("rendered", "reread", "applied", "is_exact"))
    return (name, f"{cases}", f"{len(records)}", *map(str, ways), proportion(failing, cases).format(2, 100))


def _try(case: Case, variant: Variant, unit: Unit, program: Program, borders: Sequence[int]) -> RoundTripRecord:
    before = Snapshot(case.before)
    written = format_program(program)
    again = parse_program(written, num_lines=before.num_lines, num_tokens=max(len(borders) - 1, 0))
    return RoundTripRecord(
        set=case.set,
        case=case.id,
        framing=case.framing,
        variant=variant,
        unit=unit,
        rendered=render(program, before, None, borders) == case.after,
        reread=again == program and render(again, before, None, borders) == case.after,
        applied=resolve(program, before, None, borders).edits.apply(case.before) == case.after,
    )
