"""What a person asked of `copyspan edit`, checked before any file is read or model loaded."""

from dataclasses import dataclass
from typing import Literal

from copyspan.config import EngineSettings, StrategyWish
from copyspan.edits.text import LineRange, Snapshot
from copyspan.engine import EditRequest
from copyspan.errors import UsageError

STDIN = "-"
Form = Literal["view", "diff", "json"]
"""What standard output shows: the diff for people, the diff for programs, or one JSON object."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The options of one edit. Raises UsageError for those that contradict each other."""

    file: str
    instruction: str
    settings: EngineSettings
    lines: LineRange | None = None
    candidates: int | None = None
    strategy: StrategyWish = "auto"
    form: Form = "view"
    writes: bool = False
    shows_program: bool = False
    check: str | None = None
    check_timeout: float = 600.0
    name: str | None = None

    def __post_init__(self) -> None:
        if not self.instruction.strip():
            raise UsageError("The instruction is empty. Say what to change, for example: -i 'rename total to amount'.")
        if self.check is not None and not self.check.strip():
            raise UsageError("--check needs a command, for example: --check 'pytest -q'.")
        writing = "--check" if self.check is not None else "--write"
        if self.is_stdin and (self.writes or self.check is not None):
            raise UsageError(f"{writing} needs a file; with - the result goes to standard output.")
        if self.form == "diff" and (self.writes or self.check is not None):
            raise UsageError(f"--diff writes nothing, so it does not go with {writing}. Leave one of them out.")

    @property
    def is_stdin(self) -> bool:
        return self.file == STDIN

    def request(self, snapshot: Snapshot) -> EditRequest:
        """The request to the engine. Raises UsageError for lines that the document lacks."""
        if self.lines is not None and self.lines.stop > snapshot.num_lines:
            raise UsageError(_out_of_range(self.lines, snapshot))
        name = self.name or (None if self.is_stdin else self.file)
        wanted = self.candidates or (1 if self.check is None else self.settings.search_width)
        return EditRequest(snapshot, self.instruction, self.lines, name, strategy=self.strategy, candidates=wanted)


def form_of(diff: bool, json: bool) -> Form:
    """Raises UsageError where both are asked for."""
    if diff and json:
        raise UsageError("--diff and --json both want standard output. Leave one of them out.")
    return "diff" if diff else "json" if json else "view"


def parse_lines(text: str) -> LineRange:
    """`A-B` or `A`, counted from 1 and inclusive. Raises ValueError."""
    first, dash, last = text.partition("-")
    if not (first.isascii() and first.isdigit() and (not dash or (last.isascii() and last.isdigit()))):
        raise ValueError(f"{text!r} is not a range of lines such as 3-7")
    start, stop = int(first), int(last if dash else first)
    if not 1 <= start <= stop:
        raise ValueError(f"{text!r} is empty: lines are counted from 1, and the first comes first")
    return LineRange(start - 1, stop)


def _out_of_range(lines: LineRange, snapshot: Snapshot) -> str:
    asked = f"--lines {lines.start + 1}-{lines.stop}"
    if snapshot.num_lines == 0:
        return f"{asked}: the document is empty and has no lines. Leave --lines out."
    return f"{asked}: the document has {snapshot.num_lines} lines. Choose from 1-{snapshot.num_lines}."
