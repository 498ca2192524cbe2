"""One served model as `protocol.LanguageModel`: the context is a list here, and requests carry it whole.

Two kinds of request answer everything. Text that is expected to stay is scored: the server tells, for each token of a
prompt, what it would have written there. Text that is new is written by the server, some tokens ahead of what was asked
for, and what it foresaw is kept for the calls that follow. Greedy decoding comes out the same either way, but for
tokens that are equally likely to the last bit, which a server may see differently in another batch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

from copyspan.errors import Cancelled, ContextTooLong, NotScored, ServerMisfit, ServerUnreachable
from copyspan.models.protocol import Adapter, Scores, Tokenizer
from copyspan.models.served.abilities import Abilities
from copyspan.models.served.foresight import Foresight
from copyspan.models.served.link import Link
from copyspan.models.served.replies import Completion, Prediction, ServedCard, read_completion
from copyspan.tokens import TokenSet

DRAFT_LIMIT = 2048
"""Tokens of text that are scored by one request: it costs the way there and back whatever it holds."""
_AHEAD = 16
"""How many tokens are written by one request at first; doubled as long as all of them were wanted."""
_FARTHEST = 64
_LIKELIEST = 5
_LIKELIEST_OF_ALLOWED = 20
"""How many tokens are told of each place; more than 20 few servers allow."""
_NEVER = -100.0
_NO_OTHER = (-1, float("-inf"))
"""Where a server tells of no token but the one that it wrote."""
_MARGIN = 2
"""Tokens of the context that are kept free: servers want to write one at least."""


@dataclass(slots=True)
class Traffic:
    """What was sent so far."""

    requests: int = 0
    """One after the other."""
    prompt_tokens: int = 0
    """Of all requests together."""
    cached_tokens: int = 0
    """Those of them that the server says it had kept."""


class _Way:
    """The model as it comes, or with its adapter: each has a context of its own."""

    def __init__(self, served_name: str) -> None:
        self.served_name = served_name
        self.tokens: list[int] = []
        self.foresight = Foresight()
        self.ahead = _AHEAD
        self.foreseen = 0
        """How long the text was that the newest answer completed."""


class ServedModel:
    """Implements `protocol.LanguageModel`. Not thread-safe; several can share a server.

    Its calls raise ServerError beside what the protocol says; the context is then what it was before.
    """

    dtype = "served"
    draft_limit = DRAFT_LIMIT
    looks_ahead = True

    def __init__(
        self,
        link: Link,
        card: ServedCard,
        tokenizer: Tokenizer,
        abilities: Abilities,
        *,
        context_size: int,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """`check` is called before the first request after a broken connection, and raises ServerError where another
        model is served now."""
        self.name = card.id
        self.device = link.address.host
        self.tokenizer = tokenizer
        self.abilities = abilities
        self.adapter: Adapter | None = abilities.adapter
        self.context_size = min(context_size, abilities.context_size) - _MARGIN
        self.traffic = Traffic()
        self.more_fields: Mapping[str, Any] = {}
        """What is added to every request, such as a salt for the server's prefix cache."""
        self._link = link
        self._check = check
        self._is_sure = True
        self._plain = self._way = _Way(card.id)
        self._adapted = _Way(self.adapter.name) if self.adapter else self._plain
        self._end = min(tokenizer.end_tokens)

    @property
    def tokens(self) -> Sequence[int]:
        return self._way.tokens

    def use_adapter(self, active: bool) -> None:
        self._way = self._adapted if active else self._plain

    def rollback(self, length: int) -> None:
        assert 0 <= length <= len(self._way.tokens)
        del self._way.tokens[length:]

    def forget(self) -> None:
        """Begin anew: know nothing of what the server said before."""
        for way in (self._plain, self._adapted):
            way.tokens = []
            way.foresight.forget()

    def close(self) -> None:
        self._link.close()

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
        context = [*self._way.tokens, *tokens]
        if len(context) > self.context_size:
            raise ContextTooLong(len(context), self.context_size)
        if cancelled():
            raise Cancelled("The edit was cancelled.")
        before = self.traffic.requests
        try:
            rows = self._predict(context, scored, named, is_draft, bool(allowed), cancelled) if scored else []
            for place, mask in enumerate(allowed[: len(rows)]):
                text = context[: len(context) - scored + 1 + place]
                rows[place] = self._among(mask, rows[place], text, cancelled)
        except ServerUnreachable:
            self._is_sure = False
            for way in (self._plain, self._adapted):
                way.foresight.forget()  # another model may be there next
            raise
        self._way.tokens = context
        return _scores(rows, named, top, self.traffic.requests - before)

    def _predict(
        self,
        context: list[int],
        scored: int,
        named: Sequence[int],
        is_draft: bool,
        is_restricted: bool,
        cancelled: Callable[[], bool],
    ) -> list[Prediction]:
        """What comes after each of the last `scored` tokens; of a draft, up to the first that the model would not
        have written."""
        first = len(context) - scored + 1
        while True:
            rows, is_whole = self._known(context, first, is_draft)
            if is_whole:
                return rows
            start = first + len(rows)
            if is_draft or (scored == 1 and not named):
                rest = len(context) - start
                if rest <= _AHEAD or not self.abilities.scores_prompts:
                    self._write(
                        context[:start], rest, _LIKELIEST_OF_ALLOWED if is_restricted else _LIKELIEST, cancelled
                    )
                    continue
            # With the token that is expected next, the last place is scored like all others.
            self._score([*context, *named[-1:]], start, cancelled)

    def _known(self, context: list[int], first: int, is_draft: bool) -> tuple[list[Prediction], bool]:
        """The predictions after the first `first` tokens and more, as far as they are known, and whether they are all
        that is wanted."""
        known = self._way.foresight.of(context)
        rows: list[Prediction] = []
        for length in range(first, len(context) + 1):
            prediction = known.after(length)
            if prediction is None:
                return rows, False
            rows.append(prediction)
            if is_draft and length < len(context) and prediction.best != context[length]:
                break
        return rows, True

    def _write(self, text: list[int], wanted: int, top: int, cancelled: Callable[[], bool]) -> None:
        """Let the server write on after `text`: `wanted` tokens and one more, or some ahead of that."""
        way = self._way
        was_wanted = 0 < way.foreseen <= way.foresight.of(text).shared
        way.ahead = min(2 * way.ahead, _FARTHEST) if was_wanted else _AHEAD
        ahead = min(max(wanted + 1, way.ahead), self.abilities.context_size - len(text))
        reply = self._complete(text, {"max_tokens": ahead, "logprobs": top}, cancelled)
        tokens, predictions = list(reply.tokens), list(reply.written)
        if reply.stopped_by_itself and (not tokens or tokens[-1] not in self.tokenizer.end_tokens):
            # Some servers do not count the token that ends a turn.
            tokens.append(self._end)
            predictions.append(Prediction(((self._end, 0.0),)))
        if not tokens:
            raise ServerMisfit(f"{self.device} writes nothing. Look into its log.")
        if max(tokens) >= len(self.tokenizer.vocabulary):
            raise ServerMisfit(f"{self.device} writes tokens that the tokenizer here does not know. Name its own one.")
        way.foreseen = len(text) + len(tokens)
        way.foresight.learn([*text, *tokens], len(text), predictions)

    def _score(self, text: list[int], start: int, cancelled: Callable[[], bool]) -> None:
        """Ask what comes after the first `start` tokens of `text`, and after each one more."""
        if not self.abilities.scores_prompts:
            raise NotScored(
                f"{self.device} tells no probabilities of given text, so that no other answers can be searched for. "
                "Serve the model with vLLM, or run it on this machine."
            )
        reply = self._complete(text, {"max_tokens": 1, "logprobs": _LIKELIEST, "prompt_logprobs": 2}, cancelled)
        rows = reply.prompt(len(text))
        if rows is None or any(row is None for row in rows[start:]):
            raise ServerMisfit(f"{self.device} no longer tells probabilities of given text. Restart copyspan.")
        self._way.foresight.learn(
            text, start, [row for row in rows[start:] if row is not None] + list(reply.written[:1])
        )

    def _among(
        self, allowed: TokenSet, prediction: Prediction, context: list[int], cancelled: Callable[[], bool]
    ) -> Prediction:
        """The prediction for the allowed tokens alone: those that the server named, or the one that it wrote when told
        that it must. The probabilities are those among them."""
        if allowed.is_everything:
            return prediction
        options = [option for option in prediction.options if option[0] in allowed]
        if not options:
            if not self.abilities.obeys_allowed:
                raise ServerMisfit(
                    f"{self.device} cannot be told which tokens may come next, which programs need. "
                    "Take the strategy verified."
                )
            told = {"max_tokens": 1, "logprobs": _LIKELIEST_OF_ALLOWED, **_restriction(allowed)}
            reply = self._complete(context, told, cancelled)
            options = [option for option in reply.written[0].options if option[0] in allowed]
            if not options:
                raise ServerMisfit(f"{self.device} wrote a token that was not allowed. Take the strategy verified.")
        whole = log(sum(exp(logprob) for _, logprob in options)) if options[0][1] > _NEVER else options[0][1]
        return Prediction(tuple((token, logprob - whole) for token, logprob in options))

    def _complete(self, prompt: Sequence[int], wanted: Mapping[str, Any], cancelled: Callable[[], bool]) -> Completion:
        if not self._is_sure:
            self._check()
            self._is_sure = True
        body = request_body(self._way.served_name, prompt, {**wanted, **self.more_fields})
        self.traffic.requests += 1
        self.traffic.prompt_tokens += len(prompt)
        reply = read_completion(self._link.post("/completions", body, cancelled=cancelled))
        self.traffic.cached_tokens += reply.cached_tokens or 0
        return reply


