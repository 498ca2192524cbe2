import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_positions import slow_lines

from copyspan.edits.edit import Edit, EditList
from copyspan.edits.text import LineRange, Snapshot
from copyspan_lsp.rebase import Landing, Region, land, touches

laws = settings(deadline=None, max_examples=300)
terminators = st.sampled_from(["\n", "\r\n", "\r"])
lines = st.tuples(st.sampled_from(["", "a", "a", "b", "é", "e\u0301", "😀"]), terminators).map("".join)
some_lines = st.lists(lines, max_size=3).map("".join)
pieces = st.lists(st.sampled_from(["a", "b", "\n", "\r", "\r\n", "x"]), max_size=3).map("".join)


@st.composite
def edit_lists(draw, text: str, start: int, stop: int):
    """Edits of text[start:stop], anywhere in it."""
    ends = sorted(draw(st.lists(st.integers(start, stop), max_size=6)))
    pairs = zip(ends[::2], ends[1::2], strict=False)
    return EditList(tuple(Edit(left, right, draw(pieces)) for left, right in pairs))


@st.composite
def regions(draw, text: str):
    """Whole lines, or a place between lines."""
    snapshot = Snapshot(text)
    first, last = sorted(draw(st.tuples(*[st.integers(0, snapshot.num_lines)] * 2)))
    return Region(*snapshot.span(LineRange(first, last)))


def slow_touches(changes: EditList, text: str, region: Region) -> bool:
    """By looking at where lines begin in the new text."""
    start, stop = region.start, region.stop
    if start == stop:
        return any(edit.start <= start <= edit.stop for edit in changes)
    if any(edit.start < stop and edit.stop > start for edit in changes):
        return True
    moved = start + sum(edit.growth for edit in changes if edit.stop <= start)
    after = changes.apply(text)
    assert after[moved : moved + stop - start] == text[start:stop]
    borders = {begin for begin, _ in slow_lines(after)}
    return moved not in borders or moved + stop - start not in borders | {len(after)}


@given(st.data(), st.tuples(some_lines, some_lines, pieces).map("".join))
@laws
def test_a_region_is_touched_where_its_lines_are_other_lines(data, text):
    region = data.draw(regions(text), label="region")
    changes = data.draw(edit_lists(text, 0, len(text)), label="changes")
    assert touches(changes, text, region) == slow_touches(changes, text, region)


def replaced(above: str, old: str, new: str) -> EditList:
    """The scope `old`, below `above`, replaced as a whole."""
    return EditList((Edit(len(above), len(above) + len(old), new),))


def beside(data, text: str, start: int, stop: int, label: str) -> EditList:
    """Changes of text[start:stop], which lies apart from the region."""
    return data.draw(edit_lists(text, start, stop), label=label) if start < stop else EditList()


@given(st.data(), some_lines, lines, some_lines, st.lists(some_lines, min_size=1, max_size=3))
@laws
def test_a_goal_lands_in_the_place_of_what_the_region_holds(data, above, inside, below, others):
    text = above + inside + below
    goal = data.draw(some_lines, label="goal")
    now = data.draw(st.sampled_from([inside, *others]), label="now")
    first, last = len(above), len(above + inside)
    up = beside(data, text, 0, first - 1, "above")
    down = beside(data, text, last + 1, len(text), "below")
    is_moved = now != inside
    changes = EditList((*up, *(replaced(above, inside, now) if is_moved else ()), *down)).trim(text)
    bases = [*(replaced(above, inside, it) for it in others), EditList()]
    landing = land(replaced(above, inside, goal), bases, text, Region(first, last), changes)
    new_above, new_below = up.apply(text)[: first + sum(edit.growth for edit in up)], down.apply(text)[last:]
    assert changes.apply(text) == new_above + now + new_below
    assert landing is not None
    assert landing.edits.apply(new_above + now + new_below) == new_above + goal + new_below
    assert landing.region == Region(len(new_above), len(new_above + now))


