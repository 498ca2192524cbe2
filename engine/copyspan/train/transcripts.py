"""Edit pairs as token ids: the prompt, and the program as a decoder's context holds it. Knows no torch."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from copyspan.models.prompt import numbered_prompt
from copyspan.models.protocol import Tokenizer
from copyspan.strategies.program_ids import program_ids
from copyspan.train.oracle import NoProgram, oracle
from copyspan.train.pairs import EditPair


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
        return Transcript(pair.id, array("i", prompt.ids), answer, bytes([*written.is_written, 1]))
