"""What a strategy may ask of a model. No strategy touches a logits tensor: a served model can stand behind this, too.

A model holds one context: the token ids that it has read. `extend` appends to it and returns scores, `rollback` cuts
it. Both adapters (`models.transformers`) and doubles (`testing`) implement this protocol.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from copyspan.tokens import TokenSet


@dataclass(frozen=True, slots=True)
class Scores:
    """What the model predicts AFTER each scored token; position i follows the i-th of the last `scored` tokens.

    All tuples have length `scored`, or less where a draft was refused earlier. Log-probabilities are natural
    logarithms over the whole vocabulary, or over the allowed sets where they were given.
    """

    best: tuple[int, ...]
    best_logprob: tuple[float, ...]
    named_logprob: tuple[float, ...]
    """Log-probability of the caller's named token at each position; empty where none were named."""
    alternative: tuple[int, ...]
    """The best token other than the named one; empty where none were named."""
    alternative_logprob: tuple[float, ...]
    options: tuple[tuple[tuple[int, float], ...], ...] = ()
    """The `top` best (token, log-probability) pairs at each position, best first; empty where none were asked for."""
    forwards: int = 1
    """Sequential forwards, or requests to a server, that it took; 0 where the answer was known."""


class Tokenizer(Protocol):
    """Text to token ids and back, byte for byte."""

    @property
    def vocabulary(self) -> Sequence[bytes | None]:
        """The bytes of every token id; None for special tokens and unused ids."""
        ...

    @property
    def end_tokens(self) -> frozenset[int]:
        """Ids that end a turn (end of sequence, end of message)."""
        ...

    def encode(self, text: str) -> list[int]:
        """Ids of plain text. Nothing in the text is read as a special token, `<|im_end|>` included.

        Law: b"".join(vocabulary[i] for i in encode(t)) == t.encode().
        """
        ...

    def chat(self, system: str, user: Sequence[str]) -> list[int]:
        """Ids of a chat prompt up to where the assistant's answer starts.

        The user's message is the pieces joined; each piece is tokenised by itself, so that its ids do not depend on
        what follows and a prompt that starts with the same pieces starts with the same ids.
        """
        ...


@dataclass(frozen=True, slots=True)
class Adapter:
    """What taught a model to write programs."""

    name: str
    splice: bool
    """Whether it expects copied lines in the context after the tag of their copy."""


def splices_copies(adapter: Adapter | None) -> bool:
    """Whether programs are written with copied lines in the context: a model that was not taught to write them without
    sees what it copies, as it would in a text."""
    return adapter is None or adapter.splice


class LanguageModel(Protocol):
    """A causal language model with one context that can be cut back."""

    @property
    def name(self) -> str:
        """What a person calls the model."""
        ...

    @property
    def device(self) -> str:
        """Where it runs, such as "cpu" or "cuda:0"."""
        ...

    @property
    def dtype(self) -> str:
        """The number format of its weights, such as "bfloat16"."""
        ...

    @property
    def tokenizer(self) -> Tokenizer: ...

    @property
    def context_size(self) -> int:
        """The most tokens that the context can hold."""
        ...

    @property
    def tokens(self) -> Sequence[int]:
        """The ids now in the context."""
        ...

    @property
    def adapter(self) -> Adapter | None:
        """The adapter that it can use; None for a model as it comes."""
        ...

    def use_adapter(self, active: bool) -> None:
        """Go on with the adapter, or without it. Each of the two ways has a context of its own, which is kept.

        Nothing happens where there is no adapter.
        """
        ...

    @property
    def draft_limit(self) -> int:
        """The longest draft worth one forward on this device: beyond it, time grows with the length."""
        ...

    @property
    def looks_ahead(self) -> bool:
        """Whether scoring one token tells, most of the time, what comes after the next ones as well: a guess of single
        tokens then saves nothing."""
        ...

    def extend(
        self,
        tokens: Sequence[int],
        *,
        scored: int = 1,
        named: Sequence[int] = (),
        top: int = 0,
        allowed: Sequence[TokenSet] = (),
        is_draft: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Scores:
        """Append `tokens` by ONE forward and score the last `scored` of them (0: none, nothing is computed for them).

        `named` holds one token id for each scored position, and `allowed` the tokens that may come there (length
        `scored`, or empty). `is_draft` says that the last `scored - 1` tokens are a guess: what comes after the
        first of them that the model would not have written need not be scored.

        Raises Cancelled as soon as `cancelled` answers true, OutOfMemory, ContextTooLong, and ServerError where a
        server runs the model; after any of them the context is what it was before the call.
        """
        ...

    def rollback(self, length: int) -> None:
        """Cut the context to its first `length` tokens; 0 <= length <= len(tokens)."""
        ...

    def close(self) -> None:
        """Give the memory back. The model must not be used afterwards."""
        ...
