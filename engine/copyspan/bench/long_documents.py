"""Documents of a length that is asked for, made of the short documents of edit sets. Knows no model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from copyspan.bench.cases import Case
from copyspan.edits.text import Snapshot
from copyspan.errors import UsageError

LINES_PER_EDIT = 40
"""A document has room for one edit in so many lines."""
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class LongEdit:
    """One of the edits of a document."""

    case: str
    instruction: str
    after: str


@dataclass(frozen=True, slots=True)
class LongDocument:
    """Several short documents in one, and an edit for each of some of them."""

    before: str
    edits: tuple[LongEdit, ...]


def long_documents(edited: Sequence[Case], others: Sequence[Case], num_lines: int) -> Iterator[LongDocument]:
    """Documents of about `num_lines` lines, at least one, in which each case of `edited` can be edited once.

    The other cases fill them up as they are after their edits, so that nothing is wrong but what is to be edited. The
    edited ones stand at equal distances. Raises UsageError where the other cases have too few lines.
    """
    per_document = max(1, num_lines // LINES_PER_EDIT)
    for start in range(0, len(edited), per_document):
        yield _document(edited[start : start + per_document], others, num_lines)


def _document(edited: Sequence[Case], others: Sequence[Case], num_lines: int) -> LongDocument:
    fillers = _fillers(others, num_lines - sum(_num_lines(case.before) for case in edited))
    parts: list[tuple[Case, bool]] = [(case, False) for case in fillers]
    for number, case in enumerate(edited):
        # From the first to the last, each has as many parts before it as its turn says.
        parts.insert((2 * number + 1) * len(fillers) // (2 * len(edited)) + number, (case, True))
    texts = [_part(case.before if is_edited else case.after) for case, is_edited in parts]
    edits = [
        LongEdit(case.id, case.instruction, "".join([*texts[:place], _part(case.after), *texts[place + 1 :]]))
        for place, (case, is_edited) in enumerate(parts)
        if is_edited
    ]
    return LongDocument("".join(texts), tuple(edits))


def _fillers(others: Sequence[Case], num_lines: int) -> list[Case]:
    """The first cases that have so many lines together."""
    found: list[Case] = []
    for case in others:
        if num_lines <= 0:
            break
        found.append(case)
        num_lines -= _num_lines(case.after)
    if num_lines > 0:
        raise UsageError(
            f"The set is {num_lines} lines too short for such a document. "
            "Take a larger set, or shorter documents: --lines."
        )
    return found


def _part(text: str) -> str:
    return text.strip("\n") + "\n" + _BETWEEN


def _num_lines(text: str) -> int:
    return Snapshot(_part(text)).num_lines
