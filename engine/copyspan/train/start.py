"""Where training starts that teaches an adapter further: its weights, in the place of drawn ones."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model_state_dict, load_peft_weights, set_peft_model_state_dict

from copyspan.errors import UsageError
from copyspan.models.adapter_card import read_card
from copyspan.models.adapters import check_fit
from copyspan.train.export import shape_of
from copyspan.train.model import causal_of
from copyspan.train.recipe import Lora


@dataclass(frozen=True, slots=True)
class Start:
    """An adapter that is taught further."""

    name: str
    digest: str
    """Tells its weights from others."""


def start_from(model: PeftModel, folder: Path, lora: Lora) -> Start:
    """Give the model's adapter the weights of the one in `folder`.

    Raises ModelUnusable where that adapter is for another model or another prompt, or is none, and UsageError where
    `lora` describes another.
    """
    card = read_card(folder)
    check_fit(card, shape_of(causal_of(model)))
    try:
        config = LoraConfig.from_pretrained(str(folder))
        weights = load_peft_weights(str(folder), device="cpu")
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder} holds no adapter that can be taught further: {error}.") from error
    assert isinstance(config, LoraConfig)
    if (config.r, config.lora_alpha) != (lora.rank, lora.alpha):
        raise UsageError(
            f"The adapter in {folder} has rank {config.r} and alpha {config.lora_alpha:g}, and the recipe says "
            f"{lora.rank} and {lora.alpha:g}. Write those of the adapter under [lora]."
        )
    if weights.keys() != get_peft_model_state_dict(model, save_embedding_layers=False).keys():
        raise UsageError(f"The adapter in {folder} is in other modules. Name the same ones in lora.targets.")
    set_peft_model_state_dict(model, weights)
    return Start(card.name, _digest(weights))


def _digest(weights: dict[str, torch.Tensor]) -> str:
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode() + weights[name].float().numpy().tobytes())
    return digest.hexdigest()[:16]
