"""Models that write a text which is known beforehand. Knows no torch.

`Replay` computes nothing: it gives tokens that were decoded elsewhere to the code that reads answers. `Steered`
computes every forward of another model and then prefers the known text: decoding takes the time that it would take if
the model wanted to write that text, whatever its weights are.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from copyspan.errors import Cancelled
from copyspan.models.protocol import LanguageModel, Scores
from copyspan.tokens import TokenSet

_SURE, _NEVER = -0.01, -20.0


class Replay:
    """Implements `LanguageModel`: after any part of `target`, a prompt with its answer, it prefers the next token.

    Elsewhere it wants to end. `like` lends its name, tokenizer and limits.
    """

    def __init__(self, like: LanguageModel, target: Sequence[int]) -> None:
        self.name, self.device, self.dtype = like.name, like.device, like.dtype
        self.tokenizer = like.tokenizer
        self.context_size, self.draft_limit = like.context_size, like.draft_limit
        self.looks_ahead = like.looks_ahead
        self.tokens: list[int] = []
        self.adapter = None
        self._target = list(target)
        self._end = min(like.tokenizer.end_tokens)
        self._agreed = 0
        """How many of the first tokens are the target's."""

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
        """Masks are not obeyed, and no options are given: what replays an answer asks for neither."""
        if cancelled():
            raise Cancelled("The edit was cancelled.")
        assert not allowed
        assert not top
        self.tokens += tokens
        while self._agreed < min(len(self.tokens), len(self._target)):
            if self.tokens[self._agreed] != self._target[self._agreed]:
                break
            self._agreed += 1
        best = tuple(map(self._after, range(len(self.tokens) - scored + 1, len(self.tokens) + 1)))
        return Scores(
            best=best,
            best_logprob=(_SURE,) * scored,
            named_logprob=tuple(_SURE if n == b else _NEVER for n, b in zip(named, best, strict=bool(named))),
            alternative=tuple(self._end if n == b else b for n, b in zip(named, best, strict=bool(named))),
            alternative_logprob=tuple(_NEVER if n == b else _SURE for n, b in zip(named, best, strict=bool(named))),
        )

    def rollback(self, length: int) -> None:
        del self.tokens[length:]
        self._agreed = min(self._agreed, length)

    def use_adapter(self, active: bool) -> None:
        """What is known beforehand was decoded without one."""

    def close(self) -> None:
        self.tokens.clear()

    def _after(self, length: int) -> int:
        """The token after the first `length` ones."""
        return self._target[length] if length <= self._agreed and length < len(self._target) else self._end


class Steered(Replay):
    """A replay whose forwards are those of `model`, scores included, which has the same context all along."""

    def __init__(self, model: LanguageModel, target: Sequence[int]) -> None:
        super().__init__(model, target)
        self._model = model
        model.rollback(0)

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
        computed = self._model.extend(tokens, scored=scored, named=named, cancelled=cancelled)
        steered = super().extend(tokens, scored=scored, named=named, top=top, allowed=allowed)
        return replace(computed, best=steered.best)

    def rollback(self, length: int) -> None:
        super().rollback(length)
        self._model.rollback(length)
