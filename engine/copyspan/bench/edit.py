"""Edits from the request to the result, in several ways, case by case, and what each gave: one record a case.

The ways of one case run one after the other in an order that is drawn for each case and each trial, so that none of
them always has the warmer machine. Tests of candidates run after all of that.
"""

import os
import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from copyspan.bench.cases import Case
from copyspan.bench.edit_records import CandidateRecord, EditRecord, Flip, Way, WayRecord
from copyspan.bench.judge import Judge
from copyspan.bench.results import Option, ResultFile
from copyspan.bench.touched import touched
from copyspan.bench.ways import WAYS, Found, Options, Outcome, Workbench
from copyspan.edits.text import Snapshot
from copyspan.engine import Engine
from copyspan.errors import UsageError
from copyspan.models.protocol import LanguageModel

USUAL_WAYS: tuple[Way, ...] = ("plain", "lookup", "verified", "search")
_CHUNK = 512
_UNSTEERED: set[Way] = {"search", "program", "program-search", "ensemble"}
"""Ways in which the model decides more than the next token of the answer."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done with every case."""

    ways: tuple[Way, ...] = USUAL_WAYS
    options: Options = field(default_factory=Options)
    trials: int = 1
    seed: int = 0
    runs_tests: bool = False

    def __post_init__(self) -> None:
        if self.options.is_steered and _UNSTEERED & set(self.ways):
            raise UsageError("A model that is made to write the reference neither searches nor writes programs.")

    def header_options(self) -> dict[str, Option]:
        """What a result file says of the plan, and what must not differ where it is resumed."""
        return {
            "ways": " ".join(self.ways),
            "trials": self.trials,
            "candidates": self.options.candidates,
            "lookup_tokens": self.options.lookup_tokens,
            "steered": self.options.is_steered,
            "tests": self.runs_tests,
        }


def choose(
    cases: Iterable[Case],
    seed: int,
    sample: int | None = None,
    min_lines: int = 1,
    max_lines: int | None = None,
    max_characters: int | None = None,
) -> list[Case]:
    """The cases in a drawn order, at most `sample` of each set, those of shorter and longer documents left out.

    A run that is stopped has then seen a random sample, and a larger sample begins with a smaller one. Raises
    UsageError for a case without an instruction, and where none is left.
    """
    drawn = list(cases)
    for case in drawn:
        if not case.instruction.strip():
            raise UsageError(f"The case {case.id} of {case.set} has no instruction, which a model needs.")
    random.Random(seed).shuffle(drawn)
    counts: dict[str, int] = {}
    chosen = []
    for case in drawn:
        num_lines = Snapshot(case.before).num_lines
        if num_lines < min_lines or (max_lines is not None and num_lines > max_lines):
            continue
        if max_characters is not None and len(case.before) > max_characters:
            continue
        counts[case.set] = counts.get(case.set, 0) + 1
        if sample is None or counts[case.set] <= sample:
            chosen.append(case)
    if not chosen:
        length = f"{min_lines} to {max_lines} lines" if max_lines else f"{min_lines} lines or more"
        size = f" and at most {max_characters} characters" if max_characters is not None else ""
        raise UsageError(f"No document has {length}{size}. Change --min-lines, --max-lines and --max-characters.")
    return chosen


def run(
    engine: Engine,
    cases: Sequence[Case],
    plan: Plan,
    results: ResultFile[EditRecord],
    on_case: Callable[[EditRecord | None], None] = lambda _: None,
) -> None:
    """Measure the cases that the results lack. `on_case` is told of every case; of one that was there already, None."""
    todo = [case for case in cases if (case.set, case.id) not in results.done]
    for _ in range(len(cases) - len(todo)):
        on_case(None)
    for number, case in enumerate(todo):
        if number == 0:
            warm_up(engine, case, plan)
        record = measure(engine, case, plan)
        results.append(record)
        on_case(record)


