"""Orders and rates: laws over whatever lengths there are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.train.recipe import Optimizer, Recipe
from copyspan.train.schedule import learning_rate, plan


def recipe(**fields):
    return Recipe.model_validate({"name": "r", "data": [{"path": "a"}], **fields})


lengths = st.lists(st.integers(1, 5000), min_size=1, max_size=60)
limits = st.integers(1, 20_000)


@given(lengths, limits, limits, st.integers(1, 3), st.integers(0, 9))
def test_every_epoch_sees_every_example_once(lengths, batch_tokens, forward_tokens, epochs, seed):
    wanted = recipe(batch_tokens=batch_tokens, forward_tokens=forward_tokens, epochs=epochs, seed=seed)
    steps = plan(lengths, wanted)
    assert steps == plan(lengths, wanted)
    for epoch in range(epochs):
        forwards = [forward for step in steps if step.epoch == epoch for forward in step.forwards]
        assert sorted(i for forward in forwards for i in forward) == list(range(len(lengths)))
    assert [step.epoch for step in steps] == sorted(step.epoch for step in steps)
    for forward in (forward for step in steps for forward in step.forwards):
        assert len(forward) == 1 or max(lengths[i] for i in forward) * len(forward) <= forward_tokens
    for step in steps:
        assert sum(lengths[i] for forward in step.forwards for i in forward) <= 2 * (batch_tokens + max(lengths))


def test_orders_differ_by_epoch_and_seed():
    steps = plan([100] * 50, recipe(batch_tokens=500))
    assert len(steps) == 20
    assert steps[0].forwards != steps[10].forwards
    assert steps != plan([100] * 50, recipe(batch_tokens=500, seed=1))


def test_no_step_is_much_smaller_than_the_others():
    steps = plan([100] * 51, recipe(batch_tokens=500, epochs=1))
    assert {len(step.forwards) for step in steps} <= {5, 6}


@pytest.mark.parametrize("schedule", ["cosine", "linear", "constant"])
def test_rates_rise_and_fall(schedule):
    optimizer = Optimizer(learning_rate=1.0, schedule=schedule, warmup=0.1)
    rates = [learning_rate(step, 100, optimizer) for step in range(100)]
    assert rates[:10] == [pytest.approx((i + 1) / 10) for i in range(10)]
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[10] == 1.0
    assert rates[-1] == 1.0 if schedule == "constant" else 0 < rates[-1] < 0.02


def test_a_run_of_one_step_without_warmup_learns():
    assert learning_rate(0, 1, Optimizer(warmup=0.0)) == learning_rate(0, 1, Optimizer()) == 2e-4
