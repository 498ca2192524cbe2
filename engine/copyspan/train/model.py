"""The base model and its adapter, as training and validation need them: the library's own model and attention."""

from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM

from copyspan.errors import ModelUnusable, UsageError
from copyspan.models.device import best_dtype
from copyspan.train.recipe import Lora

_SCALED_LOGITS = ("final_logit_softcapping", "logits_scaling", "logit_scale")


def load_base(folder: Path, device: str, dtype: str) -> Any:
    """The causal language model on its device, with PyTorch's attention. Raises ModelUnusable and UsageError."""
    where, number_format = best_dtype(device, dtype)
    try:
        model = AutoModelForCausalLM.from_pretrained(
            folder, dtype=number_format, local_files_only=True, attn_implementation="sdpa"
        )
    except (OSError, ValueError, KeyError) as error:
        raise ModelUnusable(f"{folder} holds no causal language model that transformers can load: {error}") from error
    scaled = [name for name in _SCALED_LOGITS if getattr(model.config.get_text_config(), name, None)]
    if scaled:
        raise ModelUnusable(f"{folder} scales its logits ({scaled[0]}), which training does not compute. Take another.")
    return model.to(where)


def add_lora(model: Any, lora: Lora, base_name: str, seed: int) -> PeftModel:
    """The model with a new adapter, whose first weights are drawn by the seed. They are float32 whatever the base is.

    Raises UsageError where no module has a name of the targets.
    """
    torch.manual_seed(seed)
    targets = lora.targets if isinstance(lora.targets, str) else list(lora.targets)
    config = LoraConfig(
        r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=targets, task_type="CAUSAL_LM"
    )
    try:
        adapted: PeftModel = get_peft_model(model, config)
    except ValueError as error:
        raise UsageError(f"lora.targets: {base_name} has no such modules. Take all-linear.") from error
    config.base_model_name_or_path = base_name
    return adapted


def causal_of(model: PeftModel) -> Any:
    """The library's causal language model inside, with the adapter in its layers."""
    return model.get_base_model()
