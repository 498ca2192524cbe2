"""A GGUF file to a folder of safetensors, bfloat16. Runs as a process of its own: `python -m ... FILE FOLDER`.

A process of its own gives its gigabytes back, can be stopped at any moment, and takes no one down with it. It tells its
progress and its error on stdout, one JSON object a line (see gguf.py, which starts it); whatever the libraries say goes
to stderr. The one module here that imports torch and transformers.
"""

import functools
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from copyspan.errors import ModelError, ModelUnusable, StorageError
from copyspan.models.weights.files import disk_errors, format_size, free_space, storage_error

END_TOKENS = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<end_of_turn>", "<|end|>", "</s>")
"""Tokens that end an answer. A GGUF file names one; models also write others of these."""

Advance = Callable[[int, int], None]
"""Is told how many tensors are read, and how many there are."""


def convert(gguf: Path, folder: Path, advance: Advance) -> None:
    """Write config, generation config, tokeniser and weights into `folder`, and load them once to be sure.

    Raises ModelUnusable and StorageError.
    """
    _read_once()
    _report_tensors(advance)
    try:
        model, tokenizer = _load(gguf)
    except (ValueError, KeyError, NotImplementedError, RuntimeError, OSError, ImportError) as error:
        raise ModelUnusable(f"{gguf} cannot be converted: {_first_line(error)}.") from error
    _finish(model, tokenizer)
    _require_space(model, folder)
    _save(model, tokenizer, folder)
    del model
    _check(folder)


def _load(gguf: Path) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    model, report = AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.bfloat16,
        output_loading_info=True,
    )
    missing = sorted(report["missing_keys"])
    if missing:  # transformers would fill them with random numbers
        raise ValueError(f"it lacks {len(missing)} tensors, {missing[0]} among them")
    return model, tokenizer


def _finish(model: Any, tokenizer: Any) -> None:
    """Take off the mark of quantisation, without which the folder would load as GGUF, and name every end token."""
    from transformers import GenerationConfig

    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    model.is_quantized = False
    config = model.config
    named = config.eos_token_id if isinstance(config.eos_token_id, list) else [config.eos_token_id]
    added = tokenizer.get_added_vocab()  # not the whole vocabulary, where "</s>" may be a plain piece of HTML
    ends = [*named, *(added[token] for token in END_TOKENS if token in added)]
    model.generation_config = GenerationConfig(
        bos_token_id=config.bos_token_id,
        eos_token_id=list(dict.fromkeys(end for end in ends if end is not None)),
        pad_token_id=config.pad_token_id,
    )
    tokenizer.model_max_length = config.max_position_embeddings


def _require_space(model: Any, folder: Path) -> None:
    needed = sum(tensor.nbytes for tensor in model.state_dict().values())
    free = free_space(folder)
    if free < needed:
        raise StorageError(
            f"The converted weights need {format_size(needed)} of disk, and {folder} has {format_size(free)} free. "
            "Free some space, or set COPYSPAN_CACHE to a folder on a larger disk."
        )


def _save(model: Any, tokenizer: Any, folder: Path) -> None:
    from safetensors import SafetensorError

    try:
        with disk_errors(folder):
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
            for file in folder.glob("*.safetensors"):  # written for the owner's eyes alone, unlike the others
                shutil.copymode(folder / "config.json", file)
    except SafetensorError as error:  # the writer is not Python, and puts the system's error into words
        for number in (28, 122, 27, 30, 5):
            disk = storage_error(number, folder)
            if f"os error {number})" in str(error) and disk is not None:
                raise disk from error
        raise


def _check(folder: Path) -> None:
    """The saved folder must load as any other, without GGUF and without a network, and lack nothing."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        AutoTokenizer.from_pretrained(folder, local_files_only=True)
        _, report = AutoModelForCausalLM.from_pretrained(
            folder, dtype="auto", local_files_only=True, output_loading_info=True
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelUnusable(f"What the conversion wrote cannot be loaded: {_first_line(error)}.") from error
    if report["missing_keys"]:
        raise ModelUnusable(f"What the conversion wrote lacks {sorted(report['missing_keys'])[0]}.")


def _read_once() -> None:
    """transformers reads the file's head anew for tokeniser, configuration and weights, seconds each time."""
    import gguf

    gguf.GGUFReader = functools.cache(gguf.GGUFReader)


def _report_tensors(advance: Advance) -> None:
    """Put a bar that only counts into the loader's place of tqdm; without that place, there is no progress to tell."""
    from transformers import modeling_gguf_pytorch_utils as loader

    def counted(tensors: Iterable[Any], **_: Any) -> Iterator[Any]:
        everything = list(tensors)
        for done, tensor in enumerate(everything):
            advance(done, len(everything))
            yield tensor
        advance(len(everything), len(everything))

    if hasattr(loader, "tqdm"):
        loader.tqdm = counted


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def _end_with_parent() -> None:
    """The parent never writes to stdin: that it ends means that the parent is gone, and with it the lock."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


def main(arguments: list[str]) -> int:
    """The process: exit status 0, or 1 after a line {"error": kind, "message": text}."""
    gguf, folder = map(Path, arguments)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    out, sys.stdout = sys.stdout, sys.stderr

    def tell(**message: object) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    try:
        convert(gguf, folder, lambda done, total: tell(done=done, total=total))
    except ModelError as error:
        tell(error=type(error).__name__, message=str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
