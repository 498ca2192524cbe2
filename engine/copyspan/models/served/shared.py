"""What the models of one process have in common: tokenizers, which take seconds and much memory to make."""

import threading
from pathlib import Path

from copyspan.models.tokenizer import ChatTokenizer, load_tokenizer

_LOCK = threading.Lock()
_kept: dict[Path, ChatTokenizer] = {}


def shared_tokenizer(folder: Path) -> ChatTokenizer:
    """The tokenizer of a folder, made once. Any thread may call this. Raises ModelUnusable.

    The library that loads it does not bear being imported by two threads at the same time.
    """
    with _LOCK:
        if folder not in _kept:
            _kept.clear()  # whoever changes the model needs the old one no more
            _kept[folder] = load_tokenizer(folder)
        return _kept[folder]
