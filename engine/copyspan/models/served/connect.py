"""Connecting: which model the server means, whether its tokens are ours, and what it can do."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from copyspan.errors import CopyspanError, RequestRefused, ServerMisfit, ServerRefused
from copyspan.models.adapter_card import AdapterCard
from copyspan.models.protocol import Adapter, Tokenizer
from copyspan.models.served.abilities import Abilities
from copyspan.models.served.link import Link
from copyspan.models.served.model import ServedModel, request_body
from copyspan.models.served.replies import Completion, ServedCard, read_completion, read_models

_PROBE = "def \u00fcber(x):\n\treturn  [x, '\u65e5\u672c', 0x1F600]  # \U0001f600 1234567890\r\n" * 2
_MANY = 5


class _Version(BaseModel):
    model_config = ConfigDict(extra="ignore")

    version: str


def connect(
    link: Link,
    name: str,
    tokenizer: Tokenizer,
    *,
    context_size: int,
    adapters: Iterable[AdapterCard] = (),
) -> ServedModel:
    """The model `name` of a server, whose tokens must be those of `tokenizer`. `adapters`: those that copyspan knows.

    Raises ServerError: where the server cannot be reached or refuses, where it does not serve the model, where its
    tokens are others, and where it lacks what no strategy can do without.
    """
    cards = _cards(link)
    card = _find(cards, name, link.address.host)
    probe = _Probe(link, card.id, tokenizer)
    probe.check_tokens()
    abilities = Abilities(
        server=_server(link),
        context_size=card.max_model_len or context_size,
        scores_prompts=probe.scores_prompts(),
        obeys_allowed=probe.obeys_allowed(),
        keeps_prefixes=probe.keeps_prefixes(),
        adapter=_adapter(cards, card, adapters),
    )
    return ServedModel(
        link,
        card,
        tokenizer,
        abilities,
        context_size=context_size,
        check=lambda: _check_same(link, card),
    )


def _cards(link: Link) -> tuple[ServedCard, ...]:
    return read_models(link.get("/models")).data


def _find(cards: Sequence[ServedCard], name: str, host: str) -> ServedCard:
    """The card of a model, by its id, or by the last part of its id or of where the server has it from."""
    bases = [card for card in cards if card.parent is None]
    wanted = PurePath(name).name.casefold()
    tests: tuple[Callable[[ServedCard], bool], ...] = (
        lambda card: card.id == name,
        lambda card: PurePath(card.id).name.casefold() == wanted,
        lambda card: PurePath(card.root or "").name.casefold() == wanted,
    )
    for is_it in tests:
        found = next((card for card in bases if is_it(card)), None)
        if found is not None:
            return found
    there = ", ".join(card.id for card in bases[:_MANY]) or "nothing"
    more = f" and {len(bases) - _MANY} more" if len(bases) > _MANY else ""
    raise ServerRefused(f"{host} does not serve {name}; it serves {there}{more}. Name one of these as the model.")


def _check_same(link: Link, card: ServedCard) -> None:
    """Raise ServerError where the server is not what it was when it was connected."""
    now = next((other for other in _cards(link) if other.id == card.id), None)
    if now is None or (now.root, now.max_model_len) != (card.root, card.max_model_len):
        raise ServerMisfit(
            f"{link.address.host} was started anew and serves another model now"
            f"{'' if now is None else f' as {card.id}'}; nothing was changed. Restart copyspan to work with it."
        )


def _server(link: Link) -> str:
    """vLLM tells its version beside the API."""
    try:
        return f"vLLM {_Version.model_validate_json(link.get(f'{link.address.root}/version')).version}"
    except (CopyspanError, ValidationError):
        return "OpenAI-compatible server"


def _adapter(cards: Iterable[ServedCard], base: ServedCard, known: Iterable[AdapterCard]) -> Adapter | None:
    served = {card.id for card in cards if card.parent == base.id}
    return next((Adapter(card.name, card.splice) for card in known if card.name in served), None)


@dataclass(frozen=True, slots=True)
class _Probe:
    """Small requests, by which a server shows what it can do."""

    link: Link
    model: str
    tokenizer: Tokenizer

    def check_tokens(self) -> None:
        """Raises ServerMisfit where text becomes other tokens there than here: every copied line would be wrong."""
        ours = self.tokenizer.encode(_PROBE)
        reply = self._ask(_PROBE, {"max_tokens": 1, "logprobs": 1})
        theirs = reply.prompt_tokens
        if theirs != len(ours) if isinstance(theirs, int) else list(theirs) != ours:
            raise ServerMisfit(
                f"{self.link.address.host} reads text as other tokens than this machine's tokenizer. Name the served "
                "model's own tokenizer as the model (a hub id, or a folder that holds tokenizer.json)."
            )

    def scores_prompts(self) -> bool:
        ids = self.tokenizer.encode(_PROBE)
        try:
            reply = self._ask(ids, {"max_tokens": 1, "logprobs": 1, "prompt_logprobs": 2})
        except RequestRefused:
            return False
        rows = reply.prompt(len(ids))
        return rows is not None and all(row is not None for row in rows[1:])

    def obeys_allowed(self) -> bool:
        ids = self.tokenizer.encode(_PROBE)
        unlikely = [ids[0], ids[-1]]
        try:
            reply = self._ask(ids, {"max_tokens": 1, "logprobs": 1, "allowed_token_ids": unlikely})
        except RequestRefused:
            return False
        return len(reply.tokens) == 1 and reply.tokens[0] in unlikely

    def keeps_prefixes(self) -> bool | None:
        """By now the probe's text was read more than once."""
        reply = self._ask(self.tokenizer.encode(_PROBE * 4), {"max_tokens": 1})
        again = self._ask(self.tokenizer.encode(_PROBE * 4), {"max_tokens": 1})
        return None if reply.cached_tokens is None else bool(again.cached_tokens)

    def _ask(self, prompt: list[int] | str, wanted: dict[str, Any]) -> Completion:
        return read_completion(self.link.post("/completions", request_body(self.model, prompt, wanted)))
