"""Source files for made-up edits: from folders, files, and files of edit pairs."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from copyspan.errors import SourceError, UsageError
from copyspan.train.data.fitness import decoded, is_foreign
from copyspan.train.data.mix import file_of
from copyspan.train.data.synthetic.edit import SourceFile, language_of
from copyspan.train.pairs import EditPair, read_pairs

_PAIRS = (".jsonl", ".jsonl.gz")


def read_sources(paths: Sequence[Path], license: str = "") -> list[SourceFile]:
    """The text files of a known language among the paths and below them, in the order of their names.

    Files of pairs give the texts after their edits, of a repository's file the last one alone. Folders whose name
    starts with a dot are not looked into. Raises SourceError where a path cannot be read, and UsageError where nothing
    is found.
    """
    files: list[SourceFile] = []
    for path in paths:
        if path.name.endswith(_PAIRS):
            files += sources_of(read_pairs(path))
        elif path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file, path))
            files += _read(((file, file.relative_to(path.parent).as_posix()) for file in found), license)
        else:
            files += _read([(path, path.name)], license)
    if not files:
        raise UsageError("There is no text file of a known language. Name source files, folders, or files of pairs.")
    return files


def sources_of(pairs: Iterable[EditPair]) -> list[SourceFile]:
    """The texts after the edits, of every file the one that comes last."""
    latest = {file_of(pair): pair for pair in pairs}
    return [
        SourceFile(pair.source, pair.name, pair.lang, pair.after.replace("\r\n", "\n"), pair.license)
        for pair in latest.values()
    ]


def _read(files: Iterable[tuple[Path, str]], license: str) -> Iterator[SourceFile]:
    for file, source in files:
        if language_of(file.name) and not is_foreign(source):
            try:
                text = decoded(file.read_bytes())
            except OSError as error:
                raise SourceError(f"{file} cannot be read: {error.strerror}. Name source files or folders.") from error
            if text is not None:
                yield SourceFile(source, file.name, language_of(file.name), text.replace("\r\n", "\n"), license)


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)
