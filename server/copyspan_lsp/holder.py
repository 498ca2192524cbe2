"""The loaded engine, and how it comes and goes. Lives in the worker's thread; knows no queue and no LSP."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from copyspan.engine import Engine, EngineSettings, Progress
from copyspan.errors import CopyspanError, ModelMissing

Phase = Literal["unloaded", "missing", "downloading", "loading", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class ModelState:
    """What is known of the model."""

    phase: Phase = "unloaded"
    device: str | None = None
    dtype: str | None = None
    message: str | None = None
    """What is missing or failed, and what to do."""


class Loader(Protocol):
    """How an engine is made: `load_installed`, or a double in its place."""

    def __call__(self, settings: EngineSettings, progress: Progress) -> Engine: ...


def load_installed(settings: EngineSettings, progress: Progress) -> Engine:
    """Load a model that is on disk. Raises ModelMissing instead of fetching gigabytes that nobody asked for."""
    Engine.require(settings)
    return Engine.load(settings, progress)


class EngineHolder:
    """At most one engine. `tell` is called with every change of state, from the calling thread."""

    def __init__(self, load: Loader, tell: Callable[[ModelState], None]) -> None:
        self._load = load
        self._tell = tell
        self._loaded: tuple[EngineSettings, Engine] | None = None

    def get(self, settings: EngineSettings, progress: Progress) -> Engine:
        """The engine of these settings, loaded if need be. Raises CopyspanError."""
        engine = self.peek(settings)
        if engine is None:
            engine = self._load_anew(settings, progress)
        self._tell(ModelState("ready", engine.model.device, engine.model.dtype))
        return engine

    def peek(self, settings: EngineSettings) -> Engine | None:
        """The engine, if it is loaded with these settings."""
        return self._loaded[1] if self._loaded is not None and self._loaded[0] == settings else None

    def drop(self) -> None:
        """Give the engine's memory back."""
        if self._loaded is not None:
            self._loaded[1].close()
            self._loaded = None
            self._tell(ModelState())

    def _load_anew(self, settings: EngineSettings, progress: Progress) -> Engine:
        self.drop()
        self._tell(ModelState("loading"))
        progress.started(f"Loading {settings.model}", None, "")  # before the seconds that importing torch takes
        try:
            engine = self._load(settings, progress)
        except BaseException as error:
            self._tell(_state_after(error))
            raise
        self._loaded = settings, engine
        return engine


def _state_after(error: BaseException) -> ModelState:
    if isinstance(error, ModelMissing):
        return ModelState("missing", message=str(error))
    return ModelState("failed", message=str(error)) if isinstance(error, CopyspanError) else ModelState("failed")
