import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.bench.results import Header, write_results
from copyspan.bench.speedup import LOGGED, PAPER, Curve, KernelRecord, bounds, named_curve, read_curves
from copyspan.errors import UsageError

CURVE = Curve("some", ((2, 2.0), (8, 6.0), (32, 8.0)))


@pytest.mark.parametrize(
    ("length", "expected"), [(1, 1), (2, 2), (4, 4), (8, 6), (16, 7), (32, 8), (1000, 8), (2**0.5, 1.5)]
)
def test_between_points_it_is_linear_in_the_logarithm(length, expected):
    assert CURVE(length) == pytest.approx(expected)


def test_no_tokens_cost_nothing():
    assert (CURVE.steps(0), CURVE.steps(1), CURVE.steps(32)) == (0, 1, 4)


def test_a_measured_first_point_is_kept():
    assert Curve("some", ((1, 0.9), (2, 2.0)))(1) == 0.9


@pytest.mark.parametrize("points", [(), ((8, 2.0), (4, 1.0)), ((4, 1.0), (4, 2.0)), ((0, 1.0),), ((4, 0.0),)])
def test_what_is_no_curve(points):
    with pytest.raises(UsageError, match="some is no curve"):
        Curve("some", points)


def test_known_curves():
    assert [named_curve(curve.name) for curve in (*PAPER, *LOGGED)] == [*PAPER, *LOGGED]
    assert (named_curve("paper-7b")(8), named_curve("paper-1.5b")(512), named_curve("cpu-1.5b")(64)) == (6.8, 303, 25.3)
    with pytest.raises(UsageError, match=r"There is no curve .none.*paper-7b"):
        named_curve("none")


def test_bounds_by_hand():
    found = bounds(CURVE, 50, [8, 32])
    assert found.m8 == pytest.approx(50 / (10 + 40 / 6))
    assert found.mean == pytest.approx(50 / (10 + 40 / CURVE(20)))
    assert found.exact == pytest.approx(50 / (10 + 8 / 6 + 32 / 8))


@pytest.mark.parametrize("spans", [[], [0, 0]])
def test_where_nothing_is_copied_nothing_is_gained(spans):
    found = bounds(CURVE, 7, spans)
    assert (found.m8, found.mean, found.exact) == (1, 1, 1)


@given(st.lists(st.integers(0, 100), max_size=5), st.integers(1, 100))
def test_bounds_lie_between_one_and_the_top_of_the_curve(spans, generated):
    found = bounds(CURVE, sum(spans) + generated, spans)
    for bound in (found.m8, found.mean, found.exact):
        assert 1 - 1e-9 <= bound <= 8 + 1e-9


def test_a_text_without_tokens_has_no_bound():
    with pytest.raises(ValueError, match="without tokens"):
        bounds(CURVE, 0, [])


def test_curves_of_a_stored_kernel_result(tmp_path):
    records = [
        KernelRecord(set=name, case=str(n), context=context, num_tokens=n, seconds_one=1.0, seconds_many=many)
        for name, context, n, many in [("m", 512, 8, 2.0), ("m", 512, 1, 1.0), ("m", 1024, 8, 4.0)]
    ]
    header = Header.now("kernel", seed=0, model="m", argv=[])
    write_results(tmp_path / "kernel.jsonl", header, records)
    assert read_curves(tmp_path / "kernel.jsonl") == (
        Curve("m, context 512", ((1, 1.0), (8, 4.0))),
        Curve("m, context 1024", ((8, 2.0),)),
    )
    write_results(tmp_path / "kernel.jsonl", header, [])
    with pytest.raises(UsageError, match="no point"):
        read_curves(tmp_path / "kernel.jsonl")