def request_body(model: str, prompt: Sequence[int] | str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """A request for a greedy completion with token ids."""
    return {
        "model": model,
        "prompt": prompt,
        "temperature": 0,
        "add_special_tokens": False,
        "skip_special_tokens": False,
        "return_token_ids": True,
        "return_tokens_as_token_ids": True,
        **wanted,
    }


def _restriction(allowed: TokenSet) -> dict[str, Any]:
    if allowed.complement:
        return {"logit_bias": {str(token): _NEVER for token in allowed.ids}}
    return {"allowed_token_ids": list(allowed.ids)}


def _scores(rows: Sequence[Prediction], named: Sequence[int], top: int, forwards: int) -> Scores:
    # Of a draft the rows may end before the names do.
    names = named[: len(rows)]
    pairs = list(zip(rows, names, strict=True)) if names else []
    others = [next((o for o in row.options if o[0] != name), _NO_OTHER) for row, name in pairs]
    return Scores(
        best=tuple(row.best for row in rows),
        best_logprob=tuple(row.options[0][1] for row in rows),
        named_logprob=tuple(_at_most(row, name) for row, name in pairs),
        alternative=tuple(token for token, _ in others),
        alternative_logprob=tuple(logprob for _, logprob in others),
        options=tuple(row.options[:top] for row in rows) if top else (),
        forwards=forwards,
    )


def _at_most(row: Prediction, token: int) -> float:
    """The token's log-probability, or that of the least likely token that was told, which is more."""
    logprob = row.logprob(token)
    return row.options[-1][1] if logprob is None else logprob
