"""Files on disk: read as a whole, written as a whole, and everything about them kept. Knows no model and no edit."""

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from copyspan.cli.documents import MAX_BYTES, Document, decode
from copyspan.cli.signals import postponed
from copyspan.cli.terminal import printable
from copyspan.errors import SourceError

_IN_PLACE = frozenset({errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV})
"""The folder is closed, the owner would change, or the file is a mount point: it cannot be replaced, only written."""

_KINDS = ((stat.S_ISDIR, "folder"), (stat.S_ISFIFO, "pipe"), (stat.S_ISSOCK, "socket"), (stat.S_ISCHR, "device"))


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was read. `path` is what the person named, `target` the file behind all symbolic links."""

    path: Path
    target: Path
    document: Document
    info: os.stat_result
    """Owner, mode and time as they were then."""


def read_file(path: Path) -> SourceFile:
    """Raises SourceError for what is missing, no regular file, not readable, or not text in UTF-8."""
    with in_words(path, "read"):
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):
            kind = next((name for is_kind, name in _KINDS if is_kind(info.st_mode)), "device")
            advice = "Name a file in it." if kind == "folder" else "Use - to read standard input."
            raise SourceError(f"{printable(str(path))} is a {kind}, not a file. {advice}")
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        target = Path(os.path.realpath(path))
    return SourceFile(path, target, decode(raw, printable(str(path))), info)


def check_writable(source: SourceFile) -> None:
    """Raise SourceError where the file is read-only, before any work is done for it."""
    if not os.access(source.target, os.W_OK):
        mode = stat.filemode(source.target.stat().st_mode)
        raise SourceError(
            f"{printable(str(source.path))} cannot be written ({mode}). Allow it with chmod u+w, "
            "or add --diff to see the edit without writing it."
        )


def check_same(source: SourceFile) -> None:
    """Raise SourceError where the file is no longer what was read."""
    with in_words(source.path, "read again"):
        is_same = source.target.read_bytes() == source.document.raw
    if not is_same:
        raise SourceError(
            f"{printable(str(source.path))} changed on disk meanwhile, and is left as it is now. Run the edit again."
        )


def write_file(source: SourceFile, data: bytes) -> None:
    """Give the file new content. Raises SourceError, also where the file is no longer what was read."""
    check_same(source)
    with in_words(source.path, "written"):
        replace_bytes(source.target, data, info=source.target.stat(), like=source.target)


def replace_bytes(target: Path, data: bytes, *, info: os.stat_result, like: Path, mtime_ns: int | None = None) -> None:
    """Give `target` this content, the owner and mode of `info` and the attributes of the file `like`.

    Atomically where that can keep all of these. A file with more names (hard links) keeps them: it is written in place.
    Raises OSError, with the old content back.
    """
    with postponed():
        if _num_links(target) > 1:
            _overwrite(target, data, info)
        else:
            try:
                _replace(target, data, info, like)
            except OSError as error:
                if error.errno not in _IN_PLACE:
                    raise
                _overwrite(target, data, info)
        if mtime_ns is not None:
            os.utime(target, ns=(mtime_ns, mtime_ns))


def take_over(to: Path, info: os.stat_result, like: Path) -> None:
    """Give a file the owner and mode of `info`, the extended attributes of `like`, and the time of now."""
    if hasattr(os, "chown"):
        os.chown(to, info.st_uid, info.st_gid)  # before the mode, which loses its set-user-id bits by this
    shutil.copystat(like, to)
    to.chmod(stat.S_IMODE(info.st_mode))
    os.utime(to)


@contextmanager
def in_words(path: Path, done: str) -> Iterator[None]:
    """Turn what the operating system says about a file into SourceError; `done` is what could not be done."""
    try:
        yield
    except FileNotFoundError as error:
        raise SourceError(f"{printable(str(path))} does not exist. Check the path.") from error
    except OSError as error:
        raise SourceError(f"{printable(str(path))} cannot be {done}: {error.strerror}.") from error


def _num_links(target: Path) -> int:
    return target.stat().st_nlink if target.exists() else 0


def _replace(target: Path, data: bytes, info: os.stat_result, like: Path) -> None:
    """Write beside the target, then take its name: a reader sees the old content or the new, never a part."""
    with tempfile.NamedTemporaryFile(prefix=".copyspan-", dir=target.parent, delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(data)
            file.flush()
            take_over(temporary, info, like)
            os.fsync(file.fileno())
            file.close()
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    _sync_folder(target.parent)


def _overwrite(target: Path, data: bytes, info: os.stat_result) -> None:
    """Write in place. Not atomic, so that an error on the way puts the old content back."""
    with target.open("r+b") as file:
        old = file.read()
        try:
            _fill(file, data)
        except OSError:
            _fill(file, old)
            raise
    mode = stat.S_IMODE(info.st_mode)
    if stat.S_IMODE(target.stat().st_mode) != mode:
        target.chmod(mode)


def _fill(file: BinaryIO, data: bytes) -> None:
    file.seek(0)
    file.write(data)
    file.truncate()
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Force the new name to disk, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
