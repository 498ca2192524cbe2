"""Programs cut into the tokens that a decoder writes: chosen ones, and text that must come."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.edits.program import CopyLines, Gen, Program, format_program
from copyspan.grammar.pieces import Piece, PieceWriter
from copyspan.grammar.surface import Border, ByteState, Ended, Surface

SURFACE = Surface(1, 120)


class Words:
    """A tokenizer whose tokens are words, or single other characters."""

    def __init__(self) -> None:
        self.token_bytes: list[bytes | None] = []

    def encode(self, text: str) -> list[int]:
        found = re.findall(r"\w+|</|[^\w]", text)
        self.token_bytes += [word.encode() for word in found]
        return list(range(len(self.token_bytes) - len(found), len(self.token_bytes)))


def pieces(at: ByteState, text: str) -> list[Piece]:
    words = Words()
    return list(PieceWriter(SURFACE, words.encode, words.token_bytes).pieces(at, text))


def told(found: Sequence[Piece]) -> list[str]:
    """The pieces' texts, those that were chosen in brackets."""
    return [f"[{p.data.decode()}]" if p.chosen_at else p.data.decode() for p in found]


def test_what_must_come_is_a_piece_and_every_choice_is_one() -> None:
    found = pieces(Border(1), '<copy lines="7-12"/>\n')
    assert told(found) == ["[<]", "[copy]", ' lines="', "[7]", "[-]", "[12]", '["]', "/>\n"]
    assert [piece.copies for piece in found] == [()] * 7 + [(CopyLines(6, 12),)]
    assert found[-1].after == Border(13, CopyLines(6, 12))


def test_where_only_one_number_is_left_it_must_come() -> None:
    assert told(pieces(Border(120), '<copy lines="120-120"/>\n')) == ["[<]", "[copy]", ' lines="120-120"/>\n']


def test_a_gen_is_text_that_is_chosen() -> None:
    found = pieces(Border(1), "<gen>\na b\n</gen>\n")
    assert told(found) == ["[<]", "[gen]", ">\n", "[a]", "[ ]", "[b]", "[\n]", "[</]", "[gen]", "[>]", "\n"]


@pytest.mark.parametrize(
    ("text", "as_far_as"),
    [
        ('<copy lines="7-6"/>\n', ["[<]", "[copy]", ' lines="', "[7]", "[-]", "[6]"]),
        ("<program>", ["[<]"]),
        ("nothing", []),
        ("", []),
    ],
)
def test_a_text_that_is_no_program_ends_where_it_is_none(text: str, as_far_as: list[str]) -> None:
    assert told(pieces(Border(1), text)) == as_far_as


def test_the_last_piece_can_hold_more_than_the_text() -> None:
    assert told(pieces(Border(1), "</prog")) == ["[</]", "program>"]


_OPS = st.lists(
    st.one_of(
        st.integers(1, 20),
        st.lists(st.text("ab <>/é\\", max_size=5), min_size=1, max_size=3).map(lambda t: "".join(x + "\n" for x in t)),
    ),
    max_size=6,
)


@given(_OPS)
def test_the_pieces_of_a_program_are_its_text(parts: list[int | str]) -> None:
    ops: list[CopyLines | Gen] = []
    place = 0
    for part in parts:
        ops.append(Gen(part) if isinstance(part, str) else CopyLines(place, place + part))
        place += part if isinstance(part, int) else 0
    text = format_program(Program(tuple(ops)))[: -len("\n")]
    at, written = SURFACE.start, b""
    for part in re.split(r"(?<=<program>\n)|(?<=/>\n)(?=<)|(?<=</gen>\n)", text):
        for piece in pieces(at, part):
            assert bool(SURFACE.forced(at)) is (piece.chosen_at is None)
            at, written = piece.after, written + piece.data
    assert written.decode() == text
    assert isinstance(at, Ended)
