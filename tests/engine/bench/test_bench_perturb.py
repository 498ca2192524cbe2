from random import Random

import pytest
from bench_doubles import case
from hypothesis import given
from hypothesis import strategies as st

from copyspan.bench.perturb import measure, perturb_table, perturbed
from copyspan.edits.program import CopyLines, Gen, Program

PROGRAM = Program((CopyLines(0, 2), Gen("x\n"), CopyLines(3, 4)))


class Steps(Random):
    """Moves by these steps, one after the other."""

    def __init__(self, *steps: int) -> None:
        super().__init__()
        self.steps = iter(steps)

    def randint(self, a: int, b: int) -> int:
        return next(self.steps)


@pytest.mark.parametrize(
    ("steps", "ops"),
    [
        ((0, 0, 0, 0), PROGRAM.ops),
        ((1, 1, -1, 1), (CopyLines(1, 3), Gen("x\n"), CopyLines(2, 4))),
        ((-1, 0, 1, 0), PROGRAM.ops),  # put back into the document
        ((1, -1, 0, -1), (Gen("x\n"),)),  # the ends of both copies have crossed
    ],
)
def test_ends_are_moved(steps, ops):
    assert perturbed(PROGRAM, 4, 1, Steps(*steps)).ops == ops


@given(st.integers(1, 5), st.integers(0, 9))
def test_ends_stay_near_and_in_the_document(error, seed):
    for op in perturbed(Program((CopyLines(2, 6),)), 8, error, Random(seed)).ops:
        assert 0 <= op.start < op.stop <= 8
        assert abs(op.start - 2) <= error
        assert abs(op.stop - 6) <= error


def test_without_error_all_is_exact():
    found = measure(case("a\nb\nc\n", "a\nx\nc\n"), 0, seed=0)
    assert (found.num_copies, found.num_trials, found.num_exact) == (2, 5, 5)


def test_trials_depend_on_case_and_seed_alone():
    one, other = case("a\nb\nc\nd\n", "a\nb\nx\nd\n", "1"), case("a\nb\nc\nd\n", "a\nb\nx\nd\n", "2")
    results = [measure(it, 1, seed, trials=50).num_exact for it in (one, other) for seed in (0, 1)]
    assert results == [measure(it, 1, seed, trials=50).num_exact for it in (one, other) for seed in (0, 1)]
    assert len(set(results)) > 1
    assert all(0 < found < 50 for found in results)


def test_the_table_of_errors():
    cases = [case("a\n", "b\n", "0"), case("a\nb\nc\n", "a\nx\nc\n", "1")]
    records = [measure(it, error, seed=0) for it in cases for error in (0, 5)]
    table = perturb_table(records, seed=0)
    assert table.headings == ("set (framing)", "e = 0", "e = 5")
    assert table.rows[0][1] == "100.00 [100.00, 100.00]"
    pooled = perturb_table([*records, *(record.model_copy(update={"set": "other"}) for record in records)], seed=0)
    assert [row[0] for row in pooled.rows] == ["some (plain)", "other (plain)", "pooled"]
