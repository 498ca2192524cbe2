"""Doubles for the benchmarks' tests: cases in two short strings, and a tokenizer that needs no file."""

import json
import re
from pathlib import Path

from copyspan.bench.cases import Case


class WordTokens:
    """Implements `Tokens`: a word, a run of blanks, a newline or another character is a token."""

    def ids(self, text: str) -> list[int]:
        return [hash(piece) for piece in _pieces(text)]

    def borders(self, text: str) -> list[int]:
        borders = [0]
        for piece in _pieces(text):
            borders.append(borders[-1] + len(piece))
        return borders


def case(before: str, after: str, id: str = "0", **fields) -> Case:
    return Case("some", id, before, after, **fields)


def write_set(path: Path, *records: dict) -> Path:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def _pieces(text: str) -> list[str]:
    return re.findall(r"\w+|[ \t]+|[^\w \t]", text)
