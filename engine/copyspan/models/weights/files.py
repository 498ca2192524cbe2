"""Small things about files: sizes for people, hashes, and disk errors in words. Knows nothing of models."""

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from copyspan.errors import StorageError

CHUNK = 1 << 20

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FORBIDDEN = frozenset({errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EXDEV})
_BROKEN = frozenset({errno.EIO, errno.ENAMETOOLONG, errno.EMFILE, errno.ENFILE})
_ELSEWHERE = "set COPYSPAN_CACHE to a folder"


def format_size(num_bytes: int) -> str:
    """A size as people write it, in powers of ten: "98 MB", "1.1 GB"."""
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if num_bytes >= scale:
            amount = num_bytes / scale
            return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"
    return f"{num_bytes} B"


def copy_hashed(
    source: IO[bytes], target: IO[bytes] | None = None, advanced: Callable[[int], None] | None = None
) -> str:
    """Read `source` to its end, write it to `target` if there is one, and return its SHA-256 in hex."""
    digest = hashlib.sha256()
    while chunk := source.read(CHUNK):
        digest.update(chunk)
        if target is not None:
            target.write(chunk)
        if advanced is not None:
            advanced(len(chunk))
    return digest.hexdigest()


def sha256_of(path: Path, advanced: Callable[[int], None] | None = None) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as source:
        return copy_hashed(source, advanced=advanced)


def size_of_folder(folder: Path) -> int:
    """Bytes of all files below `folder`; files that vanish meanwhile count as nothing."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += Path(parent, name).lstat().st_size
            except FileNotFoundError:
                continue
    return total


def free_space(path: Path) -> int:
    """Free bytes on the disk where `path` is, or would be."""
    while not path.exists() and path != path.parent:
        path = path.parent
    return shutil.disk_usage(path).free


def storage_error(number: int, path: Path) -> StorageError | None:
    """The error number of a failed write to `path`, in words; None where it does not speak of the disk."""
    reason = os.strerror(number)
    if number in _FULL:
        try:
            room = f", {format_size(free_space(path))} free"
        except OSError:
            room = ""
        return StorageError(
            f"No room to write {path} ({reason}{room}). Free some space, or {_ELSEWHERE} on a larger disk; "
            "what has been fetched is kept."
        )
    if number in _FORBIDDEN:
        return StorageError(f"{path} cannot be written ({reason}). Allow it, or {_ELSEWHERE} that can be written.")
    if number in _BROKEN:
        return StorageError(f"{path}: {reason}. Mend the disk or its limits, or {_ELSEWHERE} on another disk.")
    return None


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says about `path` into StorageError; everything else passes."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        where = Path(error.filename) if isinstance(error.filename, str) else path
        translated = storage_error(error.errno, where)
        if translated is None:
            raise
        raise translated from error


def sync_folder(folder: Path) -> None:
    """Force a folder's files to the disk, so that a rename that follows never shows files that a power cut emptied."""
    for path in folder.iterdir():
        if path.is_file():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
