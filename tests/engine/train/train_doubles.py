"""Doubles for the tests of training: short pairs, a model that follows a transcript, a tiny one on disk."""

from collections.abc import Sequence
from pathlib import Path

from copyspan.models.protocol import Scores, Tokenizer
from copyspan.train.log import Entry
from copyspan.train.pairs import EditPair
from tiny_lm import tiny_qwen2, tiny_tokenizer

_NOTHING = -1


def edit_pair(before: str, after: str, instruction: str = "remove some", id: str = "a", **fields: str) -> EditPair:
    texts = {"before": before, "after": after, "instruction": instruction}
    return EditPair(**{"id": id, "kind": "some", "source": f"{id}.py", "name": "x.py", **texts, **fields})


class Follower:
    """Implements `LanguageModel`: its context must be the beginning of `target`, but for a draft, and it wants what
    comes next there."""

    name, device, dtype, context_size, draft_limit = "follower", "cpu", "float32", 100_000, 64
    adapter, looks_ahead = None, False

    def __init__(self, tokenizer: Tokenizer, target: Sequence[int]) -> None:
        self.tokenizer = tokenizer
        self.tokens: list[int] = []
        self._target = list(target)

    def extend(
        self, tokens, *, scored=1, named=(), top=0, allowed=(), is_draft=False, cancelled=lambda: False
    ) -> Scores:
        self.tokens += tokens
        known = len(self.tokens) - max(0, scored - 1)
        assert self.tokens[:known] == self._target[:known]
        wanted = [self._wanted(length) for length in range(known, known + scored)]
        assert all(w == _NOTHING or w in mask for w, mask in zip(wanted, allowed, strict=False))
        return Scores(tuple(wanted), (-0.1,) * scored, (), (), (), tuple(((w, -0.1),) for w in wanted))

    def _wanted(self, length: int) -> int:
        """What comes after so many tokens of the context; nothing where a draft went another way."""
        agrees = self.tokens[:length] == self._target[:length] and length < len(self._target)
        return self._target[length] if agrees else _NOTHING

    def use_adapter(self, active: bool) -> None:
        raise AssertionError

    def rollback(self, length: int) -> None:
        del self.tokens[length:]

    def close(self) -> None:
        self.tokens.clear()


class Listener:
    """Implements `Watcher`, and stops a run after so many forwards: it is `cancelled` as well."""

    def __init__(self, stop_after: int = -1) -> None:
        self.entries: list[Entry] = []
        self.began: list[tuple[int, int]] = []
        self._left = stop_after

    def started(self, step: int, num_steps: int) -> None:
        self.began.append((step, num_steps))

    def logged(self, entry: Entry) -> None:
        self.entries.append(entry)

    def __call__(self) -> bool:
        self._left -= 1
        return self._left == 0


def tiny_folder(folder: Path) -> Path:
    """A model folder: two layers with random weights, and its tokenizer."""
    tokenizer = tiny_tokenizer()
    tokenizer.save_pretrained(folder)
    tiny_qwen2(len(tokenizer)).save_pretrained(folder)
    return folder
