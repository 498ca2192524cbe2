"""Edit pairs as token ids: the prompt, and the program as a decoder's context holds it. Knows no torch.

A decoder lets the model choose where the grammar leaves a choice, and encodes the text between two choices by itself.
The ids here are those of a model that chooses, everywhere, the token that its tokenizer would write.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from copyspan.edits.program import Op, Program, format_program
from copyspan.edits.text import LineRange
from copyspan.grammar.pieces import PieceWriter
from copyspan.grammar.surface import Ended, Surface
from copyspan.models.prompt import numbered_prompt
from copyspan.models.protocol import Tokenizer
from copyspan.train.oracle import NoProgram, oracle
from copyspan.train.pairs import EditPair

_OPEN, _CLOSE = "<program>\n", "</program>"


@dataclass(frozen=True, slots=True)
class Transcript:
    """One example for training, in arrays of 4 bytes a token."""

    id: str
    prompt: "array[int]"
    answer: "array[int]"
    """The program in surface form, with the copied lines after their tags where it is spliced, and the end token."""
    is_learnt: bytes
    """1 for each token of the answer that the model writes, 0 for each one that is copied."""

    def __len__(self) -> int:
        return len(self.prompt) + len(self.answer)

    @property
    def num_learnt(self) -> int:
        return sum(self.is_learnt)


@dataclass(frozen=True, slots=True)
class Transcripts:
    """The examples of some pairs, in their order, and how many pairs were left out for which reason."""

    items: tuple[Transcript, ...]
    skipped: Counter[str]


@dataclass(frozen=True, slots=True)
class Transcriber:
    """Makes transcripts for one tokenizer. `end` is the token after the program."""

    tokenizer: Tokenizer
    end: int
    max_tokens: int
    splice: bool = False

    def all(self, pairs: Iterable[EditPair], on_pair: Callable[[], None] = lambda: None) -> Transcripts:
        items: list[Transcript] = []
        skipped: Counter[str] = Counter()
        for pair in pairs:
            try:
                items.append(self.transcribe(pair))
            except NoProgram as error:
                skipped[error.reason] += 1
            on_pair()
        return Transcripts(tuple(items), skipped)

    def transcribe(self, pair: EditPair) -> Transcript:
        """Raises NoProgram, also where prompt and answer are more than `max_tokens` together."""
        found = oracle(pair)
        prompt = numbered_prompt(self.tokenizer, found.snapshot, found.scope, pair.instruction, pair.name or None)
        line_ids = prompt.line_ids if self.splice else None
        written = program_ids(self.tokenizer, found.program, found.scope, line_ids)
        if len(prompt.ids) + len(written.ids) + 1 > self.max_tokens:
            raise NoProgram("too long")
        answer = array("i", [*written.ids, self.end])
        return Transcript(pair.id, array("i", prompt.ids), answer, bytes([*written.is_learnt, 1]))


@dataclass(slots=True)
class ProgramIds:
    """The ids of a program, and for each whether the model writes it (or it is copied)."""

    ids: list[int] = field(default_factory=list)
    is_learnt: list[bool] = field(default_factory=list)

    def add(self, ids: Sequence[int], is_learnt: bool) -> None:
        self.ids += ids
        self.is_learnt += [is_learnt] * len(ids)


def program_ids(
    tokenizer: Tokenizer, program: Program, scope: LineRange, line_ids: Sequence[Sequence[int]] | None = None
) -> ProgramIds:
    """A program as `strategies.program` brings it into a model's context, without the newline after it.

    With `line_ids`, those of the scope's lines, the lines of each copy follow the token that completes its tag.
    """
    surface = Surface(scope.start + 1, scope.stop)
    writer = PieceWriter(surface, tokenizer.encode, tokenizer.vocabulary)
    written, at = ProgramIds(), surface.start
    for part in (_OPEN, *map(_surface_form, program.ops), _CLOSE):
        for piece in writer.pieces(at, part):
            written.add(piece.ids, True)
            for copy in piece.copies:
                for ids in (line_ids or ())[copy.start - scope.start : copy.stop - scope.start]:
                    written.add(ids, False)
            at = piece.after
    assert isinstance(at, Ended), "oracle programs are in the surface form"
    return written


def _surface_form(op: Op) -> str:
    """An operation with its last newline."""
    return format_program(Program((op,))).removeprefix(_OPEN).removesuffix(_CLOSE + "\n")
