"""Which part of a file is edited, and with which white space. Knows no kind of edit."""

import re
from random import Random

from copyspan.train.data.synthetic.blocks import dedented, indented
from copyspan.train.data.synthetic.edit import Edit, SourceFile

_WHOLE, _FUNCTION = 0.3, 0.45
"""The shares of whole files and of single functions; the others are runs of functions."""
_TABS, _CRLF, _OPEN_END, _INDENTED = 0.05, 0.04, 0.06, 0.1
_LONGEST_RUN = 6
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)


def excerpt(file: SourceFile, rng: Random) -> SourceFile:
    """The file, a function of it, or several that follow each other; of prose the file, or some sections."""
    draw = rng.random()
    if draw < _WHOLE:
        return file
    if file.functions:
        first = rng.randrange(len(file.functions))
        last = first if draw < _WHOLE + _FUNCTION else first + rng.randrange(1, _LONGEST_RUN)
        run = file.functions[first : last + 1]
        if len({function.owner for function in run}) > 1:
            return file
        cut = dedented(file.text[run[0].lead : run[-1].stop])
        return file if cut is None else file.with_text(cut)
    starts = [match.start() for match in _HEADING.finditer(file.text)]
    if file.code is None and len(starts) > 1:
        first = rng.randrange(len(starts))
        stops = [*starts[first + 1 : first + 4], len(file.text)]
        return file.with_text(file.text[starts[first] : rng.choice(stops)].rstrip("\n") + "\n")
    return file


def varied(edit: Edit, rng: Random) -> Edit:
    """The edit with tabs, with CRLF, without a final newline, or farther in; most stay as they are."""
    draws = [rng.random() for _ in range(4)]
    texts = (edit.before, edit.after)
    if draws[0] < _INDENTED:
        texts = (indented(texts[0], "    "), indented(texts[1], "    "))
    if draws[1] < _TABS and "\n" not in edit.instruction:
        texts = _with_tabs(*texts)
    if draws[2] < _OPEN_END and all(len(text) > 1 and text.endswith("\n") for text in texts):
        texts = (texts[0][:-1], texts[1][:-1])
    if draws[3] < _CRLF:
        texts = (texts[0].replace("\n", "\r\n"), texts[1].replace("\n", "\r\n"))
    return Edit(edit.instruction, *texts)


def _with_tabs(before: str, after: str) -> tuple[str, str]:
    """Tabs for steps of indentation; the texts as they are, where a line is no whole number of steps in."""
    indents = {len(match) for text in (before, after) for match in re.findall(r"^( *)(?=\S)", text, re.MULTILINE)} - {0}
    unit = min(indents, default=0)
    if unit < 2 or any(indent % unit for indent in indents):
        return before, after
    first, second = (
        re.sub(r"^ +(?=\S)", lambda match: "\t" * (len(match[0]) // unit), text, flags=re.MULTILINE)
        for text in (before, after)
    )
    return first, second
