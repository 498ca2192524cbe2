"""A file that may be changed for a while, and is put back byte for byte. Knows no candidates and no command."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from copyspan.cli.files import SourceFile, check_same, in_words, replace_bytes, take_over
from copyspan.errors import SourceError

SUFFIX = ".copyspan-orig"


@dataclass(slots=True)
class Trial:
    """A file that may be changed. Unless `keeps` is set in the end, it goes back to what it was."""

    source: SourceFile
    keeps: bool = False

    def put(self, data: bytes, mtime_ns: int) -> None:
        """Give the file this content and time, and its own owner and mode, whatever has become of it meanwhile.

        Raises SourceError.
        """
        backup = backup_path(self.source)
        like = backup if backup.exists() else self.source.target
        with in_words(self.source.path, "written"):
            replace_bytes(self.source.target, data, info=self.source.info, like=like, mtime_ns=mtime_ns)

    def restore(self) -> None:
        """Put the original back. Raises SourceError, saying how a person can do it."""
        try:
            self.put(self.source.document.raw, self.source.info.st_mtime_ns)
        except SourceError as error:
            raise SourceError(
                f"{error} The original is {backup_path(self.source)}; to put it back: {_command(self.source)}."
            ) from error


@contextmanager
def on_trial(source: SourceFile) -> Iterator[Trial]:
    """Keep a copy beside the file; at the end put the original back, or keep what is there. Remove the copy.

    The copy is for the case that this process dies before the end (power, kill -9). Raises SourceError where one lies
    there already, where the file is no longer what was read, and where it cannot be put back (the copy then stays).
    """
    backup = backup_path(source)
    check_same(source)
    _copy(source, backup)
    trial = Trial(source)
    try:
        yield trial
    finally:
        if not trial.keeps:
            trial.restore()
        with in_words(backup, "removed"):
            backup.unlink(missing_ok=True)


def backup_path(source: SourceFile) -> Path:
    """Where the copy lies, beside the file itself when it was named by a symbolic link."""
    return source.target.with_name(source.target.name + SUFFIX)


def left_over(source: SourceFile) -> str | None:
    """What to say and do about a copy that a check left behind; None where there is none."""
    backup = backup_path(source)
    if not os.path.lexists(backup):
        return None
    return (
        f"{backup} is the original of a file whose check was cut off, or is still running. "
        f"To put it back: {_command(source)}. To keep the file as it is: rm {shlex.quote(str(backup))}."
    )


def _copy(source: SourceFile, backup: Path) -> None:
    try:
        with backup.open("xb") as file:
            file.write(source.document.raw)
            file.flush()
            os.fsync(file.fileno())
        with suppress(PermissionError):  # a copy that belongs to someone else is a copy
            take_over(backup, source.info, source.target)
        os.utime(backup, ns=(source.info.st_atime_ns, source.info.st_mtime_ns))
    except FileExistsError:
        raise SourceError(left_over(source) or f"{backup} is in the way.") from None
    except OSError as error:
        raise SourceError(f"No copy can be kept in {backup}, so nothing was tried: {error.strerror}.") from error


def _command(source: SourceFile) -> str:
    """A shell command that keeps links, mode and owner."""
    backup, target = shlex.quote(str(backup_path(source))), shlex.quote(str(source.target))
    return f"cp -p {backup} {target} && rm {backup}"
