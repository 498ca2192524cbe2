import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.bench.stats import bootstrap, median, proportion, quantile, ratio_of_medians, ratio_of_sums
from copyspan.bench.tables import Table


@pytest.mark.parametrize(
    ("values", "q", "expected"),
    [([3, 1, 2], 0.5, 2), ([1, 2], 0.5, 1.5), ([5], 0.95, 5), ([0, 10], 0.95, 9.5), ([1, 2, 3], 0, 1), ([1, 2], 1, 2)],
)
def test_quantiles(values, q, expected):
    assert quantile(values, q) == pytest.approx(expected)


def test_no_values_have_no_median():
    with pytest.raises(ValueError, match="no values"):
        median([])


def test_ratios():
    pairs = [(1.0, 2.0), (2.0, 2.0), (9.0, 8.0)]
    assert (ratio_of_sums(pairs), ratio_of_medians(pairs)) == (1.0, 1.0)
    assert math.isnan(ratio_of_sums([(1, 0)]))
    assert math.isnan(ratio_of_medians([(1, 0)]))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=8), st.integers(0, 3))
def test_an_interval_is_seeded_and_holds_what_is_possible(pairs, seed):
    found = bootstrap(pairs, ratio_of_sums, seed=seed, trials=50)
    assert found == bootstrap(pairs, ratio_of_sums, seed=seed, trials=50)
    ratios = [first / second for first, second in pairs]
    assert found.value == ratio_of_sums(pairs)
    assert min(ratios) - 1e-9 <= found.low <= found.high <= max(ratios) + 1e-9


def test_an_interval_of_much_scatter():
    found = bootstrap([(0, 1)] * 50 + [(1, 1)] * 50, ratio_of_sums, seed=0)
    assert 0.35 < found.low < 0.45 < 0.55 < found.high < 0.65


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"), [(0, 10, 0, 0.2775), (10, 10, 0.7225, 1), (5, 10, 0.2366, 0.7634)]
)
def test_wilson(hits, trials, low, high):
    found = proportion(hits, trials)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


@pytest.mark.parametrize(("hits", "trials"), [(0, 0), (2, 1), (-1, 3)])
def test_impossible_proportions(hits, trials):
    with pytest.raises(ValueError, match="trials"):
        proportion(hits, trials)


def test_a_table_in_markdown():
    table = Table("Title", ("a", "b"), (("x|y", "1"), ("z", "10,000")))
    assert table.markdown() == (
        "Title\n\n| a    |      b |\n| :--- | -----: |\n| x\\|y |      1 |\n| z    | 10,000 |\n"
    )


def test_a_row_has_as_many_cells_as_there_are_headings():
    with pytest.raises(ValueError, match="3 cells under 2"):
        Table("Title", ("a", "b"), (("1", "2", "3"),))
