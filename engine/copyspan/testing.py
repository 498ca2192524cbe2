"""Doubles for tests that need a model but no weights: a byte tokenizer and a model that answers from a script."""

from collections.abc import Callable, Sequence

from copyspan.edits.prefix import common_prefix
from copyspan.errors import Cancelled, ContextTooLong
from copyspan.models.protocol import Adapter, Scores
from copyspan.tokens import TokenSet

START, END, ASSISTANT = 256, 257, 258
"""Special tokens of `ByteTokenizer`: start of prompt, end of answer, start of answer."""

_LIKELY, _UNLIKELY, _NEVER = -0.1, -3.0, -30.0


class ByteTokenizer:
    """One token a byte, and three special tokens."""

    vocabulary: Sequence[bytes | None] = (*(bytes([i]) for i in range(256)), None, None, None)
    end_tokens = frozenset({END})

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def chat(self, system: str, user: Sequence[str]) -> list[int]:
        return [START, *self.encode(system), *self.encode("".join(user)), ASSISTANT]


Script = Callable[[str], Sequence[str]]
"""The text of a prompt -> the answers to it, the likeliest first, each as the model would write it."""


class ScriptedModel:
    """Implements `protocol.LanguageModel` by a script.

    At every position it prefers the next token of the first answer that agrees with what was written so far, and finds
    the other answers unlikely but possible. Where no answer agrees it wants to end. `calls` holds the number of tokens
    of each forward, so that tests can count forwards and prefilled tokens.
    """

    name, device, dtype = "scripted", "cpu", "float32"

    def __init__(
        self,
        script: Script | Sequence[str],
        *,
        context_size: int = 100_000,
        draft_limit: int = 64,
        adapter: Adapter | None = None,
    ) -> None:
        self._script = script
        self.tokenizer = ByteTokenizer()
        self.context_size = context_size
        self.draft_limit = draft_limit
        self.looks_ahead = False
        self.tokens: list[int] = []
        self.calls: list[int] = []
        self.adapter = adapter
        self.is_adapted = False
        self._answered: tuple[list[int], list[list[int]]] | None = None

    def extend(
        self,
        tokens: Sequence[int],
        *,
        scored: int = 1,
        named: Sequence[int] = (),
        top: int = 0,
        allowed: Sequence[TokenSet] = (),
        is_draft: bool = False,  # noqa: ARG002
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Scores:
        if cancelled():
            raise Cancelled("The edit was cancelled.")
        if len(self.tokens) + len(tokens) > self.context_size:
            raise ContextTooLong(len(self.tokens) + len(tokens), self.context_size)
        self.calls.append(len(tokens))
        self.tokens += tokens
        rows = self._ranked(scored)
        for place, mask in enumerate(allowed):
            rows[place] = {t: p for t, p in rows[place].items() if t in mask} or {_any_of(mask): _LIKELY}
        return _scores(rows, named, top)

    def rollback(self, length: int) -> None:
        assert 0 <= length <= len(self.tokens)
        del self.tokens[length:]

    def use_adapter(self, active: bool) -> None:
        self.is_adapted = active

    def close(self) -> None:
        self.tokens.clear()

    def _ranked(self, scored: int) -> list[dict[int, float]]:
        """After each of the last `scored` tokens: possible next ones with their log-probabilities, likeliest first."""
        if ASSISTANT not in self.tokens:
            return [{END: _LIKELY} for _ in range(scored)]
        start = len(self.tokens) - self.tokens[::-1].index(ASSISTANT)
        written = self.tokens[start:]
        answers = [(tokens, common_prefix(tokens, written)) for tokens in self._answers(self.tokens[:start])]
        lengths = range(len(written) - scored + 1, len(written) + 1)
        return [_following(answers, length) for length in lengths]

    def _answers(self, prompt: list[int]) -> list[list[int]]:
        """The script's answers as tokens; the prompt stays the same for many forwards."""
        if self._answered is None or self._answered[0] != prompt:
            text = bytes(token for token in prompt if token < START).decode(errors="replace")
            answers = self._script(text) if callable(self._script) else self._script
            self._answered = prompt, [[*answer.encode(), END] for answer in answers]
        return self._answered[1]


def fenced(body: str, language: str = "", fence: str = "```") -> str:
    """A scripted answer to a rewriting prompt: `body` as the edited scope, every line ended by LF."""
    return f"{fence}{language}\n{body}{fence}"


def _following(answers: list[tuple[list[int], int]], length: int) -> dict[int, float]:
    """What may follow the first `length` tokens, given how many tokens of each answer agree with what was written."""
    following: dict[int, float] = {}
    for rank, (tokens, num_common) in enumerate(answers):
        if length <= num_common and length < len(tokens):
            following.setdefault(tokens[length], _UNLIKELY - rank if following else _LIKELY)
    return following or {END: _LIKELY}


def _scores(rows: list[dict[int, float]], named: Sequence[int], top: int) -> Scores:
    others = [next((t for t in row if t != n), END) for row, n in zip(rows, named, strict=True)] if named else []
    return Scores(
        best=tuple(next(iter(row)) for row in rows),
        best_logprob=tuple(next(iter(row.values())) for row in rows),
        named_logprob=tuple(row.get(n, _NEVER) for row, n in zip(rows, named, strict=True)) if named else (),
        alternative=tuple(others),
        alternative_logprob=tuple(row.get(t, _NEVER) for row, t in zip(rows, others, strict=True)) if named else (),
        options=tuple(tuple(row.items())[:top] for row in rows) if top else (),
    )


def _any_of(allowed: TokenSet) -> int:
    if not allowed.complement:
        return allowed.ids[0]
    forbidden = set(allowed.ids)
    return next(token for token in range(256) if token not in forbidden)
