"""Finding the source again. Tokens are letters; lines end with a dot."""

import pytest

from copyspan.strategies.draft import Drafter


def drafter(source: str, at: int = 0, limit: int = 64, written: str = "") -> Drafter:
    starts = [0, *(i + 1 for i, c in enumerate(source) if c == ".")]
    made = Drafter([ord(c) for c in source], starts, lambda token: token == ord("."), limit, [ord(c) for c in written])
    made.seek(at)
    return made


def proposed(d: Drafter, room: int = 1000) -> str:
    return "".join(chr(guess.token) for guess in d.propose(room))


def write(d: Drafter, text: str) -> int:
    """Let a model write `text`, and the drafter draft it; returns how many forwards that took."""
    forwards = 0
    while text:
        draft = proposed(d)
        accepted = next((i for i, (a, b) in enumerate(zip(draft, text, strict=False)) if a != b), len(draft))
        accepted = min(accepted, len(text))
        d.accept(accepted)
        text = text[accepted:]
        if text and d.expects(ord(text[0])):
            d.follow()
        elif text:
            d.depart(ord(text[0]))
        text = text[1:]
        forwards += 1
    return forwards


def test_drafts_double_while_everything_is_accepted() -> None:
    d = drafter("x" * 500)
    lengths = []
    for _ in range(4):
        lengths.append(len(proposed(d)))
        d.accept(lengths[-1])
    assert lengths == [32, 64, 64, 64]


def test_drafts_are_short_after_a_departure_and_grow_again() -> None:
    d = drafter("x" * 500)
    d.accept(len(proposed(d)))
    d.depart(ord("?"))
    assert len(proposed(d)) == 16
    d.accept(16)
    assert len(proposed(d)) == 32


def test_drafts_shrink_while_nothing_is_accepted() -> None:
    """A forward over three tokens costs what one over a single token costs; one over sixteen does not."""
    d = drafter("x" * 500)
    lengths = []
    for letter in "abcdef":
        lengths.append(len(proposed(d)))
        d.accept(0)
        d.depart(ord(letter))
    assert lengths == [32, 8, 4, 3, 3, 3]


def test_drafts_fit_the_room() -> None:
    assert len(proposed(drafter("x" * 500), room=5)) == 5
    assert proposed(drafter("x" * 500), room=0) == ""
    assert proposed(drafter("x" * 500), room=-3) == ""


@pytest.mark.parametrize(
    ("source", "at", "written", "expected"),
    [
        ("abcdef.ghi.", 2, "ab?", "def.gh"),  # one token stood for one
        ("abcdef.ghi.", 2, "abd", "ef.ghi"),  # a deletion: the token is a little ahead
        ("abcdef.ghi.", 2, "ab?!.", "ghi."),  # the rest of the line was replaced
        ("abcdef.ghi.", 5, "abcde?", ".ghi."),  # never past the end of the line by itself
        ("abc.def.ghi.jkl.", 4, "abc.xyz.def", ".ghi.j"),  # a line was inserted
        ("abc.def.ghi.jkl.", 4, "abc.g", "hi.jkl"),  # a line was deleted
    ],
)
def test_the_pointer_finds_the_source(source: str, at: int, written: str, expected: str) -> None:
    d = drafter(source, at, written=written[:-1])
    d.depart(ord(written[-1]))
    assert proposed(d)[:6] == expected


def test_short_lines_that_are_accepted_count_as_lines() -> None:
    """Else every blank line between two changed ones would put the pointer a line too far back."""
    d = drafter("aa..bb.cc..dd.")
    assert proposed(d)
    d.accept(0)
    for letter in "x.":
        d.depart(ord(letter))
    assert proposed(d)[:4] == ".bb."
    d.accept(1)
    assert proposed(d)[:3] == "bb."
    for letter in "y.":
        d.depart(ord(letter))
    assert proposed(d)[:3] == "cc."
    for letter in "z.":
        d.depart(ord(letter))
    assert proposed(d)[:3] == ".dd"
    d.accept(0)
    d.follow()
    for letter in "w.":
        d.depart(ord(letter))
    assert proposed(d) == ""


def test_a_long_match_is_trusted_far_away_and_a_short_one_is_not() -> None:
    source = "start." + "filler." * 30 + "zebra."
    near_end = source.index("zebra")
    d = drafter(source, 3, written="sta")
    d.depart(ord("z"))
    assert d.position == 4
    d.depart(ord("e"))
    d.depart(ord("b"))
    assert d.position == near_end + 3


def test_nothing_is_drafted_past_the_end() -> None:
    d = drafter("ab.", 3)
    assert proposed(d) == ""
    d.depart(ord("."))
    assert proposed(d) == ""


SOURCE = "set old=1;go on;do old+2;and so on;if old>3;we end."


def test_a_rename_is_drafted_renamed_from_its_second_place_on() -> None:
    d = drafter(SOURCE)
    write(d, "set new=1;go on;")
    assert proposed(d).startswith("do new+2;and so on;if new>3;")
    assert [guess.source is None for guess in d.propose(8)] == [False] * 3 + [True] * 3 + [False] * 2


def test_a_rename_of_many_places_takes_few_forwards() -> None:
    text = "x old y. " * 40
    assert write(drafter(text), text.replace("old", "new")) < 12


def test_a_substitution_that_is_refuted_is_not_drafted_again() -> None:
    d = drafter(SOURCE)
    write(d, "set new=1;go on;do old+2;and")
    assert proposed(d).startswith(" so on;if old>3;")


def test_a_rename_that_is_left_half_way_does_not_teach_half_a_name() -> None:
    d = drafter(SOURCE)
    write(d, "set new=1;go on;do nex+2;and so on;")
    assert proposed(d).startswith("if nex>3;") or proposed(d).startswith("if new>3;")


def test_what_was_only_added_or_removed_teaches_nothing() -> None:
    d = drafter(SOURCE)
    write(d, "set =1;go on;do old+2;really and so on;")
    assert proposed(d).startswith("if old>3;")


def test_new_text_that_repeats_itself_is_drafted_from_itself() -> None:
    d = drafter("abc.", 0)
    new = "[1234567890-]"
    write(d, new + "(" + new[:2])
    assert proposed(d).startswith(new[2:5])


def test_a_line_that_is_drafted_from_the_output_takes_the_place_of_one() -> None:
    d = drafter("aa.bb.cc.dd.")
    write(d, "xyzw.xy")
    assert proposed(d) == "zw."
    d.accept(3)
    assert proposed(d).startswith("cc.")


def test_what_the_source_says_as_well_is_the_sources() -> None:
    """Else a blank line that stays would count as new."""
    d = drafter("aa.b-b.c-c.", written="b-b.")
    d.seek(4)
    d.depart(ord("-"))
    drafts = d.propose(100)
    assert [guess.source is not None for guess in drafts[:2]] == [True, True]