def measure(engine: Engine, case: Case, plan: Plan) -> EditRecord:
    """One case in all ways of the plan."""
    bench = Workbench(engine, case, plan.options)
    outcomes: dict[Way, list[Outcome]] = {way: [] for way in WAYS if way in plan.ways}
    for trial in range(plan.trials):
        order = list(outcomes)
        random.Random(f"{plan.seed}/{case.set}/{case.id}/{trial}").shuffle(order)
        for way in order:
            outcomes[way].append(bench.carry_out(way))
    judge = Judge(case, plan.runs_tests)
    return EditRecord(
        set=case.set,
        case=case.id,
        framing=case.framing,
        lang=case.lang,
        num_lines=Snapshot(case.before).num_lines,
        source_tokens=len(bench.prompt.source),
        prompt_tokens=len(bench.prompt.ids),
        has_tests=judge.has_tests,
        load=round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        ways={way: _way_record(trials, case, judge) for way, trials in outcomes.items()},
        flips=_flips(engine.model, bench.prompt.ids, {way: trials[0] for way, trials in outcomes.items()}),
    )


def _way_record(trials: Sequence[Outcome], case: Case, judge: Judge) -> WayRecord:
    """The record of a way's trials, which differ in time alone."""
    middle = statistics.median_low(outcome.seconds for outcome in trials)
    shown = next(outcome for outcome in trials if outcome.seconds == middle)
    return WayRecord(
        seconds=statistics.median(outcome.seconds for outcome in trials),
        trials=[outcome.seconds for outcome in trials],
        phases=shown.phases,
        forwards=shown.forwards,
        tokens=shown.num_tokens,
        is_complete=shown.is_complete,
        error=shown.error,
        candidates=[_candidate(found, case, judge) for found in shown.found],
        program=shown.program,
        fallback=shown.fallback,
        is_doubtful=shown.is_doubtful,
    )


def _candidate(found: Found, case: Case, judge: Judge) -> CandidateRecord:
    places = touched(Snapshot(case.before), found.text, case.after)
    return CandidateRecord(
        origin=found.origin,
        changed=found.text != case.before,
        exact=judge.is_exact(found.text),
        passed=judge.passed(found.text),
        log_likelihood=found.log_likelihood,
        difference=places.difference,
        lost_lines=places.lost_lines,
    )


def _flips(model: LanguageModel, prompt: Sequence[int], outcomes: dict[Way, Outcome]) -> dict[Way, Flip]:
    """Plain decoding against prompt lookup and verified copying."""
    plain = outcomes.get("plain")
    if plain is None or not plain.is_complete:
        return {}
    flips: dict[Way, Flip] = {}
    for way in ("lookup", "verified"):
        other = outcomes.get(way)
        if other is not None and other.tokens:
            flips[way] = _flip(model, prompt, plain.tokens, other.tokens)
    return flips


def _flip(model: LanguageModel, prompt: Sequence[int], first: Sequence[int], second: Sequence[int]) -> Flip:
    compared = min(len(first), len(second))
    position = next((i for i in range(compared) if first[i] != second[i]), None)
    if position is None:
        return Flip(position=None, compared=compared)
    context = [*prompt, *first[:position]]
    return Flip(position=position, compared=compared, gap=_gap(model, context, first[position], second[position]))


def _gap(model: LanguageModel, context: Sequence[int], first: int, second: int) -> float:
    """log P(first) - log P(second) after a context, by a forward over its last token alone."""
    model.rollback(0)
    known = len(context) - 1
    for start in range(0, known, _CHUNK):
        model.extend(context[start : min(start + _CHUNK, known)], scored=0)
    logprobs: list[float] = []
    for token in (first, second):
        model.rollback(known)
        logprobs += model.extend(context[known:], named=[token]).named_logprob
    return logprobs[0] - logprobs[1]


def warm_up(engine: Engine, case: Case, plan: Plan) -> None:
    """Make a short edit in every way that needs no search, so that what is loaded at first use is there."""
    short = replace(case, before="a = 1\nb = 2\n", after="a = 1\nb = 3\n", instruction="Set b to 3.")
    bench = Workbench(engine, short, plan.options)
    for way in plan.ways:
        if way not in _UNSTEERED:
            bench.carry_out(way)
