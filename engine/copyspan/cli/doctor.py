"""`copyspan doctor`: what copyspan would use here, and what is missing, with the command that mends it.

Uses no network, but to ask a server that was named: whether a source can be reached, only a fetch finds out.
"""

import importlib.util
import os
import platform
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from copyspan import __version__
from copyspan.config import EngineSettings
from copyspan.errors import CopyspanError
from copyspan.models.weights import cache_root, disk_size, find, format_size, free_space, read_card, require

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `problem` says what is wrong and what mends it, or is empty."""

    subject: str
    state: str
    problem: str = ""


def run_doctor(settings: EngineSettings, console: Console | None = None) -> bool:
    """Print the report. True where everything is there that an edit needs."""
    console = console or Console()
    if settings.server is not None:
        findings = [_versions(), _server(settings)]
    else:
        model = _model(settings)
        adapters = [] if model.problem else [_adapter(settings)]
        findings = [_versions(), _device(settings), model, *adapters, _cache(settings, bool(model.problem)), _sources()]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for finding in findings:
        table.add_row(Text(finding.subject), Text(finding.state))
    console.print(table)
    problems = [finding.problem for finding in findings if finding.problem]
    for problem in problems:
        console.print(f"\n{problem}", style="red", markup=False, highlight=False, soft_wrap=True)
    if not problems:
        console.print("\nEverything is there.", style="green")
    return not problems


def _versions() -> Finding:
    packages = ", ".join(f"{name} {_version(name)}" for name in ("torch", "transformers", "tokenizers"))
    return Finding("copyspan", f"{__version__}; Python {platform.python_version()}, {packages}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _device(settings: EngineSettings) -> Finding:
    """Where the model would run, tried with one number."""
    try:
        import torch

        from copyspan.models.device import best_dtype
    except (ImportError, OSError) as error:
        mend = f"`{sys.executable} -m pip install --force-reinstall torch` mends it."
        return Finding("device", "unknown", f"torch cannot be imported ({error}). {mend}")
    try:
        device, dtype = best_dtype(settings.device, settings.dtype)
        torch.ones(1, device=device, dtype=dtype).sum().item()
    except (CopyspanError, RuntimeError) as error:
        return Finding("device", f"{settings.device}: not ready", str(error))
    detail = f" ({os.cpu_count()} cores)" if device == "cpu" else ""
    if device.startswith("cuda"):
        detail = f" ({torch.cuda.get_device_name(device)})"
    return Finding("device", f"{device}{detail}, {str(dtype).removeprefix('torch.')}")


def _model(settings: EngineSettings) -> Finding:
    try:
        folder = require(settings.model, settings.cache_dir)
    except (CopyspanError, OSError) as error:
        return Finding("model", f"{settings.model}: not ready", str(error))
    card = read_card(folder)
    source = f", from {card.source}" if card else ""
    licence = f", {card.licence}" if card and card.licence else ""
    return Finding("model", f"{settings.model} ({format_size(disk_size(folder))}{source}{licence}), {folder}")


def _adapter(settings: EngineSettings) -> Finding:
    """What taught the model, which is on disk, to write edit programs."""
    from copyspan.models.adapter_card import read_card as read_adapter
    from copyspan.models.adapters import choose

    try:
        folder = choose(settings.adapter, settings.model, require(settings.model, settings.cache_dir))
        name = read_adapter(folder).name if folder else "none"
    except CopyspanError as error:
        return Finding("adapter", f"{settings.adapter}: not ready", str(error))
    return Finding("adapter", f"{name}, {folder}" if folder else name)


def _server(settings: EngineSettings) -> Finding:
    """An inference server, asked for what it can do."""
    from copyspan.engine import Engine
    from copyspan.models.served import ServedModel

    try:
        engine = Engine.load(settings)
    except CopyspanError as error:
        return Finding("server", f"{settings.server}: not ready", str(error))
    model = engine.model
    assert isinstance(model, ServedModel)
    able = model.abilities
    engine.close()
    prefixes = {True: "keeps prefixes", False: "keeps no prefixes", None: "does not say whether it keeps prefixes"}
    adapter = f"; adapter {able.adapter.name}" if able.adapter else ""
    return Finding(
        "server",
        f"{model.device}, {able.server}: {model.name}, {able.context_size:,} tokens; {prefixes[able.keeps_prefixes]}"
        f"{adapter}. {able.way} The text that is edited is sent there.",
    )


def _cache(settings: EngineSettings, is_needed: bool) -> Finding:
    """`is_needed`: something must still be fetched, so that the cache must be writable and have room."""
    root = cache_root(settings.cache_dir)
    free = free_space(root)
    if not _can_write(root):
        advice = "Set COPYSPAN_CACHE to a folder that can be written, so that the model can be fetched."
        return Finding("cache", f"{root} (cannot be written)", advice if is_needed else "")
    model = find(settings.model)
    needed = model.gguf_size + model.disk_size if model is not None and is_needed else 0
    advice = f"Fetching needs up to {format_size(needed)}: free some space, or set COPYSPAN_CACHE to a larger disk."
    return Finding("cache", f"{root} ({format_size(free)} free)", advice if free < needed else "")


def _can_write(path: Path) -> bool:
    while not path.exists() and path != path.parent:
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK)


def _sources() -> Finding:
    """What a fetch could use."""
    is_offline = any(os.environ.get(name, "").upper() in {"1", "ON", "YES", "TRUE"} for name in _OFFLINE)
    hub = "the hub (switched off by HF_HUB_OFFLINE)" if is_offline else "the hub"
    pip = "wheels by pip" if importlib.util.find_spec("pip") else "wheels (but this Python has no pip)"
    return Finding("sources", f"{hub}, {pip}")
