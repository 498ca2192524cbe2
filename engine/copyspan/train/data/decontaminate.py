"""Whether training pairs hold what evaluation sets ask for. Knows no framing: every text of a record counts.

A pair is contaminated where its id or source is that of a record, where a text of it equals one of a record (but for
blank edges and the ends of lines), where it shares a run of `RUN` words with one, or where it holds a shorter text of a
record as a whole.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from copyspan.errors import UsageError
from copyspan.jsonlines import ALL, Numbers, read_lines
from copyspan.train.pairs import EditPair

RUN = 40
"""Words between white space, in a row."""
_ANCHOR, _STRIDE = 8, 5
"""Runs of so many words are looked up, at every so manieth word. Every shared text of at least _ANCHOR + _STRIDE - 1
words contains one of them; what is found is then compared in full."""
_LEAST = _ANCHOR + _STRIDE - 1
_FIELDS = ("before", "after", "before_doc", "after_doc", "body_before", "body_after")

SAME_ID, SAME_TEXT, SHARED_RUN, WHOLE_TEXT = "the same id", "an equal text", f"{RUN} words in a row", "a whole text"


@dataclass
class EvaluationIndex:
    """What evaluation records hold, by hash; built once, asked for every pair."""

    ids: set[str] = field(default_factory=set)
    _texts: set[int] = field(default_factory=set)
    _anchors: set[int] = field(default_factory=set)
    _runs: set[int] = field(default_factory=set)
    _short: dict[int, list[tuple[str, ...]]] = field(default_factory=dict)
    """Texts of fewer words than a run, by their first anchor."""

    def add(self, record: Mapping[str, Any]) -> None:
        """Take in a record: its id, and each of its texts that is there."""
        if isinstance(record.get("id"), str):
            self.ids.add(record["id"])
        for name in _FIELDS:
            text = record.get(name)
            if not isinstance(text, str) or not text.strip() or (key := hash(_plain(text))) in self._texts:
                continue
            self._texts.add(key)
            words = tuple(text.split())
            if len(words) >= _LEAST:
                self._anchors.update(hash(words[i : i + _ANCHOR]) for i in range(len(words) - _ANCHOR + 1))
                if len(words) >= RUN:
                    self._runs.update(hash(words[i : i + RUN]) for i in range(len(words) - RUN + 1))
                else:
                    self._short.setdefault(hash(words[:_ANCHOR]), []).append(words)

    def reason(self, pair: EditPair) -> str | None:
        """Why the pair is contaminated; None where it is not."""
        if pair.id in self.ids or pair.source in self.ids:
            return SAME_ID
        texts = [pair.before, pair.after] if pair.before != pair.after else [pair.before]
        if any(hash(_plain(text)) in self._texts for text in texts):
            return SAME_TEXT
        return next((found for text in texts if (found := self._shared(tuple(text.split())))), None)

    def _shared(self, words: tuple[str, ...]) -> str | None:
        for place in range(0, len(words) - _ANCHOR + 1, _STRIDE):
            if hash(words[place : place + _ANCHOR]) not in self._anchors:
                continue
            first = max(0, place + _ANCHOR - RUN)
            for start in range(first, min(place, len(words) - RUN) + 1):
                if hash(words[start : start + RUN]) in self._runs:
                    return SHARED_RUN
            for start in range(first, place + 1):
                for short in self._short.get(hash(words[start : start + _ANCHOR]), ()):
                    if words[start : start + len(short)] == short:
                        return WHOLE_TEXT
        return None


@dataclass(frozen=True, slots=True)
class Checked:
    """The pairs that are clean, and how many are not, by reason."""

    clean: tuple[EditPair, ...]
    reasons: Counter[str]


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """A file of JSON lines, or some of its records.

    The others may then be training data.
    """

    path: Path
    numbers: Numbers = ALL

    @classmethod
    def parse(cls, text: str) -> "EvaluationSet":
        """FILE or FILE:R/M. Raises UsageError unless R < M."""
        match = re.fullmatch(r"(.+):(\d+/\d+)", text)
        return cls(Path(text)) if match is None else cls(Path(match[1]), Numbers.parse(match[2]))


def read_evaluation(sets: Sequence[EvaluationSet]) -> EvaluationIndex:
    """The index of evaluation sets.

    Raises SourceError where one cannot be read, and UsageError for a line that is no object with one of the texts.
    """
    index = EvaluationIndex()
    for chosen in sets:
        for number, (place, record) in enumerate(_records(chosen.path)):
            if number not in chosen.numbers:
                continue
            if not any(isinstance(record.get(name), str) for name in _FIELDS):
                raise UsageError(f"{place} is no record of an evaluation set: it has none of {', '.join(_FIELDS)}.")
            index.add(record)
    return index


def check(pairs: Iterable[EditPair], index: EvaluationIndex) -> Checked:
    """Tell clean pairs from contaminated ones."""
    clean, reasons = [], Counter[str]()
    for pair in pairs:
        reason = index.reason(pair)
        if reason is None:
            clean.append(pair)
        else:
            reasons[reason] += 1
    return Checked(tuple(clean), reasons)


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for place, line in read_lines(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{place} is not JSON in UTF-8 ({type(error).__name__}).") from error
        if not isinstance(record, dict):
            raise UsageError(f"{place} is no record of an evaluation set: it is no object.")
        yield place, record


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
