"""GGUF files: their hash, which names their folder in the cache, and their conversion, which convert.py does."""

import contextlib
import hashlib
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO

from pydantic import BaseModel, ValidationError

import copyspan
from copyspan.errors import ModelUnusable, OutOfMemory, StorageError
from copyspan.models.weights.files import format_size, sha256_of
from copyspan.models.weights.progress import Progress, Silent
from copyspan.models.weights.store import POLL_SECONDS, Store

_MAGIC = b"GGUF"
_SPLIT = re.compile(r"-\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)
_KILLED = -9
"""The exit status of a process that the system killed."""
_ERRORS = {error.__name__: error for error in (ModelUnusable, StorageError)}


class _KnownHash(BaseModel):
    """A file's hash, and the size and time of change that it holds for."""

    size: int
    mtime_ns: int
    sha256: str


def check_gguf(path: Path) -> None:
    """Raises ModelUnusable for a file that cannot be read, is not GGUF, or is one piece of several."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise ModelUnusable(f"{path} cannot be read ({error.strerror}).") from error
    if magic != _MAGIC:
        raise ModelUnusable(f"{path} is not a GGUF file (it starts with {magic!r}).")
    if _SPLIT.search(path.name):
        raise ModelUnusable(f"{path} is one piece of a split GGUF file: join them with `llama-gguf-split --merge`.")


def content_hash(path: Path, store: Store, progress: Progress | None = None) -> str:
    """The SHA-256 of a GGUF file. It is kept in the cache, because hashing gigabytes at every start would take seconds;
    a file whose size or time of change differs is hashed again."""
    path = path.resolve()
    status = path.stat()
    note = store.root / "hashes" / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.json"
    try:
        known = _KnownHash.model_validate_json(note.read_bytes())
        if (known.size, known.mtime_ns) == (status.st_size, status.st_mtime_ns):
            return known.sha256
    except (OSError, ValidationError):
        pass
    progress = progress or Silent()
    progress.started(f"Reading {path.name}", status.st_size, "B")
    known = _KnownHash(size=status.st_size, mtime_ns=status.st_mtime_ns, sha256=sha256_of(path, progress.advanced))
    progress.finished()
    _keep(note, known)
    return known.sha256


def _keep(note: Path, known: _KnownHash) -> None:
    """Two processes may write the same note: each writes its own file and renames it. A cache that cannot be written
    costs time only."""
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=note.parent, delete=False) as file:
            file.write(known.model_dump_json())
        Path(file.name).replace(note)
    except OSError:
        return


def convert_gguf(gguf: Path, folder: Path, name: str, progress: Progress) -> None:
    """Convert into `folder`, which exists and is empty, in a process that does not outlive this call.

    Raises ModelUnusable, StorageError and OutOfMemory.
    """
    engine = str(Path(copyspan.__file__).parents[1])
    search_path = os.pathsep.join(filter(None, (engine, os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": search_path, "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-P", "-m", "copyspan.models.weights.convert", str(gguf), str(folder)]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, encoding="utf-8"
        )
        try:
            error = _follow(process, name, progress)
        finally:
            process.kill()
            process.communicate()
        if error is not None:
            raise error
        if process.returncode != 0:
            log.seek(0)
            raise _failure(gguf, process.returncode, log.read().decode(errors="replace"))


def _follow(process: "subprocess.Popen[str]", name: str, progress: Progress) -> Exception | None:
    """Pass on what the process tells until it ends. Returns the error that it told."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(target=_read_lines, args=(process.stdout, lines), name="copyspan-convert", daemon=True).start()
    error, told = None, 0
    progress.started(f"Reading {name}", None, "")
    while True:
        try:
            line = lines.get(timeout=POLL_SECONDS)
        except queue.Empty:
            progress.advanced(0)  # where the caller may break off
            continue
        if line is None:
            break
        message = json.loads(line)
        if "error" in message:
            error = _ERRORS.get(message["error"], ModelUnusable)(message["message"])
            continue
        if message["done"] == 0:
            progress.finished()
            progress.started(f"Converting {name}", message["total"], "tensors")
        progress.advanced(message["done"] - told)
        told = message["done"]
        if told == message["total"]:
            progress.finished()
            progress.started(f"Saving {name}", None, "")
    progress.finished()
    process.wait()
    return error


def _read_lines(stream: IO[str], lines: "queue.SimpleQueue[str | None]") -> None:
    with contextlib.suppress(ValueError):  # closed, because the caller broke off
        for line in stream:
            lines.put(line)
    lines.put(None)


def _failure(gguf: Path, status: int, output: str) -> Exception:
    """A conversion that ended without a word of its own."""
    if status == _KILLED:
        return OutOfMemory(
            f"The conversion of {gguf} ({format_size(gguf.stat().st_size)}) was killed by the system, most likely for "
            "lack of memory: it needs about 8 times the file's size. Close other programs, or take a smaller model."
        )
    last = output.strip().splitlines()[-1:] or [f"exit status {status}"]
    return ModelUnusable(f"{gguf} cannot be converted: {last[0]}.")
