"""Sets of token ids, as the grammar states them and a model obeys them. Knows neither."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenSet:
    """A set of token ids: exactly `ids`, or with `complement` every id but those.

    Either way `ids` is short: a grammar allows a dozen tokens inside a tag, and forbids a few thousand in free text.
    """

    ids: tuple[int, ...]
    complement: bool = False

    @property
    def is_everything(self) -> bool:
        return self.complement and not self.ids

    def __contains__(self, token: int) -> bool:
        return (token in self.ids) != self.complement


EVERYTHING = TokenSet((), complement=True)
