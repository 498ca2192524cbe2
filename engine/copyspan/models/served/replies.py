"""What a server sends back, checked where it enters. Pure; knows no HTTP.

The shapes are those of OpenAI's completions API, with what vLLM adds: token ids, and log-probabilities of the prompt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from copyspan.errors import ServerMisfit, ServerUnreachable

_TOKEN_ID = "token_id:"
_NO_LOGPROBS = "The server sends no log-probabilities of what it writes. copyspan needs them."

Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model says of the token at one place: (id, natural logarithm of its probability), the likeliest first.

    Of equally likely tokens the one with the lower id comes first, as in a plain arg max.
    """

    options: tuple[tuple[int, float], ...]

    @classmethod
    def of(cls, logprobs: Mapping[int, float]) -> "Prediction":
        return cls(tuple(sorted(logprobs.items(), key=lambda option: (-option[1], option[0]))))

    @property
    def best(self) -> int:
        return self.options[0][0]

    def logprob(self, token: int) -> float | None:
        """None where nothing is known of the token, but that it is less likely than those that are known."""
        return next((logprob for known, logprob in self.options if known == token), None)


class _Reply(BaseModel):
    """A server may send more than is named here."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ServedCard(_Reply):
    """One model of a server's list."""

    id: str
    root: str | None = None
    """Where the server has it from."""
    parent: str | None = None
    """The model that it is an adapter of."""
    max_model_len: int | None = None
    """Tokens of its context."""


class ServedList(_Reply):
    """GET /models."""

    data: tuple[ServedCard, ...]


class _Rank(_Reply):
    logprob: float


class _Logprobs(_Reply):
    tokens: tuple[str, ...] = ()
    token_logprobs: tuple[float | None, ...] | None = None
    top_logprobs: tuple[dict[str, float] | None, ...] | None = None


class _Choice(_Reply):
    finish_reason: str | None = None
    token_ids: tuple[int, ...] | None = None
    prompt_token_ids: tuple[int, ...] | None = None
    logprobs: _Logprobs | None = None
    prompt_logprobs: tuple[dict[int, _Rank] | None, ...] | None = None


class _PromptDetails(_Reply):
    cached_tokens: int | None = None


class _Usage(_Reply):
    prompt_tokens: int = 0
    prompt_tokens_details: _PromptDetails | None = None


class Completion(_Reply):
    """POST /completions, for one prompt."""

    model: str | None = None
    choices: tuple[_Choice, ...] = Field(min_length=1)
    usage: _Usage | None = None

    @property
    def cached_tokens(self) -> int | None:
        """How many tokens of the prompt the server had kept; None where it does not say."""
        details = self.usage.prompt_tokens_details if self.usage else None
        return details.cached_tokens if details else None

    @property
    def prompt_tokens(self) -> tuple[int, ...] | int:
        """What the prompt was read as, or how many tokens, where the server does not say which."""
        ids = self.choices[0].prompt_token_ids
        return ids if ids is not None else self.usage.prompt_tokens if self.usage else 0

    @property
    def stopped_by_itself(self) -> bool:
        """Whether the model ended its turn. Raises ServerUnreachable where the server gave up on it."""
        reason = self.choices[0].finish_reason
        if reason not in ("stop", "length"):
            raise ServerUnreachable(f"The server gave up in mid-answer ({reason}); nothing was changed. Try again.")
        return reason == "stop"

    @property
    def tokens(self) -> tuple[int, ...]:
        """What was written. Raises ServerMisfit where the server sent text alone."""
        choice = self.choices[0]
        if choice.token_ids is not None:
            return choice.token_ids
        if choice.logprobs is not None and all(token.startswith(_TOKEN_ID) for token in choice.logprobs.tokens):
            return tuple(_id_of(token) for token in choice.logprobs.tokens)
        raise ServerMisfit("The server sends text without its token ids. copyspan needs vLLM 0.10.2 or newer.")

    @property
    def written(self) -> tuple[Prediction, ...]:
        """Of each token that was written, what else could have stood there; nothing else is known where the server
        names tokens by their text. Raises ServerMisfit."""
        logprobs = self.choices[0].logprobs
        if logprobs is None:
            raise ServerMisfit(_NO_LOGPROBS)
        if not all(name.startswith(_TOKEN_ID) for name in logprobs.tokens):
            return self._chosen(logprobs.token_logprobs or ())
        rows = logprobs.top_logprobs
        if rows is None or len(rows) != len(self.tokens):
            raise ServerMisfit(_NO_LOGPROBS)
        return tuple(
            _prediction({_id_of(name): value for name, value in (row or {}).items()}, token)
            for token, row in zip(self.tokens, rows, strict=True)
        )

    def _chosen(self, values: Sequence[float | None]) -> tuple[Prediction, ...]:
        """The tokens that were written with their log-probabilities alone."""
        if len(values) != len(self.tokens) or None in values:
            raise ServerMisfit(_NO_LOGPROBS)
        pairs = zip(self.tokens, values, strict=True)
        return tuple(Prediction(((token, value),)) for token, value in pairs if value is not None)

    def prompt(self, length: int) -> tuple[Prediction | None, ...] | None:
        """Of each of the prompt's `length` tokens, what else could have stood there, and None for the first. None
        where the server does not say. Raises ServerMisfit for a reply to another prompt."""
        rows = self.choices[0].prompt_logprobs
        if rows is None:
            return None
        if len(rows) != length:
            raise ServerMisfit(f"The server scored {len(rows)} tokens of a prompt of {length}. Is a proxy in between?")
        return tuple(_prediction({token: rank.logprob for token, rank in row.items()}) if row else None for row in rows)


