"""What is known of the text that follows the context, from earlier replies. Pure.

A server that is asked for one token can as well write sixteen: where the strategy takes the same way, the next fifteen
forwards cost no request.
"""

from collections.abc import Sequence

from copyspan.edits.prefix import common_prefix
from copyspan.models.served.replies import Prediction


class Foresight:
    """One text, token by token, and what a model said of the token after each of its beginnings."""

    def __init__(self) -> None:
        self._text: list[int] = []
        self._after: dict[int, Prediction] = {}
        """By the length of the beginning."""

    def of(self, context: Sequence[int]) -> "Known":
        """What is known of this context's beginnings."""
        return Known(self._after, common_prefix(self._text, context))

    def learn(self, text: Sequence[int], first: int, predictions: Sequence[Prediction]) -> None:
        """Note the predictions after the beginnings of `text` that have `first` tokens and more, one token each.

        What was known of another text is forgotten as far as it goes another way.
        """
        shared = common_prefix(self._text, text)
        self._after = {length: known for length, known in self._after.items() if length <= shared}
        self._text = list(text)
        self._after.update(enumerate(predictions, start=first))

    def forget(self) -> None:
        """Know nothing: another model may have said it."""
        self._text, self._after = [], {}


class Known:
    """What is known of one context."""

    def __init__(self, after: dict[int, Prediction], shared: int) -> None:
        self._after = after
        self.shared = shared
        """How many tokens it begins with that are those of the known text."""

    def after(self, length: int) -> Prediction | None:
        """What the model said of the token after the context's first `length` tokens."""
        return self._after.get(length) if length <= self.shared else None
