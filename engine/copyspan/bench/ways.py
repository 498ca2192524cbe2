"""The ways to carry out one edit, each timed and counted by itself, from an empty context.

    plain     greedy decoding by the transformers library
    lookup    the same with the library's prompt lookup
    verified  verified copying alone
    search    what copyspan looks for where several candidates are wanted: verified copying, then departures
    program   the model writes a program under the automaton's mask, with its adapter if it has one
    program-search  the same, and then departures from the program
    ensemble  what copyspan does by itself where a model has an adapter: verified copying, and where that is of no use
              programs too, and then a search
    adapted   verified copying with that adapter left on, which copyspan never does: what it does to other work

All but programs are given the same prompt, and their tokens are read as an answer by the same code. Knows no results
file and no tests.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Literal, get_args

from copyspan.bench.cases import Case
from copyspan.bench.edit_records import ProgramRecord, Way
from copyspan.bench.generate import generate
from copyspan.bench.program_judge import judge_program
from copyspan.bench.steer import Replay, Steered
from copyspan.config import StrategyName
from copyspan.edits.lines import settle
from copyspan.edits.resolve import render
from copyspan.edits.text import Snapshot
from copyspan.engine import EditRequest, EditResult, Engine, Event, LinesCopied, TextGenerated
from copyspan.errors import CopyspanError, OutputRejected, OutputRepeats, OutputTruncated
from copyspan.models.prompt import rewrite_prompt, shown
from copyspan.models.protocol import LanguageModel
from copyspan.models.transformers import TransformersModel
from copyspan.strategies.answer import Answer
from copyspan.strategies.context import Meter, Run
from copyspan.strategies.rewrite import Rewriter

WAYS: tuple[Way, ...] = get_args(Way)

_ADAPTER_STATES: dict[Way, tuple[bool, ...]] = {
    "program": (True,),
    "program-search": (True,),
    "ensemble": (True, False),
    "adapted": (True,),
}
"""Where a way uses an adapter: the states that it reads the document in, the one that it starts in last."""
ADAPTED_WAYS: tuple[Way, ...] = tuple(_ADAPTER_STATES)
_STRATEGIES: dict[Way, StrategyName] = {
    "search": "verified",
    "program": "program",
    "program-search": "program",
    "ensemble": "ensemble",
}
"""Of the ways that are edits of the engine's."""
_SLACK_TOKENS = 256
_SUFFIXES = {"python": "py", "javascript": "js", "typescript": "ts", "prose": "md"}


@dataclass(frozen=True, slots=True)
class Options:
    """What the ways depend on."""

    candidates: int = 4
    """How many candidates are looked for, by as many departures."""
    lookup_tokens: int = 10
    """How many tokens prompt lookup drafts at once."""
    is_steered: bool = False
    """The model is made to write the reference, so that its weights and its faults do not matter."""


@dataclass(frozen=True, slots=True)
class Found:
    """A whole document after the edit."""

    text: str
    origin: str
    log_likelihood: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one way gave. `is_complete` says that an answer came to its end, be it refused afterwards."""

    seconds: float
    forwards: int
    is_complete: bool
    num_tokens: int = 0
    """Of the first candidate's answer."""
    phases: dict[str, float] = field(default_factory=dict)
    """Wall-clock seconds."""
    found: tuple[Found, ...] = ()
    tokens: tuple[int, ...] = ()
    """The answer's, where the way tells them."""
    error: str | None = None
    """The name of what speaks against the answer, or of what stopped the way."""
    program: ProgramRecord | None = None
    fallback: str | None = None
    """Why another strategy had to step in."""
    is_doubtful: bool = False
    """Whether the first candidate is unlikely to be right, as the way sees it."""


