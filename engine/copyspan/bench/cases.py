"""Edit sets: JSON lines of a text before and after an edit, read as one of three framings. Knows no model.

Framings say which texts of a record are the document:
    plain   `before` and `after`, as they are
    doc     `before_doc` and `after_doc`: a function with its documentation, as an editor has it
    body    `body_before` and `body_after`: a function's body alone, divided by split("\\n"), as in the paper
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from copyspan.errors import UsageError
from copyspan.jsonlines import ALL, Numbers, read_lines, reason_of

Framing = Literal["plain", "doc", "body"]

_FIELDS: Mapping[Framing, tuple[str, str]] = {
    "plain": ("before", "after"),
    "doc": ("before_doc", "after_doc"),
    "body": ("body_before", "body_after"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One edit: two texts, and what was asked for.

    In the body framing each text has one newline more than the record. split("\\n") divides lines where an editor ends
    them: with that newline every piece of the split, the empty one after a final newline included, is a line here.
    """

    set: str
    """The name of the edit set: its file's name without the ending."""
    id: str
    before: str
    after: str
    framing: Framing = "plain"
    instruction: str = ""
    lang: str = ""
    tests: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Every other field of the record, for the benchmark that knows what it means."""

    def without_joint(self, text: str) -> str:
        """A run of this case's lines without the newline that only joins it to what follows it (body framing)."""
        return text.removesuffix("\n") if self.framing == "body" else text

    def is_gold(self, text: str) -> bool:
        """Whether the text is the one after the edit: byte for byte, or as the paper compares it in its framing.

        There newlines at the end do not count: of the readings tried, this one gives its figures.
        """
        if self.framing != "body":
            return text == self.after
        return text.rstrip("\n") == self.after.rstrip("\n")


class _Record(BaseModel):
    """A record's own fields; others are kept as they are."""

    model_config = ConfigDict(extra="allow", frozen=True)

    before: str
    after: str
    id: str | None = None
    instruction: str = ""
    lang: str = ""
    tests: str | None = None


def read_cases(path: Path, framing: Framing = "plain", numbers: Numbers = ALL) -> tuple[Case, ...]:
    """The cases of one edit set, in order.

    Raises SourceError where the file cannot be read, and UsageError for a line that is no record of this framing, for
    an id that occurs twice, and where no case is left. No message holds a record's text.
    """
    cases: dict[str, Case] = {}
    for number, case in enumerate(_read(path, framing)):
        if case.id in cases:
            raise UsageError(f"{path.name}: the id {case.id!r} occurs twice. Ids tell the results apart.")
        if number in numbers:
            cases[case.id] = case
    if not cases:
        raise UsageError(f"{path.name} holds no case that was asked for.")
    return tuple(cases.values())


def read_sets(paths: Sequence[Path], framing: Framing, numbers: Numbers = ALL) -> list[Case]:
    """The cases of edit sets, one set after the other. Raises as `read_cases`, and UsageError for two of one name."""
    names: set[str] = set()
    for path in paths:
        if path.stem in names:
            raise UsageError(f"Two edit sets are called {path.stem}. Rename one of the files.")
        names.add(path.stem)
    return [case for path in paths for case in read_cases(path, framing, numbers)]


def _read(path: Path, framing: Framing) -> Iterator[Case]:
    for number, (place, line) in enumerate(read_lines(path)):
        yield _case(line, place, path.stem, str(number), framing)


def _case(line: bytes, place: str, name: str, number: str, framing: Framing) -> Case:
    try:
        raw = json.loads(line)
        record = _Record.model_validate(raw)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place} is no record of an edit: {reason_of(error)}.") from error
    before, after = (_text(raw, name, place, framing) for name in _FIELDS[framing])
    return Case(
        set=name,
        id=number if record.id is None else record.id,
        before=before,
        after=after,
        framing=framing,
        instruction=record.instruction,
        lang=record.lang,
        tests=record.tests,
        extra=record.model_extra or {},
    )


def _text(raw: Mapping[str, Any], name: str, place: str, framing: Framing) -> str:
    text = raw.get(name)
    if not isinstance(text, str):
        known = [key for key, names in _FIELDS.items() if all(isinstance(raw.get(n), str) for n in names)]
        raise UsageError(f"{place} has no text {name!r} for the framing {framing}. It has: {', '.join(known)}.")
    if framing != "body":
        return text
    if "\r" in text:
        raise UsageError(f"{place}: the body framing divides lines at LF alone, and {name!r} holds a CR. Take plain.")
    return text + "\n"
