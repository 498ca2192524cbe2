import pytest
from documents import check_trimmed, edit_lists, grapheme_borders, marked, texts
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from copyspan.edits.edit import Edit, EditList
from copyspan.edits.text import Snapshot

laws = settings(deadline=None, max_examples=100)
edited = texts.flatmap(lambda text: st.tuples(st.just(text), edit_lists(text)))


def edits(*triples: tuple[int, int, str]) -> EditList:
    return EditList(tuple(Edit(*triple) for triple in triples))


def test_apply_replaces_inserts_and_deletes():
    assert edits((0, 0, "<"), (1, 2, "BB"), (3, 4, "")).apply("abcd") == "<aBBc"
    assert edits().apply("abcd") == "abcd"
    with pytest.raises(ValueError, match="text of 1 characters"):
        edits((1, 2, "")).apply("a")


def test_a_list_is_sorted_disjoint_and_its_edits_apart():
    assert edits((1, 1, "a"), (1, 1, "b"), (1, 3, "c"), (3, 4, "")) == edits((1, 4, "abc"))
    assert edits((1, 1, ""), (3, 3, "x")) == edits((3, 3, "x"))
    for wrong in [((1, 1, "x"), (0, 1, "")), ((0, 2, ""), (1, 3, "")), ((0, 2, ""), (1, 1, "x"))]:
        with pytest.raises(ValueError, match="overlap or are out of order"):
            edits(*wrong)
    with pytest.raises(ValueError, match="3 and 2"):
        Edit(3, 2, "")


@given(edited)
@laws
def test_invert_undoes(case):
    text, change = case
    after = change.apply(text)
    assert change.invert(text).apply(after) == text
    assert change.invert(text).invert(after) == change


@given(edited, st.data())
@laws
def test_compose_is_one_after_the_other(case, data):
    text, first = case
    middle = first.apply(text)
    second = data.draw(edit_lists(middle))
    end = second.apply(middle)
    third = data.draw(edit_lists(end))
    assert first.compose(second).apply(text) == end
    left, right = first.compose(second).compose(third), first.compose(second.compose(third))
    assert left.apply(text) == right.apply(text) == third.apply(end)
    assert first.compose(EditList()) == first == EditList().compose(first)


@given(edited, st.data())
@laws
def test_rebase_gives_the_same_text_either_way(case, data):
    text, ours = case
    theirs = data.draw(edit_lists(text))
    ours_later, theirs_later = ours.rebase(theirs), theirs.rebase(ours)
    touch = any(a.start <= b.stop and b.start <= a.stop for a in ours for b in theirs)
    assert (ours_later is None) == (theirs_later is None) == touch
    assume(ours_later is not None)
    assert ours_later.apply(theirs.apply(text)) == theirs_later.apply(ours.apply(text))
    assert theirs.compose(ours_later) == ours.compose(theirs_later)


@pytest.mark.parametrize(
    ("over", "moved"),
    [
        ((0, 1, "xyz"), (5, 7, "!")),
        ((0, 2, ""), (1, 3, "!")),
        ((6, 6, "new"), (3, 5, "!")),
        ((2, 2, "x"), (4, 6, "!")),
        ((3, 3, "x"), None),
        ((5, 5, "x"), None),
        ((4, 4, "x"), None),
        ((0, 9, ""), None),
    ],
)
def test_rebase_moves_or_refuses(over, moved):
    assert edits((3, 5, "!")).rebase(edits(over)) == (moved and edits(moved))


@given(edited)
@laws
def test_trim_obeys_law_2(case):
    text, change = case
    trimmed = change.trim(text)
    assert trimmed.apply(text) == change.apply(text)
    check_trimmed(text, trimmed)
    assert {offset for edit in trimmed for offset in (edit.start, edit.stop)} <= set(grapheme_borders(text))
    for edit in trimmed:
        assert any(old.start <= edit.start and edit.stop <= old.stop for old in change)
    assert trimmed.trim(text) == trimmed


@given(texts, texts)
@laws
def test_a_lone_carriage_return_is_a_whole_line_or_nothing(old, new):
    snapshot = Snapshot(old)
    for edit in EditList((Edit(0, len(old), new),)).trim(old):
        if "\r" in (old[edit.start : edit.stop], edit.text):
            assert {edit.start, edit.stop} <= set(snapshot.starts)


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("same", "same", "same"),
        ("foo(a)\n", "foo(b)\n", "foo([a>b])\n"),
        ("a\nb\nc\n", "a\nx\nc\n", "a\n[b>x]\nc\n"),
        ("\tx\n", "\ty\n\tx\n", "[>\ty\n]\tx\n"),  # a line, not the middle of two lines
        ("a\na\n", "a\n", "a\n[a\n>]"),
        ("b", "b\nc", "b[>\nc]"),
        ("ab\n", "a\nb\n", "a[>\n]b\n"),
        ("cafe\n", "cafe\u0301\n", "caf[e>e\u0301]\n"),
        ("e\u0301", "e\u0300", "[e\u0301>e\u0300]"),
        ("👨\u200d👩", "👨\u200d👧", "[👨\u200d👩>👨\u200d👧]"),
        ("🇩🇪", "🇩🇰", "[🇩🇪>🇩🇰]"),
        ("😀 a", "😁 a", "[😀>😁] a"),
        ("a\r\nb", "a\nb", "a[\r\n>\n]b"),
        ("a\nb", "a\r\nb", "a[\n>\r\n]b"),
        ("a\r\n", "b\r\n", "[a>b]\r\n"),
        ("a\r\n", "a\r", "[a\r\n>a\r]"),  # not a lone CR
        ("a\r\n", "a\r\r\n", "[a>a\r]\r\n"),
        ("\r\n", "\r\r\n", "[>\r]\r\n"),  # a line of its own
        ("ab\r", "a\rb\r", "[a>a\r]b\r"),
        ("a\r\n\r\nb\r\n", "a\r\nb\r\n", "a\r\n[\r\n>]b\r\n"),
    ],
)
def test_trim(old, new, shown):
    assert marked(old, EditList((Edit(0, len(old), new),)).trim(old)) == shown