@given(st.data(), some_lines)
@laws
def test_nothing_lands_where_the_scope_is_no_more(data, text):
    region = data.draw(regions(text), label="region")
    inside = text[region.start : region.stop]
    changes = data.draw(edit_lists(text, 0, len(text)), label="changes").trim(text)
    goal = EditList((Edit(region.start, region.stop, "new\n"),))
    landing, current = land(goal, [EditList()], text, region, changes), changes.apply(text)
    if landing is None:
        assert changes.edits
        return
    start, stop = landing.region.start, landing.region.stop
    borders = {begin for begin, _ in slow_lines(current)} | {len(current)}
    assert current[start:stop] == inside
    assert {start, stop} <= borders
    assert landing.edits.apply(current) == current[:start] + "new\n" + current[stop:]


TEXT = "a\nb\nc\nd\n"
BC = Region(2, 6)


def landed(new: str, current: str, *shown: str, text: str = TEXT, region: Region = BC) -> str | None:
    """The current text after an edit that was to make `new` of the region; one change led from the text to it."""
    old = text[region.start : region.stop]
    changes = EditList((Edit(0, len(text), current),)).trim(text)
    bases = [*(replaced(text[: region.start], old, it) for it in shown), EditList()]
    landing = land(replaced(text[: region.start], old, new), bases, text, region, changes)
    return landing.edits.apply(current) if landing else None


@pytest.mark.parametrize(
    ("current", "after"),
    [
        ("a\nb\nc\nd\n", "a\nB\nd\n"),
        ("X\nb\nc\nd\n", "X\nB\nd\n"),
        ("a\nx\nb\nc\nd\n", "a\nx\nB\nd\n"),  # a line just above
        ("a\nb\nc\ny\nd\n", "a\nB\ny\nd\n"),  # and just below
        ("b\nc\nd\n", "B\nd\n"),
        ("b\nc\n", None),  # a change on either side in one piece: nobody knows what it replaced
        ("a\nb\nc\n", "a\nB\n"),
        ("a\nb\nx\nc\nd\n", None),
        ("a\nb\ncd\n", None),
        ("ab\nc\nd\n", None),
        ("a\n  b\nc\nd\n", None),
        ("", None),
    ],
)
def test_typing_meanwhile(current, after):
    assert landed("B\n", current) == after


@pytest.mark.parametrize(
    ("shown", "current", "after"),
    [
        (["b\n"], "a\nb\nd\n", "a\nN\nd\n"),  # applied
        (["b\n"], "a\nb\nc\nd\n", "a\nN\nd\n"),  # rejected: the c that it took away is no line of somebody else's
        (["b\nc\nz\n"], "a\nb\nc\nz\nd\n", "a\nN\nd\n"),  # applied: nor is the z that it brought
        (["b\nc\nz\n"], "a\nb\nc\nd\n", "a\nN\nd\n"),
        ([""], "a\nd\n", "a\nN\nd\n"),
        (["X\n", "Y\n"], "a\nY\nd\n", "a\nN\nd\n"),
        (["X\n", "Y\n"], "q\na\nX\nd\n", "q\na\nN\nd\n"),
        (["X\n", "Y\n"], "a\nZ\nd\n", None),
    ],
)
def test_the_next_candidate_takes_the_place_of_the_one_before_applied_or_not(shown, current, after):
    assert landed("N\n", current, *shown) == after


def test_lines_that_went_and_came_back_beside_others_like_them_are_no_change():
    text, region = "x\nx\nx\nend\n", Region(0, 6)
    changes = EditList((Edit(0, 2, ""), Edit(6, 6, "x\n"), Edit(9, 9, "!")))
    assert changes.apply(text) == "x\nx\nx\nend!\n"
    goal = EditList((Edit(2, 4, "y\n"),))
    assert land(goal, [EditList()], text, region, changes) == Landing(EditList((Edit(2, 3, "y"),)), region)


def test_an_edit_of_an_empty_document_lands_in_an_empty_one_alone():
    goal = EditList((Edit(0, 0, "a\n"),))
    assert land(goal, [EditList()], "", Region(0, 0), EditList()) == Landing(goal, Region(0, 0))
    assert land(goal, [EditList()], "", Region(0, 0), EditList((Edit(0, 0, "b\n"),))) is None
