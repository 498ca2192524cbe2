"""Adapters that come with copyspan: which one fits a model, and putting it into the model's layers."""

import json
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

from copyspan.errors import ModelUnusable
from copyspan.models.adapter_card import CARD_NAME, AdapterCard, Shape, prompt_version, read_card

SHIPPED = Path(__file__).parent.parent / "adapters"


def choose(wanted: str, model: str, folder: Path) -> Path | None:
    """The folder of the adapter for the model that lies in `folder` under the name `model`.

    `wanted` is "auto" (one that comes with copyspan and is for a model of this name and shape, else none), "none", or
    the folder of an adapter. Raises ModelUnusable where that one is for another model.
    """
    if wanted == "none":
        return None
    shape = folder_shape(folder)
    if wanted != "auto":
        check_fit(read_card(Path(wanted)), shape)
        return Path(wanted)
    for adapter, card in _shipped():
        is_same = PurePath(model).name.casefold() == PurePath(card.base).name.casefold()
        if is_same and card.shape == shape and card.prompt == prompt_version():
            return adapter
    return None


def shipped_cards() -> tuple[AdapterCard, ...]:
    """The cards of the adapters that come with copyspan and were trained with the prompt that it writes now."""
    return tuple(card for _, card in _shipped() if card.prompt == prompt_version())


def folder_shape(folder: Path) -> Shape | None:
    """The shape that a model's config.json tells; None where it does not say."""
    try:
        config = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError) as error:
        raise ModelUnusable(f"{folder} holds no readable config.json. Fetch the model anew.") from error
    names = ("hidden_size", "num_hidden_layers", "vocab_size")
    if not all(isinstance(config.get(name), int) for name in names):
        return None
    hidden_size, num_layers, vocabulary = (config[name] for name in names)
    return Shape(hidden_size=hidden_size, num_layers=num_layers, vocabulary=vocabulary)


def check_fit(card: AdapterCard, shape: Shape | None) -> None:
    """Raise ModelUnusable where the adapter belongs to a model of another shape, or to another prompt."""
    if shape != card.shape:
        raise ModelUnusable(
            f"The adapter {card.name} is for {card.base} ({card.shape}), and this model has {shape}. "
            "Take that model, or --adapter none."
        )
    if prompt_version() != card.prompt:
        raise ModelUnusable(
            f"The adapter {card.name} was trained with the prompt {card.prompt}, and this copyspan writes "
            f"{prompt_version()}. Train it anew, or take --adapter none."
        )


class Switch:
    """An adapter in the layers of a model, not merged, so that nothing is rounded and it can be switched off."""

    def __init__(self, causal: Any, folder: Path) -> None:
        """It is off at first. Raises ModelUnusable where the weights cannot be loaded."""
        from peft import PeftModel  # takes a second

        try:
            # In the number format of the model, as the weights are stored: in float32 reading a prompt on a CPU takes
            # half as long again.
            self._adapted = PeftModel.from_pretrained(causal, folder, autocast_adapter_dtype=False)
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            raise ModelUnusable(f"The weights in {folder} cannot be loaded: {error}. Take --adapter none.") from error
        self._adapted.eval()
        self.turn(False)

    def turn(self, on: bool) -> None:
        if on:
            self._adapted.base_model.enable_adapter_layers()
        else:
            self._adapted.base_model.disable_adapter_layers()


def _shipped() -> Iterator[tuple[Path, AdapterCard]]:
    for path in sorted(SHIPPED.glob(f"*/{CARD_NAME}")):
        yield path.parent, read_card(path.parent)
