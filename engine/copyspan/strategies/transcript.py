"""What a model wrote, token by token, and where each token came from. Knows no model."""

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from copyspan.edits.lines import LineOp, NewLines
from copyspan.edits.program import CopyLines
from copyspan.errors import OutputRejected


@dataclass(frozen=True, slots=True)
class Step:
    """One output token."""

    token: int
    logprob: float
    source: int | None
    """Its index in the prompt's source tokens where it was copied, else None."""
    alternative: int = -1
    """The best token that differs from the source's; -1 where the model did not choose, or did not copy."""
    alternative_logprob: float = float("-inf")


@dataclass(frozen=True)
class SourceMap:
    """Where the source's tokens and lines lie in its bytes."""

    token_starts: tuple[int, ...]
    """Byte offsets, num_tokens + 1 of them; the end token is empty."""
    line_starts: tuple[int, ...]
    """Byte offsets of the scope's lines, num_lines + 1 of them."""

    @cached_property
    def lines_by_start(self) -> dict[int, int]:
        """Line numbers by the offset of the line's first byte."""
        return {start: line for line, start in enumerate(self.line_starts[:-1])}

    @classmethod
    def of(cls, token_bytes: list[bytes], text: bytes, num_lines: int) -> "SourceMap":
        """`text` holds `num_lines` lines, each ended by LF, and then the closing fence."""
        starts = [0]
        for data in token_bytes:
            starts.append(starts[-1] + len(data))
        lines = [0]
        for _ in range(num_lines):
            lines.append(text.index(b"\n", lines[-1]) + 1)
        return cls(tuple(starts), tuple(lines))


@dataclass(slots=True)
class Transcript:
    """The output so far. `end` is the byte offset of the closing fence once the answer is complete."""

    steps: list[Step] = field(default_factory=list)
    step_starts: list[int] = field(default_factory=list)
    """The byte offset where each step's text begins."""
    text: bytearray = field(default_factory=bytearray)
    origin: list[int] = field(default_factory=list)
    """For every byte of the text its offset in the source's bytes, or -1 where it was not copied."""
    end: int | None = None

    def append(self, step: Step, data: bytes, source: SourceMap) -> None:
        """Add a token and its bytes."""
        self.steps.append(step)
        self.step_starts.append(len(self.text))
        self.text += data
        if step.source is None:
            self.origin += [-1] * len(data)
        else:
            first = source.token_starts[step.source]
            self.origin += range(first, first + len(data))

    @property
    def num_body_steps(self) -> int:
        """How many steps begin before the closing fence."""
        assert self.end is not None
        return bisect_left(self.step_starts, self.end)

    @property
    def log_likelihood(self) -> float:
        """Natural logarithm of the probability of the whole output given the prompt."""
        return sum(step.logprob for step in self.steps)

    @property
    def num_copied(self) -> int:
        return sum(step.source is not None for step in self.steps)

    def body(self) -> str:
        """The answer without its closing fence. Raises OutputRejected where the model wrote half a character."""
        assert self.end is not None
        try:
            return self.text[: self.end].decode()
        except UnicodeDecodeError as error:
            raise OutputRejected(
                f"The model wrote bytes that are no text (at byte {error.start} of its answer); nothing was changed. "
                "Ask for another candidate."
            ) from error

    def copied_line(self, start: int, stop: int, source: SourceMap) -> int | None:
        """The line of the scope that bytes start..stop, one line of output, were copied from, every byte of it."""
        line = source.lines_by_start.get(self.origin[start])
        if line is None:
            return None
        whole = range(source.line_starts[line], source.line_starts[line + 1])
        return line if self.origin[start:stop] == list(whole) else None


def line_ops(transcript: Transcript, source: SourceMap, first_line: int) -> list[LineOp]:
    """The answer line by line: copied where every byte of the line was copied from one line of the source.

    Known by provenance, not by a diff. Copies that would go backwards become new lines, so that the result is monotone.
    Lines are numbered from `first_line`.
    """
    lines: list[int | str] = []
    next_line = start = 0
    for content in transcript.body().split("\n")[:-1]:
        stop = start + len(content.encode()) + 1
        copied = transcript.copied_line(start, stop, source)
        if copied is not None and copied >= next_line:
            lines.append(first_line + copied)
            next_line = copied + 1
        else:
            lines.append(content)
        start = stop
    return _grouped(lines)


def _grouped(lines: list[int | str]) -> list[LineOp]:
    """Operations from copied lines (their numbers) and new ones (their contents)."""
    ops: list[LineOp] = []
    for is_new, group in groupby(lines, key=lambda line: isinstance(line, str)):
        members = list(group)
        if is_new:
            ops.append(NewLines(tuple(map(str, members))))
            continue
        for number in map(int, members):
            last = ops[-1] if ops else None
            if isinstance(last, CopyLines) and last.stop == number:
                ops[-1] = CopyLines(last.start, number + 1)
            else:
                ops.append(CopyLines(number, number + 1))
    return ops
