import pytest
from documents import grapheme_borders, texts
from hypothesis import given, settings

from copyspan.edits.graphemes import border_after, border_before


@given(texts)
@settings(deadline=None)
def test_borders_are_those_of_the_whole_text(text):
    borders = grapheme_borders(text)
    for offset in range(len(text) + 1):
        assert border_before(text, offset) == max(border for border in borders if border <= offset)
        assert border_after(text, offset) == min(border for border in borders if border >= offset)


@pytest.mark.parametrize("cluster", ["e\u0301", "\r\n", "👨\u200d👩\u200d👧", "🇩🇪", "👍🏽", "한", "각"])
def test_a_cluster_is_not_cut(cluster):
    text = f"x{cluster}y"
    for offset in range(2, len(text) - 1):
        assert (border_before(text, offset), border_after(text, offset)) == (1, len(text) - 1)
