"""The engine: a request in, an edit out. The rest of the world sees this module and `copyspan.edits`.

It knows no files, no editor and no terminal. One engine owns one model, and one thread at a time may call it.
"""

import os
from collections.abc import Callable
from dataclasses import replace

from copyspan.config import KEY_VARIABLE, EngineSettings, StrategyWish
from copyspan.edits.prefix import common_prefix
from copyspan.edits.text import Snapshot
from copyspan.errors import ContextTooLong, OutputRejected
from copyspan.models.adapters import choose as choose_adapter
from copyspan.models.adapters import shipped_cards
from copyspan.models.protocol import LanguageModel
from copyspan.models.weights import Progress, Silent, fetch, fetch_tokenizer, require
from copyspan.result import Candidate, Cost, EditRequest, EditResult, check_instruction
from copyspan.strategies.context import warm
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
from copyspan.work import Work

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
        work = self._work(request, cancelled, on_event)
        width = self.settings.search_width
        if work.strategy == "program":
            try:
                return work.result(work.writer().write(request.candidates, width), "program")
            except OutputRejected as refusal:
                try:
                    found = work.rewriter().rewrite(request.candidates, width)
                except ContextTooLong:  # what was asked for did fit
                    raise refusal from None
                return work.result(found, "verified", fallback=_reason(refusal))
        if work.strategy == "ensemble":
            return work.result(work.ensemble().write(request.candidates, width), "ensemble")
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
        work = self._work(request, cancelled, on_event)
        more = work.finder(result.strategy).more(work.known(result), result.searched, self.settings.search_width)
        found = work.result(more, result.strategy, result.candidates, fallback=result.fallback)
        return replace(found, is_doubtful=result.is_doubtful)  # the best candidate is the same

    def warm(
        self,
        snapshot: Snapshot,
        name: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        strategy: StrategyWish = "auto",
    ) -> None:
        """Read what every prompt about this whole document begins with, so that an edit of it begins sooner.

        The edit must be of the same strategy. Raises ContextTooLong, OutOfMemory and Cancelled.
        """
        requests = [EditRequest(snapshot, instruction, name=name, strategy=strategy) for instruction in ("a", "b")]
        works = [self._work(request, cancelled) for request in requests]
        first, second = (work.prompt_ids() for work in works)
        self.model.use_adapter(works[0].strategy == "program")
        warm(works[0].run, first[: common_prefix(first, second)])

    def close(self) -> None:
        """Give the model's memory back. The engine must not be used afterwards."""
        self.model.close()

    def _work(
        self,
        request: EditRequest,
        cancelled: Callable[[], bool],
        on_event: Callable[[Event], None] = lambda _: None,
    ) -> Work:
        return Work(self.model, request, self.settings.max_new_tokens, cancelled, on_event)


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
