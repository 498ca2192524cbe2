"""The engine: a request in, an edit out. The rest of the world sees this module and `copyspan.edits`.

It knows no files, no editor and no terminal. One engine owns one model, and one thread at a time may call it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from copyspan.config import EngineSettings, StrategyName
from copyspan.edits.edit import EditList
from copyspan.edits.lines import settle
from copyspan.edits.program import CopyLines, Program
from copyspan.edits.resolve import Hunk, render, resolve
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import UsageError
from copyspan.models.protocol import LanguageModel
from copyspan.models.weights import Progress, Silent, fetch
from copyspan.strategies.answer import Answer, Origin
from copyspan.strategies.context import Meter, Run
from copyspan.strategies.events import DepartureTried, Event, LinesCopied, PromptRead, SearchStarted, TextGenerated
from copyspan.strategies.program import write_program
from copyspan.strategies.rewrite import rewrite

__all__ = [
    "Candidate",
    "Cost",
    "DepartureTried",
    "EditRequest",
    "EditResult",
    "Engine",
    "EngineSettings",
    "Event",
    "LinesCopied",
    "PromptRead",
    "SearchStarted",
    "TextGenerated",
]


@dataclass(frozen=True, slots=True)
class EditRequest:
    """What a person asks for."""

    snapshot: Snapshot
    instruction: str
    scope: LineRange | None = None
    """The lines that may change; None is the whole document."""
    name: str | None = None
    """The document's file name, which tells the model its language."""
    strategy: StrategyName = "verified"
    candidates: int = 1
    """How many answers are wanted. With 1, others are searched for only where the first changes nothing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One complete edit. Law: `edits.apply(snapshot.text) == text`."""

    program: Program
    text: str
    """The whole document after the edit."""
    edits: EditList
    hunks: tuple[Hunk, ...]
    log_likelihood: float
    origin: Origin

    @property
    def changed(self) -> bool:
        return bool(self.edits.edits)


@dataclass(frozen=True, slots=True)
class Cost:
    """What an edit took. Lines and tokens are those of the best candidate, forwards and seconds those of all."""

    copied_lines: int
    generated_lines: int
    copied_tokens: int
    generated_tokens: int
    forwards: int
    """Sequential forwards, those that read the prompt included."""
    plain_forwards: int
    """What decoding the best candidate's answer token by token would take, reading the same prompt included."""
    prompt_tokens: int
    """Prompt tokens that were read for this edit."""
    reused_tokens: int
    """Prompt tokens whose keys and values were kept from an earlier edit."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall-clock by phase: prompt, decode, search, resolve."""


@dataclass(frozen=True, slots=True)
class EditResult:
    """Candidates, best first; the first changes nothing only where none does."""

    candidates: tuple[Candidate, ...]
    cost: Cost
    strategy: StrategyName
    model: str
    device: str
    dtype: str

    @property
    def best(self) -> Candidate:
        return self.candidates[0]


class Engine:
    """Edits documents with one model."""

    def __init__(self, model: LanguageModel, settings: EngineSettings | None = None) -> None:
        self.model = model
        self.settings = settings or EngineSettings()

    @classmethod
    def load(cls, settings: EngineSettings, progress: Progress | None = None) -> "Engine":
        """Fetch the model where it is not on disk, and load it. Raises ModelError and OutOfMemory."""
        folder = fetch(settings.model, settings.cache_dir, progress or Silent())
        from copyspan.models.transformers import TransformersModel  # torch takes seconds to import

        model = TransformersModel.load(
            folder,
            name=settings.model,
            device=settings.device,
            dtype=settings.dtype,
            context_size=settings.context_size,
        )
        return cls(model, settings)

    def edit(
        self,
        request: EditRequest,
        cancelled: Callable[[], bool] = lambda: False,
        on_event: Callable[[Event], None] = lambda _: None,
    ) -> EditResult:
        """Carry out a request.

        Raises UsageError, ContextTooLong (before any work), OutputRejected, OutOfMemory and Cancelled; after each of
        them the engine is ready for the next request.
        """
        # Models drop blank lines at the start and the end of what they rewrite; nobody asked them to.
        scope = request.snapshot.without_blank_edges(_checked_scope(request))
        clock = _PhaseClock(on_event)
        meter = Meter()
        run = Run(self.model, cancelled, clock.see, meter, self.settings.max_new_tokens)
        answers = self._answers(run, request, scope)
        clock.enter("resolve")
        candidates = tuple(_candidate(request.snapshot, scope, answer) for answer in answers)
        seconds = clock.stop()
        cost = _cost(answers[0], meter, seconds)
        return EditResult(candidates, cost, request.strategy, self.model.name, self.model.device, self.model.dtype)

    def _answers(self, run: Run, request: EditRequest, scope: LineRange) -> list[Answer]:
        if request.strategy == "program":
            return [write_program(run, request.snapshot, scope, request.instruction, request.name)]
        return rewrite(
            run,
            request.snapshot,
            scope,
            request.instruction,
            request.name,
            num_candidates=request.candidates,
            width=self.settings.search_width,
        )


class _PhaseClock:
    """Seconds a phase, told by the events that pass through on their way to the caller."""

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._on_event = on_event
        self._seconds: dict[str, float] = {}
        self._phase = "prompt"
        self._since = time.perf_counter()

    def see(self, event: Event) -> None:
        if isinstance(event, LinesCopied | TextGenerated) and self._phase == "prompt":
            self.enter("decode")
        elif isinstance(event, SearchStarted):
            self.enter("search")
        self._on_event(event)

    def enter(self, phase: str) -> None:
        now = time.perf_counter()
        self._seconds[self._phase] = self._seconds.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def stop(self) -> dict[str, float]:
        self.enter("")
        return self._seconds


def _checked_scope(request: EditRequest) -> LineRange:
    if not request.instruction.strip():
        raise UsageError("The instruction is empty. Say what to change, for example: -i 'rename total to amount'.")
    if request.candidates < 1:
        raise UsageError(f"candidates is {request.candidates}; ask for at least 1.")
    everything = request.snapshot.all_lines
    scope = request.scope or everything
    if scope.stop > everything.stop or (scope.start == scope.stop and scope != everything):
        raise UsageError(
            f"Lines {scope.start + 1}-{scope.stop} are not in the document, which has {everything.stop} lines. "
            "Choose lines from 1 to that number."
        )
    return scope


def _candidate(snapshot: Snapshot, scope: LineRange, answer: Answer) -> Candidate:
    program = settle(answer.ops, snapshot, scope)
    resolution = resolve(program, snapshot, scope)
    text = render(program, snapshot, scope)
    return Candidate(program, text, resolution.edits, resolution.hunks, answer.log_likelihood, answer.origin)


def _cost(answer: Answer, meter: Meter, seconds: dict[str, float]) -> Cost:
    copied_lines = sum(op.stop - op.start for op in answer.ops if isinstance(op, CopyLines))
    generated_lines = sum(len(op.lines) for op in answer.ops if not isinstance(op, CopyLines))
    return Cost(
        copied_lines=copied_lines,
        generated_lines=generated_lines,
        copied_tokens=answer.copied_tokens,
        generated_tokens=answer.generated_tokens,
        forwards=meter.forwards,
        plain_forwards=meter.prompt_forwards + answer.copied_tokens + answer.generated_tokens,
        prompt_tokens=meter.prompt_tokens,
        reused_tokens=meter.reused_tokens,
        seconds=seconds,
    )
