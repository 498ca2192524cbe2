"""One request at one model: its strategy, its prompts, what it takes, and the result that becomes of answers."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from copyspan.config import StrategyName
from copyspan.edits.lines import settle
from copyspan.edits.program import CopyLines
from copyspan.edits.resolve import render, resolve
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import UsageError
from copyspan.models.prompt import NumberedPrompt, RewritePrompt, numbered_prompt, rewrite_prompt, shown
from copyspan.models.protocol import LanguageModel, splices_copies
from copyspan.result import Candidate, Cost, EditRequest, EditResult, check_instruction
from copyspan.strategies.answer import Answer, Rewrites
from copyspan.strategies.choice import choose
from copyspan.strategies.context import Meter, Run
from copyspan.strategies.ensemble import Ensemble
from copyspan.strategies.events import Event, LinesCopied, SearchStarted, TextGenerated
from copyspan.strategies.hunks import HunkTeller
from copyspan.strategies.program import ProgramWriter
from copyspan.strategies.rewrite import Rewriter


class Work:
    """One request at one model. Raises UsageError for a request that cannot be carried out."""

    def __init__(
        self,
        model: LanguageModel,
        request: EditRequest,
        max_new_tokens: int,
        cancelled: Callable[[], bool] = lambda: False,
        on_event: Callable[[Event], None] = lambda _: None,
    ) -> None:
        self._model = model
        self._request = request
        self._scope = _inner_scope(request)
        self._clock = _PhaseClock(HunkTeller(on_event, request.snapshot, self._scope).see)
        self._meter = Meter()
        self.run = Run(model, cancelled, self._clock.see, self._meter, max_new_tokens)

    @cached_property
    def strategy(self) -> StrategyName:
        """The one that the request wishes for, or that suits."""
        wish, model = self._request.strategy, self._model
        return choose(model.adapter is not None, model.looks_ahead) if wish == "auto" else wish

    def prompt_ids(self) -> Sequence[int]:
        """The prompt of this strategy."""
        return self._numbered_prompt.ids if self.strategy == "program" else self._rewrite_prompt.ids

    def rewriter(self) -> Rewriter:
        self._model.use_adapter(False)
        request = self._request
        return Rewriter(self.run, request.snapshot, self._scope, request.instruction, self._rewrite_prompt)

    def writer(self) -> ProgramWriter:
        self._model.use_adapter(True)
        return self._writer(self.run)

    def _writer(self, run: Run) -> ProgramWriter:
        request, splice = self._request, splices_copies(self._model.adapter)
        return ProgramWriter(
            run, request.snapshot, self._scope, request.instruction, self._numbered_prompt, splice=splice
        )

    def finder(self, strategy: StrategyName) -> Rewriter | ProgramWriter | Ensemble:
        """What looks for further candidates of a strategy."""
        match strategy:
            case "verified":
                return self.rewriter()
            case "program":
                return self.writer()
            case "ensemble":
                return self.ensemble()

    def ensemble(self) -> Ensemble:
        """Only rewriting is told of: whoever watches sees one answer become another."""
        quiet = replace(self.run, emit=lambda _: None)
        writer, rewriter = self._writer(quiet), self.rewriter()
        return Ensemble(self.run, self._request.snapshot, rewriter, writer)

    @cached_property
    def _rewrite_prompt(self) -> RewritePrompt:
        request = self._request
        return rewrite_prompt(
            self._model.tokenizer,
            request.snapshot,
            self._scope,
            request.instruction,
            request.name,
            request.context_lines,
        )

    @cached_property
    def _numbered_prompt(self) -> NumberedPrompt:
        request = self._request
        return numbered_prompt(self._model.tokenizer, request.snapshot, self._scope, request.instruction, request.name)

    def known(self, result: EditResult) -> list[str]:
        """The scope after each edit that is known already, as a model writes it."""
        return [_scope_lines(candidate, self._request.snapshot, self._scope) for candidate in result.candidates]

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
            found.is_doubtful,
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
