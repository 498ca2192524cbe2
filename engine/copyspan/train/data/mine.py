"""Edit pairs from commits: of a local repository, or of records that were made of commits before."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, ValidationError

from copyspan.errors import UsageError
from copyspan.jsonlines import read_lines, reason_of
from copyspan.train.data.fitness import Limits, decoded, is_fit, is_foreign
from copyspan.train.data.git import contents, single_file_changes
from copyspan.train.data.subjects import instruction_of
from copyspan.train.data.synthetic.edit import language_of
from copyspan.train.pairs import EditPair

KIND = "commit"
_DIGITS = 12
"""Of a commit's name, as far as it is told."""
_LIMITS = Limits()


def mine(
    repository: Path,
    *,
    license: str = "",
    most: int | None = None,
    newest_first: bool = False,
    limits: Limits = _LIMITS,
    name: str | None = None,
) -> Iterator[EditPair]:
    """Pairs of the single-file commits of a repository, in the order of its log, at most `most` of them.

    The instruction is the commit's subject; commits whose subject says nothing are left out, and so are files in no
    language that is known. `name` is what the repository is called in ids, its folder's name if none is given. Raises
    UsageError where git is missing, and SourceError where the folder is no repository.
    """
    called = name or repository.resolve().name
    seen: set[tuple[str, str]] = set()
    with contents(repository) as content:
        for change in single_file_changes(repository, newest_first=newest_first):
            if most is not None and len(seen) >= most:
                return
            instruction, lang = instruction_of(change.subject), language_of(change.path)
            if instruction is None or not lang or is_foreign(change.path) or (change.old, change.new) in seen:
                continue
            texts = [decoded(content.read(blob) or b"\0") for blob in (change.old, change.new)]
            before, after = texts
            if before is None or after is None or not is_fit(before, after, limits):
                continue
            seen.add((change.old, change.new))  # a commit that was picked is the same edit again
            source = f"{called}@{change.commit[:_DIGITS]}:{change.path}"
            yield _pair(source, instruction, before, after, license)


class _Record(BaseModel):
    """An edit of a file of a repository; `id` is "repository@commit:path". Other fields are of no interest."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    instruction: str
    before: str
    after: str
    license: str = ""


def from_records(path: Path, *, license: str = "", limits: Limits = _LIMITS) -> Iterator[EditPair]:
    """Pairs of a file of records, in order, held to the same limits as commits.

    Raises SourceError where the file cannot be read, and UsageError for a line that is no record.
    """
    for place, line in read_lines(path):
        try:
            record = _Record.model_validate_json(line)
        except ValidationError as error:
            raise UsageError(f"{place} is no record of a commit: {reason_of(error)}.") from error
        instruction, file = instruction_of(record.instruction), record.id.partition(":")[2] or record.id
        if instruction is not None and not is_foreign(file) and is_fit(record.before, record.after, limits):
            yield _pair(record.id, instruction, record.before, record.after, record.license or license)


def _pair(source: str, instruction: str, before: str, after: str, license: str) -> EditPair:
    path = source.partition(":")[2] or source
    return EditPair(
        id=source,
        kind=KIND,
        source=source,
        license=license,
        lang=language_of(path),
        name=PurePosixPath(path).name,
        instruction=instruction,
        before=before,
        after=after,
    )