def read_completion(data: bytes) -> Completion:
    """Raises ServerMisfit."""
    return _read(Completion, data)


def read_models(data: bytes) -> ServedList:
    """Raises ServerMisfit."""
    return _read(ServedList, data)


class _Problem(_Reply):
    message: str = ""


class _Failure(_Reply):
    """vLLM's and OpenAI's form of an error; others put the message at the top."""

    error: _Problem | str | None = None
    message: str = ""
    detail: object = None


def read_failure(data: bytes) -> str:
    """What a server says against a request, in one line without any list, which could be the prompt; "" for nothing."""
    try:
        failure = _Failure.model_validate_json(data)
    except ValidationError:
        return ""
    said = failure.error.message if isinstance(failure.error, _Problem) else failure.error or failure.message
    if not said and isinstance(failure.detail, str):
        said = failure.detail
    return _without_lists(" ".join(said.split()))[:300]


def _without_lists(text: str) -> str:
    kept, depth = [], 0
    for character in text:
        depth -= character == "]" and depth > 0
        if not depth:
            kept.append(character)
        depth += character == "["
    return "".join(kept)


def _read(kind: type[Reply], data: bytes) -> Reply:
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        where = ", ".join(sorted({".".join(map(str, problem["loc"][:2])) or "all of it" for problem in error.errors()}))
        raise ServerMisfit(
            f"The server's reply is not that of an OpenAI-compatible completions API ({where[:120]}). "
            "Check the URL: it usually ends in /v1."
        ) from None  # the cause would show the reply


def _prediction(logprobs: Mapping[int, float], written: int | None = None) -> Prediction:
    if not logprobs or not all(isfinite(value) for value in logprobs.values()):
        raise ServerMisfit("The server sends log-probabilities that are no numbers. copyspan needs them.")
    prediction = Prediction.of(logprobs)
    if written is None or prediction.best == written or written not in logprobs:
        return prediction
    # What was written is what the model chose, whatever rounding says.
    rest = tuple(option for option in prediction.options if option[0] != written)
    return Prediction(((written, max(logprobs[written], rest[0][1])), *rest))


def _id_of(name: str) -> int:
    number = name.removeprefix(_TOKEN_ID)
    if number == name or not number.isdecimal():
        raise ServerMisfit("The server names tokens by their text, which is not exact. copyspan needs their ids.")
    return int(number)
