"""The cache on disk: its layout, one lock a model, and the one rename by which a model appears.

    <cache>/                    cache_dir, else COPYSPAN_CACHE, else the user's cache directory
      models/<key>/             a finished model (see folder.py); appears by one rename and is never written afterwards
      tokenizers/<key>/         a tokenizer alone, for a model that a server runs; appears in the same way
      partial/<key>/            what a fetch has so far; kept when it is interrupted, removed when it has succeeded
        parts/part01.bin ...    checked parts of a GGUF file, each appeared by a rename
        joined.gguf             the whole GGUF file, its hash checked before it got this name
        hub/                    what has come from the hub, unfinished files included
        scratch/                anything half done; emptied before every fetch
      hashes/<key>.json         the hash of a GGUF file that lies elsewhere, with the size and time that it holds for
      locks/<key>.lock          held by the one process that fetches the model

Knows nothing of networks and models.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_dir

from copyspan.errors import StorageError
from copyspan.models.weights.files import disk_errors, format_size, free_space, sync_folder
from copyspan.models.weights.progress import Progress

POLL_SECONDS = 0.2


def cache_root(cache_dir: Path | None = None) -> Path:
    """Where models lie: `cache_dir`, else COPYSPAN_CACHE, else the user's cache directory."""
    chosen = cache_dir or os.environ.get("COPYSPAN_CACHE") or user_cache_dir("copyspan", appauthor=False)
    return Path(chosen).expanduser().absolute()


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where one fetch of one model works. All folders exist."""

    parts: Path
    joined: Path
    hub: Path
    scratch: Path

    def new_folder(self) -> Path:
        """An empty folder in scratch whose name nobody else has: not even a child of a fetch that was killed, which may
        live on for a moment, can write into it."""
        with disk_errors(self.scratch):
            return Path(tempfile.mkdtemp(dir=self.scratch))


@dataclass(frozen=True, slots=True)
class Store:
    """The cache below `root`; nothing need exist yet."""

    root: Path

    def model(self, key: str) -> Path:
        """The folder of a finished model."""
        return self.root / "models" / key

    def tokenizer(self, key: str) -> Path:
        """The folder of a tokenizer whose model runs elsewhere."""
        return self.root / "tokenizers" / key

    def models(self) -> tuple[Path, ...]:
        """The folders of all finished models, sorted by name."""
        try:
            return tuple(sorted(path for path in (self.root / "models").iterdir() if path.is_dir()))
        except OSError:
            return ()

    def partial(self, key: str) -> Path:
        """The folder of an unfinished fetch."""
        return self.root / "partial" / key

    @contextmanager
    def locked(self, key: str, name: str, progress: Progress) -> Iterator[None]:
        """Hold the model's lock; while another process holds it, say so and wait. A killed holder frees it."""
        path = self.root / "locks" / f"{key}.lock"
        with disk_errors(self.root):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path)
            _acquire(lock, name, progress)
        try:
            yield
        finally:
            lock.release()

    def workspace(self, key: str) -> Workspace:
        """The folders to work in, scratch emptied. To be asked for under the lock."""
        partial = self.partial(key)
        space = Workspace(partial / "parts", partial / "joined.gguf", partial / "hub", partial / "scratch")
        shutil.rmtree(space.scratch, ignore_errors=True)
        with disk_errors(partial):
            for folder in (space.parts, space.hub, space.scratch):
                folder.mkdir(parents=True, exist_ok=True)
        return space

    def publish(self, built: Path, key: str, target: Path | None = None) -> Path:
        """Make the folder `built` the model `key`, or `target`, by one rename, and drop what the fetch left. Under the
        lock."""
        target = target or self.model(key)
        with disk_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            sync_folder(built)
            shutil.copymode(target.parent, built)  # temporary folders are for their owner alone
            if target.exists():  # a damaged model; moved first, because a rename does not replace a full folder
                target.rename(Path(tempfile.mkdtemp(dir=self.partial(key))) / target.name)
            built.rename(target)
            shutil.rmtree(self.partial(key), ignore_errors=True)
        return target

    def sweep(self, key: str) -> None:
        """Remove what a fetch left that was killed just after its model had appeared, unless one is at work now."""
        if self.partial(key).exists():
            with contextlib.suppress(Timeout, OSError), FileLock(self.root / "locks" / f"{key}.lock", timeout=0):
                shutil.rmtree(self.partial(key))

    def require_space(self, needed: int, purpose: str) -> None:
        """Raises StorageError, with the numbers, where the disk of the cache has less than `needed` bytes."""
        with disk_errors(self.root):
            free = free_space(self.root)
        if free < needed:
            raise StorageError(
                f"{purpose} needs {format_size(needed)} of disk, and {self.root} has {format_size(free)} free. "
                "Free some space, or set COPYSPAN_CACHE to a folder on a larger disk."
            )


def _acquire(lock: FileLock, name: str, progress: Progress) -> None:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress.started(f"Waiting for another copyspan that fetches {name}", None, "")
        while not lock.is_locked:
            try:
                lock.acquire(timeout=POLL_SECONDS)
            except Timeout:
                progress.advanced(0)  # where the caller may break off
        progress.finished()
