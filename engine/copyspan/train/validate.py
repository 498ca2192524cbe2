"""Whether an adapter writes right programs: held-out pairs, decoded under the grammar's mask, as the engine does it.

One record a pair. A loss says little: a program with one wrong digit has a small one.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from copyspan.edits.lines import refine, settle
from copyspan.edits.program import CopyLines, Program, parse_program
from copyspan.edits.resolve import render
from copyspan.errors import ContextTooLong, OutputRejected
from copyspan.grammar.automaton import ProgramAutomaton
from copyspan.grammar.vocab import Vocabulary
from copyspan.models.prompt import numbered_prompt
from copyspan.models.protocol import LanguageModel
from copyspan.strategies.context import Meter, Run
from copyspan.strategies.guard import check_answer, check_program
from copyspan.strategies.program import program_lines
from copyspan.strategies.program_decoder import ProgramDecoder
from copyspan.train.oracle import NoProgram, Oracle, first_copy, oracle
from copyspan.train.pairs import EditPair


class PairRecord(BaseModel):
    """What the model made of one pair."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    kind: str
    num_lines: int
    is_edit: bool
    """Whether there was anything to change."""
    exact: bool = False
    """The right text, byte for byte."""
    well_formed: bool = False
    """A complete program; the mask lets nothing else pass, but it can go on too long."""
    refused: str | None = None
    """The error by which the engine refuses the answer."""
    unchanged: bool = False
    """A program that changes nothing."""
    start_right: bool | None = None
    """Whether the first copy starts where that of the oracle does; None where the oracle copies nothing."""
    end_right: bool | None = None
    num_tokens: int = 0
    """Of the program; copied tokens do not count."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Validator:
    """Decodes with one model. `splice` as the adapter's card says."""

    model: LanguageModel
    vocabulary: Vocabulary
    splice: bool
    max_new_tokens: int = 2048

    @classmethod
    def of(cls, model: LanguageModel, *, splice: bool, max_new_tokens: int = 2048) -> "Validator":
        return cls(model, Vocabulary(model.tokenizer.vocabulary), splice, max_new_tokens)

    def records(
        self, pairs: Iterable[EditPair], cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[PairRecord | None]:
        """One record a pair; None for one that has no program or does not fit. Raises Cancelled and OutOfMemory."""
        for pair in pairs:
            try:
                yield self.record(pair, cancelled)
            except (NoProgram, ContextTooLong):
                yield None

    def record(self, pair: EditPair, cancelled: Callable[[], bool] = lambda: False) -> PairRecord:
        """Raises NoProgram, ContextTooLong, Cancelled and OutOfMemory."""
        wanted = oracle(pair)
        started = time.monotonic()
        found: dict[str, bool | int | str] = {}
        try:
            text, found["num_tokens"] = self._write(pair, wanted, cancelled)
        except OutputRejected as error:
            found["refused"] = type(error).__name__
        else:
            program = parse_program(text, num_lines=wanted.snapshot.num_lines)
            found |= {"well_formed": True, **_judge(pair, wanted, program)}
        record = PairRecord(
            id=pair.id,
            kind=pair.kind,
            num_lines=wanted.snapshot.num_lines,
            is_edit=pair.before != pair.after,
            seconds=time.monotonic() - started,
        )
        return record.model_copy(update=found)

    def _write(self, pair: EditPair, wanted: Oracle, cancelled: Callable[[], bool]) -> tuple[str, int]:
        """The model's program in surface form, and its number of tokens. Raises OutputRejected."""
        scope = wanted.scope
        prompt = numbered_prompt(self.model.tokenizer, wanted.snapshot, scope, pair.instruction, pair.name or None)
        run = Run(self.model, cancelled, lambda _: None, Meter(), self.max_new_tokens)
        automaton = ProgramAutomaton(self.vocabulary, scope.start + 1, scope.stop)
        written = ProgramDecoder(run, prompt, automaton, scope.start, self.splice).greedy()
        return written.text.decode(), written.progress.num_written


@dataclass(frozen=True, slots=True)
class Summary:
    """Shares of some records."""

    num_pairs: int
    exact: float
    well_formed: float
    start_right: float
    """Of the pairs whose oracle copies something; so is `end_right`."""
    end_right: float
    unchanged: float
    """Of the pairs with something to change."""
    refused: float
    tokens: float
    """The mean, for each program."""

    @classmethod
    def of(cls, records: Sequence[PairRecord]) -> "Summary":
        starts = [record.start_right for record in records if record.start_right is not None]
        ends = [record.end_right for record in records if record.end_right is not None]
        return cls(
            num_pairs=len(records),
            exact=_mean([record.exact for record in records]),
            well_formed=_mean([record.well_formed for record in records]),
            start_right=_mean(starts),
            end_right=_mean(ends),
            unchanged=_mean([record.unchanged for record in records if record.is_edit]),
            refused=_mean([record.refused is not None for record in records]),
            tokens=_mean([record.num_tokens for record in records]),
        )


def summaries(records: Sequence[PairRecord]) -> dict[str, Summary]:
    """By kind of pair, and of all under the name "all"."""
    kinds = sorted({record.kind for record in records})
    by_kind = {kind: Summary.of([record for record in records if record.kind == kind]) for kind in kinds}
    return {**by_kind, "all": Summary.of(records)}


def _judge(pair: EditPair, wanted: Oracle, program: Program) -> dict[str, bool | str]:
    """The program, carried out as the engine does it, against the pair."""
    lines = refine(program_lines(program), wanted.snapshot, wanted.scope)
    text = render(settle(lines, wanted.snapshot, wanted.scope), wanted.snapshot, wanted.scope)
    found: dict[str, bool | str] = {"exact": text == pair.after, "unchanged": text == pair.before}
    right = wanted.first_copy
    if right is not None:
        first: CopyLines | None = first_copy(program)
        found["start_right"] = first is not None and first.start == right.start
        found["end_right"] = first is not None and first.stop == right.stop
    try:
        check_answer(lines, wanted.snapshot, wanted.scope, pair.instruction)
        check_program(lines, wanted.snapshot, wanted.scope, pair.instruction)
    except OutputRejected as error:
        found["refused"] = type(error).__name__
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")
