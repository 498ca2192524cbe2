"""A model for a benchmark: loaded as ever, or of a known shape with random weights. Says what it runs on."""

from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from copyspan.bench.results import Header, Option
from copyspan.engine import Engine, EngineSettings, Progress
from copyspan.errors import UsageError
from copyspan.models.device import best_dtype
from copyspan.models.protocol import LanguageModel
from copyspan.models.tokenizer import ChatTokenizer
from copyspan.models.transformers import TransformersModel


def load(settings: EngineSettings, progress: Progress | None = None, *, random_weights: bool = False) -> Engine:
    """The engine of these settings. With `random_weights`, the model is a folder that holds config.json and a
    tokenizer, and its weights, if there are any, are not read.

    Raises ModelError, OutOfMemory, and UsageError where the folder is not there.
    """
    if not random_weights:
        return Engine.load(settings, progress)
    return Engine(random_model(Path(settings.model), settings), settings)


def random_model(folder: Path, settings: EngineSettings, seed: int = 0) -> TransformersModel:
    """A model of the folder's shape whose weights are drawn, on the device itself."""
    if not (folder / "config.json").is_file():
        raise UsageError(f"{folder} holds no config.json. Random weights need a folder with it and tokenizer.json.")
    device, dtype = best_dtype(settings.device, settings.dtype)
    pretrained = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    torch.manual_seed(seed)
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype)
    tokenizer = ChatTokenizer(pretrained, size=config.get_text_config().vocab_size)
    return TransformersModel(model, tokenizer, f"{folder.name} (random weights)", settings.context_size)


def header_of(bench: str, model: LanguageModel, seed: int, options: dict[str, Option]) -> Header:
    """The header of figures that this model gives, here and now."""
    on_gpu = model.device.startswith("cuda")
    return Header.now(
        bench,
        seed=seed,
        model=model.name,
        dtype=model.dtype,
        device=model.device,
        gpu=torch.cuda.get_device_name(model.device) if on_gpu else None,
        options={"threads": torch.get_num_threads(), **options},
    )