class Workbench:
    """One case, and a loaded engine to carry it out with."""

    def __init__(self, engine: Engine, case: Case, options: Options) -> None:
        self._engine, self._case, self._options = engine, case, options
        self._snapshot = Snapshot(case.before)
        self._scope = self._snapshot.without_blank_edges(self._snapshot.all_lines)
        self._name = file_name(case)
        tokenizer = engine.model.tokenizer
        self.prompt = rewrite_prompt(tokenizer, self._snapshot, self._scope, case.instruction, self._name)
        after = Snapshot(case.after)
        answer = shown(after, after.without_blank_edges(after.all_lines)) + self.prompt.fence
        self._target = (*self.prompt.ids, *tokenizer.encode(answer), min(tokenizer.end_tokens))

    def carry_out(self, way: Way) -> Outcome:
        """Expected errors become part of the outcome; OutOfMemory is one of them."""
        model = self._engine.model
        for active in _ADAPTER_STATES.get(way, (False,)):
            model.use_adapter(active)
            model.rollback(0)
        try:
            if way == "plain" or way == "lookup":
                return self._generated(self._options.lookup_tokens if way == "lookup" else 0)
            if way == "verified" or way == "adapted":
                return self._verified()
            return self._edited(way)
        finally:
            model.use_adapter(False)

    def _generated(self, lookup: int) -> Outcome:
        model, prompt = self._engine.model, self.prompt
        assert isinstance(model, TransformersModel), "plain decoding is the library's own"
        limit = len(prompt.source) + max(_SLACK_TOKENS, len(prompt.source) // 4)
        target = self._target if self._options.is_steered else None
        start = time.perf_counter()
        try:
            decoding = generate(model, prompt.ids, prompt.fence, limit, lookup=lookup, target=target)
        except CopyspanError as error:
            return Outcome(time.perf_counter() - start, 0, False, error=type(error).__name__)
        seconds = time.perf_counter() - start
        found, refusal = self._read(decoding.tokens)
        return Outcome(
            seconds,
            decoding.forwards,
            is_complete=refusal not in (OutputTruncated.__name__, OutputRepeats.__name__),
            num_tokens=len(decoding.tokens),
            phases=decoding.seconds,
            found=found,
            tokens=tuple(decoding.tokens),
            error=refusal,
        )

    def _verified(self) -> Outcome:
        model: LanguageModel = self._engine.model
        if self._options.is_steered:
            model = Steered(model, self._target)
        meter, clock = Meter(), _Clock()
        try:
            first = self._greedy(model, meter, clock.see).first()
        except CopyspanError as error:
            return Outcome(clock.seconds, meter.forwards, False, phases=clock.phases(), error=type(error).__name__)
        phases = clock.phases()
        steps, answer = first.transcript.steps, first.answer
        outcome = Outcome(sum(phases.values()), meter.forwards, True, num_tokens=len(steps), phases=phases)
        if isinstance(answer, OutputRejected):
            return replace(outcome, error=type(answer).__name__)
        # An answer that was made to go on is no longer the model's own.
        tokens = tuple(step.token for step in steps) if answer.origin == "greedy" else ()
        return replace(outcome, found=(self._found(answer),), tokens=tokens)

    def _edited(self, way: Literal["search", "program", "program-search", "ensemble"]) -> Outcome:
        request = EditRequest(
            self._snapshot,
            self._case.instruction,
            name=self._name,
            strategy=_STRATEGIES[way],
            candidates=self._options.candidates if way in ("search", "program-search") else 1,
        )
        start = time.perf_counter()
        try:
            result = self._engine.edit(request)
        except CopyspanError as error:
            return Outcome(time.perf_counter() - start, 0, False, error=type(error).__name__)
        cost = result.cost
        return Outcome(
            time.perf_counter() - start,
            cost.forwards,
            is_complete=True,
            num_tokens=cost.copied_tokens + cost.generated_tokens,
            phases=cost.seconds,
            found=tuple(Found(c.text, c.origin, c.log_likelihood) for c in result.candidates),
            program=self._judged(result) if _STRATEGIES[way] == "program" else None,
            fallback=result.fallback,
            is_doubtful=result.is_doubtful,
        )

    def _judged(self, result: EditResult) -> ProgramRecord:
        program = result.best.program if result.strategy == "program" else None
        return judge_program(program, self._snapshot, self._scope, self._case.after)

    def _read(self, tokens: Sequence[int]) -> tuple[tuple[Found, ...], str | None]:
        """What copyspan makes of tokens that were decoded elsewhere, and the name of what speaks against them."""
        replay = Replay(self._engine.model, [*self.prompt.ids, *tokens])
        try:
            answer = self._greedy(replay, Meter(), lambda _: None).first().answer
        except OutputRejected as error:
            return (), type(error).__name__
        if isinstance(answer, OutputRejected):
            return (), type(answer).__name__
        # The replay knows the tokens alone; its probabilities are stand-ins.
        return (replace(self._found(answer), log_likelihood=None),), None

    def _greedy(self, model: LanguageModel, meter: Meter, emit: Callable[[Event], None]) -> Rewriter:
        run = Run(model, lambda: False, emit, meter, self._engine.settings.max_new_tokens)
        return Rewriter(run, self._snapshot, self._scope, self._case.instruction, self.prompt)

    def _found(self, answer: Answer) -> Found:
        text = render(settle(answer.ops, self._snapshot, self._scope), self._snapshot, self._scope)
        return Found(text, answer.origin, answer.log_likelihood)


def file_name(case: Case) -> str | None:
    """The name that the model is told: the file of a commit, or "main" with the language's suffix, if that is known."""
    path = PurePath(case.id.rpartition(":")[2])
    if ":" in case.id and path.suffix:
        return path.name
    suffix = _SUFFIXES.get(case.lang, case.lang)
    return f"main.{suffix}" if suffix.isalnum() else None


class _Clock:
    """Seconds of reading the prompt and of decoding, told apart as `Engine` does: by the first lines of the answer."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._decoding: float | None = None

    def see(self, event: Event) -> None:
        if self._decoding is None and isinstance(event, LinesCopied | TextGenerated):
            self._decoding = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def phases(self) -> dict[str, float]:
        now = time.perf_counter()
        between = now if self._decoding is None else self._decoding
        return {"prompt": between - self._start, "decode": now - between}
