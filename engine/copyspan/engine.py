"""The engine: a request in, an edit out. The rest of the world sees this module and `copyspan.edits`.

It knows no files, no editor and no terminal. One engine owns one model, and one thread at a time may call it.
"""

import os
import time
from collections.abc import Callable

from copyspan.config import KEY_VARIABLE, EngineSettings, StrategyName
from copyspan.edits.lines import settle
from copyspan.edits.prefix import common_prefix
from copyspan.edits.program import CopyLines
from copyspan.edits.resolve import render, resolve
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import OutputRejected, UsageError
from copyspan.models.adapters import choose as choose_adapter
from copyspan.models.adapters import shipped_cards
from copyspan.models.prompt import rewrite_prompt, shown
from copyspan.models.protocol import LanguageModel
from copyspan.models.weights import Progress, Silent, fetch, fetch_tokenizer, require
from copyspan.result import Candidate, Cost, EditRequest, EditResult, check_instruction
from copyspan.strategies.answer import Answer, Rewrites
from copyspan.strategies.choice import Situation, choose
from copyspan.strategies.context import Meter, Run, warm
from copyspan.strategies.events import (
    AnswerStarted,
    DepartureTried,
    Event,
    HunkReady,
    LinesCopied,
    PromptRead,
    SearchStarted,
    TextGenerated,
)
from copyspan.strategies.hunks import HunkTeller
from copyspan.strategies.program import ProgramWriter
from copyspan.strategies.rewrite import Rewriter
from copyspan.strategies.verify import ANSWER_MARGIN

__all__ = [
    "AnswerStarted",
    "Candidate",
    "Cost",
    "DepartureTried",
    "EditRequest",
    "EditResult",
    "Engine",
    "EngineSettings",
    "Event",
    "HunkReady",
    "LinesCopied",
    "Progress",
    "PromptRead",
    "SearchStarted",
    "TextGenerated",
    "check_instruction",
]


