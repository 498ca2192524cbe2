"""Keeping the libraries of models from writing to standard error by ways of their own. Imports none of them."""

import os
from collections.abc import Mapping

_QUIET = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}


def quieten_libraries(more: Mapping[str, str] | None = None) -> None:
    """To be called before they are imported; what the person has set in the environment holds."""
    for name, value in {**_QUIET, **(more or {})}.items():
        os.environ.setdefault(name, value)
