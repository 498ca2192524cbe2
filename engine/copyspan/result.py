"""What is asked of the engine, and what comes back: values only."""

from dataclasses import KW_ONLY, dataclass, field

from copyspan.config import CONTEXT_LINES, StrategyName, StrategyWish
from copyspan.edits.edit import EditList
from copyspan.edits.program import Program
from copyspan.edits.resolve import Hunk
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import UsageError
from copyspan.strategies.answer import Origin


@dataclass(frozen=True, slots=True)
class EditRequest:
    """What a person asks for."""

    snapshot: Snapshot
    instruction: str
    scope: LineRange | None = None
    """The lines that may change; None is the whole document."""
    name: str | None = None
    """The document's file name, which tells the model its language."""
    _: KW_ONLY
    strategy: StrategyWish = "auto"
    context_lines: int = CONTEXT_LINES
    """How many lines above a scope that is not the whole document are shown to the model, at most."""
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
    copied_lines: int
    generated_lines: int
    copied_tokens: int
    generated_tokens: int

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
    """The one that gave the candidates."""
    model: str
    device: str
    dtype: str
    searched: int = 0
    """How many departures were tried; `Engine.search` goes on after them."""
    fallback: str | None = None
    """Why the strategy that was asked for gave nothing, in a sentence, where another one stepped in."""
    is_doubtful: bool = False
    """Whether the strategy itself finds the best candidate unlikely to be right. False says nothing where the
    lines were rewritten and no program was asked for."""

    @property
    def best(self) -> Candidate:
        return self.candidates[0]

    @property
    def warning(self) -> str | None:
        """What a person should know of the best candidate, in words."""
        if self.fallback:
            return f"{self.fallback} The lines were rewritten instead."
        if self.is_doubtful:
            return "The model is not sure of this edit. Look at it closely, or ask for other candidates."
        return None


def check_instruction(instruction: str) -> None:
    """Raise UsageError where nothing is asked for."""
    if not instruction.strip():
        raise UsageError("The instruction is empty. Say what to change, for example: rename total to amount.")