class Engine:
    """Edits documents with one model."""

    def __init__(self, model: LanguageModel, settings: EngineSettings | None = None) -> None:
        self.model = model
        self.settings = settings or EngineSettings()

    @classmethod
    def load(cls, settings: EngineSettings, progress: Progress | None = None) -> "Engine":
        """Fetch the model where it is not on disk, and load it; of a served model the tokenizer alone, and connect.

        Raises ModelError, OutOfMemory, and UsageError for a server that text may not be sent to.
        """
        told = progress or Silent()
        if settings.server is not None:
            return cls(_served_model(settings, settings.server, told), settings)
        folder = fetch(settings.model, settings.cache_dir, told)
        adapter = choose_adapter(settings.adapter, settings.model, folder)
        from copyspan.models.device import best_dtype  # torch takes seconds to import
        from copyspan.models.transformers import TransformersModel

        device, _ = best_dtype(settings.device, settings.dtype)
        told.started(f"Loading {settings.model} on {device}", None, "")
        model = TransformersModel.load(
            folder,
            name=settings.model,
            device=device,
            dtype=settings.dtype,
            context_size=settings.context_size,
            adapter=adapter,
        )
        told.finished()
        return cls(model, settings)

    @staticmethod
    def require(settings: EngineSettings) -> None:
        """Raise ModelMissing, with the size and the way to get it, where the model is not on disk. Uses no network.

        A served model need not be on disk.
        """
        if settings.server is None:
            require(settings.model, settings.cache_dir)

    @staticmethod
    def fetch(settings: EngineSettings, progress: Progress | None = None) -> None:
        """Bring the model to disk, or the tokenizer of a served one.

        Raises ModelError, and whatever `progress.advanced` raises to stop it.
        """
        bring = fetch if settings.server is None else fetch_tokenizer
        bring(settings.model, settings.cache_dir, progress or Silent())

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
        scope = _inner_scope(request)
        work = _Work(self, request, scope, cancelled, on_event)
        width = self.settings.search_width
        if work.strategy() == "program":
            try:
                return work.result(work.writer().write(request.candidates, width), "program")
            except OutputRejected as refusal:
                return work.result(
                    work.rewriter().rewrite(request.candidates, width), "verified", fallback=_reason(refusal)
                )
        return work.result(work.rewriter().rewrite(request.candidates, width), "verified")

    def search(
        self,
        request: EditRequest,
        result: EditResult,
        cancelled: Callable[[], bool] = lambda: False,
        on_event: Callable[[Event], None] = lambda _: None,
    ) -> EditResult:
        """Look for further candidates of a request that gave `result`, whatever the engine did in between.

        The new ones come after those that are known, and before one that changes nothing; where nothing new is found
        the candidates are the same. The cost is that of this search. Raises what `edit` raises.
        """
        scope = _inner_scope(request)
        work = _Work(self, request, scope, cancelled, on_event)
        known = [_scope_lines(candidate, request.snapshot, scope) for candidate in result.candidates]
        finder = work.writer() if result.strategy == "program" else work.rewriter()
        more = finder.more(known, result.searched, self.settings.search_width)
        return work.result(more, result.strategy, result.candidates, fallback=result.fallback)

    def warm(
        self,
        snapshot: Snapshot,
        name: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Read what every prompt about this whole document begins with, so that an edit of it begins sooner.

        Raises ContextTooLong, OutOfMemory and Cancelled.
        """
        inner = snapshot.without_blank_edges(snapshot.all_lines)
        tokenizer = self.model.tokenizer
        first, second = (rewrite_prompt(tokenizer, snapshot, inner, text, name).ids for text in ("a", "b"))
        run = Run(self.model, cancelled, lambda _: None, Meter(), self.settings.max_new_tokens)
        self.model.use_adapter(False)
        warm(run, first[: common_prefix(first, second)])

    def close(self) -> None:
        """Give the model's memory back. The engine must not be used afterwards."""
        self.model.close()


class _Work:
    """One call of the engine: its run, its clock and its meter."""

    def __init__(
        self,
        engine: Engine,
        request: EditRequest,
        scope: LineRange,
        cancelled: Callable[[], bool],
        on_event: Callable[[Event], None],
    ) -> None:
        self._model = engine.model
        self._request = request
        self._scope = scope
        self._clock = _PhaseClock(HunkTeller(on_event, request.snapshot, scope).see)
        self._meter = Meter()
        self.run = Run(engine.model, cancelled, self._clock.see, self._meter, engine.settings.max_new_tokens)

    def strategy(self) -> StrategyName:
        """The one that the request wishes for, or that suits."""
        request, model = self._request, self._model
        if request.strategy != "auto" or model.adapter is None:
            return choose(request.strategy, Situation(False, 0, 0, 0))
        prompt = rewrite_prompt(
            model.tokenizer,
            request.snapshot,
            self._scope,
            request.instruction,
            request.name,
            request.context_lines,
        )
        return choose("auto", Situation(True, len(prompt.ids), len(prompt.source) + ANSWER_MARGIN, model.context_size))

    def rewriter(self) -> Rewriter:
        request = self._request
        self._model.use_adapter(False)
        return Rewriter(
            self.run, request.snapshot, self._scope, request.instruction, request.name, request.context_lines
        )

    def writer(self) -> ProgramWriter:
        request, adapter = self._request, self._model.adapter
        self._model.use_adapter(True)
        # A model that was not trained sees what it copies, as it would in a text.
        splice = adapter is None or adapter.splice
        return ProgramWriter(self.run, request.snapshot, self._scope, request.instruction, request.name, splice=splice)

    def result(
        self,
        found: Rewrites,
        strategy: StrategyName,
        known: tuple[Candidate, ...] = (),
        fallback: str | None = None,
    ) -> EditResult:
        self._clock.enter("resolve")
        new = (_candidate(self._request.snapshot, self._scope, answer) for answer in found.answers)
        candidates = (*known, *new)
        if known:
            candidates = tuple(sorted(candidates, key=lambda candidate: not candidate.changed))
        seconds = self._clock.stop()
        model = self._model
        return EditResult(
            candidates,
            _cost(candidates[0], self._meter, seconds),
            strategy,
            model.name,
            model.device,
            model.dtype,
            found.searched,
            fallback,
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


def _served_model(settings: EngineSettings, url: str, progress: Progress) -> LanguageModel:
    from copyspan.models.served import Link, check_address, connect, shared_tokenizer

    address = check_address(url, allow_plain_http=settings.allow_plain_http)
    folder = fetch_tokenizer(settings.model, settings.cache_dir, progress)
    progress.started(f"Connecting to {address.host}", None, "")
    model = connect(
        Link(address, os.environ.get(KEY_VARIABLE)),
        settings.served_model or settings.model,
        shared_tokenizer(folder),
        context_size=settings.context_size,
        adapters=() if settings.adapter == "none" else shipped_cards(),
    )
    progress.finished()
    if not model.abilities.scores_prompts:
        progress.noted(f"{address.host}: {model.abilities.way}")
    return model


def _reason(refusal: OutputRejected) -> str:
    """What was refused and why, without the advice: something else was done meanwhile."""
    return str(refusal).partition("; nothing was changed")[0] + "."


def _inner_scope(request: EditRequest) -> LineRange:
    """The lines that may change. Models drop blank lines at the start and the end of what they rewrite; nobody asked
    them to."""
    return request.snapshot.without_blank_edges(_checked_scope(request))


def _checked_scope(request: EditRequest) -> LineRange:
    check_instruction(request.instruction)
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
    return Candidate(
        program=program,
        text=render(program, snapshot, scope),
        edits=resolution.edits,
        hunks=resolution.hunks,
        log_likelihood=answer.log_likelihood,
        origin=answer.origin,
        copied_lines=sum(op.stop - op.start for op in answer.ops if isinstance(op, CopyLines)),
        generated_lines=sum(len(op.lines) for op in answer.ops if not isinstance(op, CopyLines)),
        copied_tokens=answer.copied_tokens,
        generated_tokens=answer.generated_tokens,
    )


def _scope_lines(candidate: Candidate, snapshot: Snapshot, scope: LineRange) -> str:
    """The scope after an edit, as a model writes it: every line ended by LF."""
    start, stop = snapshot.span(scope)
    new = Snapshot(candidate.text[start : len(candidate.text) - (len(snapshot.text) - stop)])
    return shown(new, new.all_lines)


def _cost(candidate: Candidate, meter: Meter, seconds: dict[str, float]) -> Cost:
    return Cost(
        copied_lines=candidate.copied_lines,
        generated_lines=candidate.generated_lines,
        copied_tokens=candidate.copied_tokens,
        generated_tokens=candidate.generated_tokens,
        forwards=meter.forwards,
        plain_forwards=meter.prompt_forwards + candidate.copied_tokens + candidate.generated_tokens,
        prompt_tokens=meter.prompt_tokens,
        reused_tokens=meter.reused_tokens,
        seconds=seconds,
    )
