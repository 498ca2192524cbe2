"""A trained adapter as a folder: weights in bfloat16, peft's configuration, copyspan's card, and a page for people."""

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model_state_dict
from safetensors.torch import save_file

from copyspan.errors import SourceError, UsageError
from copyspan.models.adapter_card import CARD_NAME, AdapterCard, Shape, prompt_version
from copyspan.train.model import causal_of
from copyspan.train.recipe import Recipe

MAX_BYTES = 20_000_000
"""An adapter travels with the program, and as a package."""
_BYTES_PER_WEIGHT = 2
_WEIGHTS, _README = "adapter_model.safetensors", "README.md"


@dataclass(frozen=True, slots=True)
class Learnt:
    """What an adapter was taught by."""

    num_steps: int
    num_pairs: int
    start: str | None = None
    """The name of the adapter that it was taught further from."""


def check_size(model: PeftModel) -> None:
    """Raise UsageError where the adapter would be larger than MAX_BYTES, before it is trained."""
    size = _BYTES_PER_WEIGHT * sum(p.numel() for p in model.parameters() if p.requires_grad)
    if size > MAX_BYTES:
        raise UsageError(
            f"The adapter would take {size / 1e6:.0f} MB, and the limit is {MAX_BYTES / 1e6:.0f} MB. "
            "Lower lora.rank, or name fewer modules in lora.targets."
        )


def export(model: PeftModel, recipe: Recipe, folder: Path, learnt: Learnt) -> AdapterCard:
    """Write the adapter in the place of one that is there. Raises UsageError where it is too large, and SourceError."""
    check_size(model)
    card = AdapterCard(
        name=recipe.name,
        base=base_name(recipe),
        shape=shape_of(causal_of(model)),
        splice=recipe.splice,
        prompt=prompt_version(),
        recipe=recipe.hash,
        start=learnt.start,
        num_steps=learnt.num_steps,
        num_pairs=learnt.num_pairs,
        date=datetime.now(UTC).date().isoformat(),
    )
    part = folder.with_name(folder.name + ".part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        _write(part, model, card, recipe)
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    except OSError as error:
        raise SourceError(f"{folder} cannot be written: {error.strerror}. Name another folder: --out DIR.") from error
    return card


def base_name(recipe: Recipe) -> str:
    """The base model's name; of a folder only the last part, for an adapter names no folder of its maker."""
    return Path(recipe.model).resolve().name if Path(recipe.model).exists() else recipe.model


def shape_of(causal: Any) -> Shape:
    """Of the library's causal language model."""
    config = causal.config.get_text_config()
    return Shape(hidden_size=config.hidden_size, num_layers=config.num_hidden_layers, vocabulary=config.vocab_size)


def _write(folder: Path, model: PeftModel, card: AdapterCard, recipe: Recipe) -> None:
    weights = get_peft_model_state_dict(model, save_embedding_layers=False)
    save_file(
        {name: tensor.detach().to("cpu", torch.bfloat16).contiguous() for name, tensor in weights.items()},
        folder / _WEIGHTS,
        metadata={"format": "pt"},
    )
    config = model.peft_config["default"]
    assert isinstance(config, LoraConfig)
    was, config.inference_mode = config.inference_mode, True
    config.save_pretrained(str(folder))
    config.inference_mode = was
    (folder / CARD_NAME).write_text(card.model_dump_json(indent=2, exclude_none=True) + "\n", encoding="utf-8")
    (folder / _README).write_text(_page(card, recipe), encoding="utf-8")


def _page(card: AdapterCard, recipe: Recipe) -> str:
    spliced = "the program, with the copied lines after each copy" if card.splice else "the program"
    return f"""---
base_model: {card.base}
library_name: peft
tags: [lora, code-editing, copyspan]
---
# {card.name}

A LoRA adapter that teaches {card.base} to edit text by programs of `<copy lines="i-j"/>` and `<gen>`, for copyspan.
The prompt shows the file with numbered lines and the instruction; the answer is {spliced}.

| | |
|---|---|
| Base model | {card.base} |
| Examples | {card.num_pairs:,}, {recipe.epochs} times |
| LoRA | rank {recipe.lora.rank}, alpha {recipe.lora.alpha:g}, modules {_modules(recipe)} |
| Steps | {card.num_steps:,} of about {recipe.batch_tokens:,} tokens, rate {recipe.optimizer.learning_rate:g} |
| Prompt | {card.prompt} |
| Recipe | {card.recipe} |
{_further(card)}
## Data

Say here where the pairs come from and under which licenses.

## Evaluation

Say here what `copyspan train validate` gives, on which pairs.

## Limits

Say here what it was not taught.

## Licence

Say here the licence of these weights, and name that of the base model.
"""


def _further(card: AdapterCard) -> str:
    return f"| Goes on from | {card.start} |\n" if card.start else ""


def _modules(recipe: Recipe) -> str:
    targets = recipe.lora.targets
    return targets if isinstance(targets, str) else ", ".join(targets)
