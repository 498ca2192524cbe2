"""Documents and programs for these tests: short literals, Hypothesis strategies, and slow, obvious checks."""

from itertools import pairwise

import regex
from hypothesis import strategies as st

from copyspan.edits.edit import Edit, EditList
from copyspan.edits.lines import LineOp, NewLines
from copyspan.edits.program import CopyLines, CopyTokens, Gen, Op, Program
from copyspan.edits.text import LineRange, Snapshot

TERMINATORS = ["\n", "\r\n", "\r"]
CONTENTS = [
    "a",
    "b",
    "ab",
    "ä",
    "é",
    "́",
    "\u200d",
    "😀",
    "👨\u200d👩\u200d👧",
    "🇩🇪",
    "🇩",
    "한",
    "ᄀ",
    "नि",
    "क्",
    "<gen>",
    "</gen>",
    "<\\copy",
    "<",
    "\\",
]
CONTENTS += [" ", "\t", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\ufeff", "\xa0"]

texts = st.lists(st.sampled_from(TERMINATORS * 4 + CONTENTS), max_size=14).map("".join)
contents = st.lists(st.sampled_from(CONTENTS), max_size=3).map("".join)
snapshots = texts.map(Snapshot)


def program(literal: str) -> Program:
    """Operations divided by spaces: "1-3" and "4" copy lines (from 1, inclusive), "t5-9" tokens, "+x" writes x."""
    return Program(tuple(_op(word) for word in literal.split(" ") if word))


def line_ops(literal: str) -> list[LineOp]:
    """Like `program`, but "+x,y" are two new lines, and "+" is a new empty line."""
    words = [word for word in literal.split(" ") if word]
    return [NewLines(tuple(word[1:].split(","))) if word[0] == "+" else _copy_lines(word) for word in words]


def marked(text: str, edits: EditList) -> str:
    """The old text with every edit as [old>new] in its place."""
    pieces, end = [], 0
    for edit in edits:
        pieces += text[end : edit.start], f"[{text[edit.start : edit.stop]}>{edit.text}]"
        end = edit.stop
    return "".join(pieces) + text[end:]


@st.composite
def ranges(draw, size: int):
    """Two ends in 0..size, the first no greater."""
    ends = st.integers(0, size)
    start, stop = sorted((draw(ends), draw(ends)))
    return start, stop


def scopes(snapshot: Snapshot):
    return st.just(snapshot.all_lines) | ranges(snapshot.num_lines).map(lambda ends: LineRange(*ends))


def line_copies(scope: LineRange):
    """Copies of lines in the scope, in any order; nothing where the scope is empty."""
    ends = ranges(len(scope)).filter(lambda ends: ends[0] < ends[1])
    return (
        ends.map(lambda ends: CopyLines(scope.start + ends[0], scope.start + ends[1]))
        if scope.stop > scope.start
        else st.nothing()
    )


def programs(scope: LineRange):
    """Programs with forward, backward and repeated copies of lines, and any text between them."""
    return st.lists(line_copies(scope) | line_copies(scope) | texts.map(Gen), max_size=6).map(tuple).map(Program)


@st.composite
def token_programs(draw, snapshot: Snapshot, scope: LineRange):
    """A program with copies of tokens too, and the borders of the tokens: anywhere, inside a CRLF too."""
    size = len(snapshot.text)
    borders = sorted({0, size, *draw(st.lists(st.integers(0, size), max_size=8))})
    first, last = snapshot.span(scope)
    inside = [i for i, border in enumerate(borders) if first <= border <= last]
    copies = st.nothing()
    if len(inside) > 1:
        ends = ranges(len(inside) - 1).filter(lambda ends: ends[0] < ends[1])
        copies = ends.map(lambda ends: CopyTokens(inside[0] + ends[0], inside[0] + ends[1]))
    ops = draw(st.lists(copies | line_copies(scope) | texts.map(Gen), max_size=6))
    return Program(tuple(ops)), borders


def some_line_ops(scope: LineRange):
    new_lines = st.lists(contents, max_size=3).map(tuple).map(NewLines)
    return st.lists(line_copies(scope) | new_lines, max_size=5)


@st.composite
def edit_lists(draw, text: str):
    """Edits of the text at any borders of graphemes."""
    borders = grapheme_borders(text)
    ends = sorted(draw(st.lists(st.sampled_from(borders), max_size=6)))
    pairs = zip(ends[::2], ends[1::2], strict=False)
    return EditList(tuple(Edit(start, stop, draw(texts)) for start, stop in pairs))


def grapheme_borders(text: str) -> list[int]:
    return [0, *(match.end() for match in regex.finditer(r"\X", text))]


def check_trimmed(old: str, edits: EditList) -> None:
    """Law 2, by trying every cut."""
    new = edits.apply(old)
    old_borders, new_borders = set(grapheme_borders(old)), set(grapheme_borders(new))
    shift = 0
    for edit in edits:
        before, after, new_start = old[edit.start : edit.stop], edit.text, edit.start + shift
        shift += edit.growth
        assert before != after
        heads = [n for n in range(1, min(len(before), len(after)) + 1) if before[:n] == after[:n]]
        heads = [n for n in heads if edit.start + n in old_borders and new_start + n in new_borders]
        tails = [n for n in range(1, min(len(before), len(after)) + 1) if before[-n:] == after[-n:]]
        tails = [n for n in tails if edit.stop - n in old_borders and edit.stop + shift - n in new_borders]
        for rest in [(before[n:], after[n:]) for n in heads] + [(before[:-n], after[:-n]) for n in tails]:
            # The one reason to keep something in common: a carriage return would stand at the cut by itself, or does
            # in the first of two lines that touch.
            assert "\r" in rest or any(regex.search(r"\r(?!\n)", text) for text in rest)
    assert all(left.stop < right.start for left, right in pairwise(edits))


def is_inside_crlf(text: str, offset: int) -> bool:
    return text[max(offset - 1, 0) : offset + 1] == "\r\n"


def _op(word: str) -> Op:
    if word[0] == "+":
        return Gen(word[1:])
    if word[0] == "t":
        copy = _copy_lines(word[1:])
        return CopyTokens(copy.start, copy.stop)
    return _copy_lines(word)


def _copy_lines(word: str) -> CopyLines:
    first, _, last = word.partition("-")
    return CopyLines(int(first) - 1, int(last or first))
