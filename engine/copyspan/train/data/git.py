"""Commits of a local repository, read by the git command. Nothing is written, and no network is used."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from copyspan.errors import SourceError, UsageError

_PLAIN_MODES = frozenset({"100644", "100755"})


@dataclass(frozen=True, slots=True)
class FileChange:
    """A commit that changed one file and nothing else."""

    commit: str
    subject: str
    path: str
    old: str
    """The name of the file's old content, for `Contents`."""
    new: str


def single_file_changes(repository: Path, *, newest_first: bool) -> Iterator[FileChange]:
    """The commits, without merges, that changed the content of exactly one file, in the order of the log.

    Raises UsageError where git is not installed, and SourceError where the folder is no repository.
    """
    order = [] if newest_first else ["--reverse"]
    form = "--format=%x00%H %s"
    command = ["log", "--no-merges", "--no-renames", "--raw", "--no-abbrev", "--topo-order", form, *order]
    process = _git(repository, *command, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        commit, subject, entries = "", "", list[str]()
        for raw in process.stdout:
            line = raw.decode("utf-8", "replace").rstrip("\n")
            if line.startswith("\0"):
                yield from _only_change(commit, subject, entries)
                commit, _, subject = line[1:].partition(" ")
                entries = []
            elif line.startswith(":"):
                entries.append(line)
        yield from _only_change(commit, subject, entries)
        if process.wait() != 0:
            reason = process.stderr.read().decode("utf-8", "replace").strip().split("\n")[0]
            raise SourceError(f"{repository} cannot be read by git: {reason}. Name the folder of a repository.")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


class Contents:
    """Contents of files by their names in the repository, read from one running git."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._ask: IO[bytes] = process.stdin
        self._answer: IO[bytes] = process.stdout

    def read(self, name: str) -> bytes | None:
        """The content; None where the repository does not hold it, as a partial clone may not."""
        self._ask.write(f"{name}\n".encode())
        self._ask.flush()
        header = self._answer.readline().split()
        if len(header) != 3 or header[1] != b"blob":
            return None
        content = self._answer.read(int(header[2]))
        self._answer.read(1)
        return content


@contextmanager
def contents(repository: Path) -> Iterator[Contents]:
    """Open the repository's contents. Raises UsageError where git is not installed."""
    process = _git(repository, "cat-file", "--batch", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield Contents(process)
    finally:
        process.kill()
        process.communicate()


def _git(repository: Path, *arguments: str, stdin: int = subprocess.DEVNULL, stderr: int) -> "subprocess.Popen[bytes]":
    command = ["git", "-c", "core.quotePath=off", "-C", str(repository), *arguments]
    try:
        return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr)
    except FileNotFoundError as error:
        raise UsageError("git is not installed, and commits are read by it. Install git.") from error


def _only_change(commit: str, subject: str, entries: list[str]) -> Iterator[FileChange]:
    """The commit as a change of one file, where it is one. `:100644 100644 OLD NEW M<tab>path`"""
    if len(entries) != 1:
        return
    facts, _, path = entries[0][1:].partition("\t")
    old_mode, new_mode, old, new, status = facts.split()
    if status == "M" and {old_mode, new_mode} <= _PLAIN_MODES and not path.startswith('"') and old != new:
        yield FileChange(commit, subject, path, old, new)
