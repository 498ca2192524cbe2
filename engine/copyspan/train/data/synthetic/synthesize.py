"""Pairs made up from source files: which kind, which file, which part of it, and whether the result holds."""

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from copyspan.errors import UsageError
from copyspan.train.data.synthetic.code import is_valid
from copyspan.train.data.synthetic.combined import NOTHING, SEVERAL, WEIGHTS, nothing, several
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.makers import KINDS, Kind
from copyspan.train.data.synthetic.variants import excerpt, varied
from copyspan.train.pairs import EditPair

MAX_LINES = 2000
MIN_LINES = 3
_FILES, _TRIES = 60, 4
"""How many files are tried for a pair, and how often each."""
_REDRAWN = 8
"""How often another kind is drawn where one has no edit; after that the files are used up."""


def all_kinds() -> Mapping[str, Kind]:
    """Every kind by name, the combined ones too."""
    langs = frozenset[str]().union(*(kind.langs for kind in KINDS.values()))
    return {
        **KINDS,
        SEVERAL: Kind(several, langs, WEIGHTS[SEVERAL]),
        NOTHING: Kind(nothing, langs, WEIGHTS[NOTHING]),
    }


def synthesize(
    files: Sequence[SourceFile], count: int, seed: int, kinds: Sequence[str] | None = None
) -> Iterator[EditPair]:
    """Up to `count` pairs, all different; fewer where the files give no more.

    The same files, seed and kinds give the same pairs, and a smaller count the first ones of them. `kinds` are names,
    or patterns such as "fault-*". Raises UsageError for an unknown kind, and where no file is of a language that a kind
    is for.
    """
    chosen = _chosen(kinds)
    usable = [file for file in files if MIN_LINES <= file.text.count("\n") <= MAX_LINES and "\r" not in file.text]
    by_kind = {name: [file for file in usable if file.lang in kind.langs] for name, kind in chosen.items()}
    names = [name for name in chosen if by_kind[name]]
    if not names:
        raise UsageError(
            "No file is of a language that edits are made up for. Name files of Python, JavaScript, TypeScript or "
            f"Markdown, of {MIN_LINES} to {MAX_LINES} lines."
        )
    weights = [chosen[name].weight for name in names]
    seen: set[int] = set()
    for number in range(count):
        rng = Random(f"{seed}/{number}")
        pair = None
        for _ in range(_REDRAWN):
            name = rng.choices(names, weights)[0]
            pair = _pair(name, chosen[name], by_kind[name], number, rng, seen)
            if pair is not None:
                break
        if pair is None:
            return
        seen.add(_key(pair.before, pair.after))
        yield pair


def make_edit(kind: Kind, file: SourceFile, rng: Random, *, is_nothing: bool = False) -> Edit | None:
    """An edit of the file whose texts are valid, and differ unless there is nothing to do."""
    edit = kind.make(file, rng)
    if edit is None or (edit.before == edit.after) is not is_nothing:
        return None
    is_sound = all(text.strip() and is_valid(text, file.lang) for text in (edit.before, edit.after))
    return edit if is_sound and edit.before.count("\n") >= MIN_LINES else None


def _pair(
    name: str, kind: Kind, files: Sequence[SourceFile], number: int, rng: Random, seen: set[int]
) -> EditPair | None:
    for _ in range(min(_FILES, 4 * len(files))):
        # A copy forgets its tokens; those of all files together would not fit into memory.
        file = rng.choice(files)
        part = excerpt(file.with_text(file.text), rng)
        for _ in range(_TRIES):
            edit = make_edit(kind, part, rng, is_nothing=name == NOTHING)
            if edit is None or _key(edit.before, edit.after) in seen:
                continue
            edit = varied(edit, rng)
            return EditPair(
                id=f"{file.source}#{number}",
                kind=name,
                source=file.source,
                license=file.license,
                lang=file.lang,
                name=file.name,
                instruction=edit.instruction,
                before=edit.before,
                after=edit.after,
            )
    return None


def _chosen(kinds: Sequence[str] | None) -> Mapping[str, Kind]:
    known = all_kinds()
    if kinds is None:
        return known
    found: dict[str, Kind] = {}
    for pattern in kinds:
        names = fnmatch.filter(known, pattern)
        if not names:
            raise UsageError(f"--kind {pattern}: there is no such kind. There are {', '.join(known)}.")
        found |= {name: known[name] for name in names}
    return found


def _key(before: str, after: str) -> int:
    return hash((before, after))
