"""Finding the source again. Tokens are letters; lines end with a dot."""

import pytest

from copyspan.strategies.draft import Drafter


def drafter(source: str, at: int = 0, limit: int = 64) -> Drafter:
    starts = [0, *(i + 1 for i, c in enumerate(source) if c == ".")]
    made = Drafter([ord(c) for c in source], starts, limit)
    made.seek(at)
    return made


def shown(d: Drafter, length: int = 6) -> str:
    return "".join(map(chr, d.propose()))[:length]


def test_drafts_double_while_everything_is_accepted() -> None:
    d = drafter("x" * 500)
    lengths = []
    for _ in range(5):
        lengths.append(len(d.propose()))
        d.accept(lengths[-1])
    assert lengths == [16, 32, 64, 64, 64]


def test_drafts_are_short_after_a_departure_and_grow_again() -> None:
    d = drafter("x" * 500)
    d.accept(16)
    d.depart([ord("?")], ends_line=False)
    assert len(d.propose()) == 8
    d.accept(8)
    assert len(d.propose()) == 16


@pytest.mark.parametrize(
    ("source", "at", "written", "ends_line", "expected"),
    [
        ("abcdef.ghi.", 2, "ab?", False, "def.gh"),  # one token stood for one
        ("abcdef.ghi.", 2, "abd", False, "ef.ghi"),  # a deletion: the token is a little ahead
        ("abcdef.ghi.", 2, "ab?!.", True, "ghi."),  # the rest of the line was replaced
        ("abcdef.ghi.", 5, "abcde?", False, ".ghi."),  # never past the end of the line by itself
        ("abc.def.ghi.jkl.", 4, "abc.xyz.def", False, ".ghi.j"),  # a line was inserted
        ("abc.def.ghi.jkl.", 4, "abc.g", False, "hi.jkl"),  # a line was deleted
    ],
)
def test_the_pointer_finds_the_source(source: str, at: int, written: str, ends_line: bool, expected: str) -> None:
    d = drafter(source, at)
    d.depart([ord(c) for c in written], ends_line)
    assert shown(d) == expected


def test_short_lines_that_are_accepted_count_as_lines() -> None:
    """Else every blank line between two changed ones would put the pointer a line too far back."""
    d = drafter("aa..bb.cc..dd.")
    d.depart([ord("x"), ord(".")], ends_line=True)
    assert shown(d) == ".bb.cc"
    d.accept(1)
    assert shown(d) == "bb.cc."
    d.depart([ord(c) for c in "x..y."], ends_line=True)
    assert shown(d) == "cc..dd"
    d.depart([ord(c) for c in "x..y.z."], ends_line=True)
    assert shown(d) == ".dd."
    d.follow()
    d.depart([ord(c) for c in "x..y.z..w."], ends_line=True)
    assert shown(d) == ""


def test_a_long_match_is_trusted_far_away_and_a_short_one_is_not() -> None:
    source = "start." + "filler." * 30 + "zebra."
    near_end = source.index("zebra")
    d = drafter(source, 3)
    d.depart([ord(c) for c in "sta" + "z"], ends_line=False)
    assert d.position == 4
    d.depart([ord(c) for c in "sta" + "zeb"], ends_line=False)
    assert d.position == near_end + 3


def test_nothing_is_drafted_past_the_end() -> None:
    d = drafter("ab.", 3)
    assert list(d.propose()) == []
    d.depart([ord("?")], ends_line=True)
    assert list(d.propose()) == []
