"""A model that writes a text which is known: every text comes back as it was, and only the named forwards run."""

import pytest
from bench_doubles import case
from bench_models import scripted
from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.bench.steer import Replay, Steered
from copyspan.bench.ways import Options, Workbench
from copyspan.errors import Cancelled
from copyspan.testing import END, ScriptedModel

LINES = st.lists(st.sampled_from(["a = 1", "b", "    c()", "", "ü = '`'"]), min_size=1, max_size=6)


@given(LINES, LINES)
@settings(max_examples=40, deadline=None)
def test_a_steered_model_writes_the_reference(olds, news):
    before, after = ("x\n" + "".join(f"{line}\n" for line in lines) + "y\n" for lines in (olds, news))
    engine = scripted("something else\n")
    asked = case(before, after, instruction="remove what you like")
    outcome = Workbench(engine, asked, Options(is_steered=True)).carry_out("verified")
    assert outcome.error is None
    assert outcome.found[0].text == after


def test_it_prefers_the_target_and_wants_to_end_elsewhere():
    replay = Replay(ScriptedModel([""]), [1, 2, 3])
    assert replay.extend([1, 2], scored=2, named=[2, 9]).best == (2, 3)
    replay.rollback(1)
    assert replay.extend([7, 3], scored=2).best == (END, END)
    replay.rollback(1)
    scores = replay.extend([2, 3], scored=2, named=[3, 5])
    assert scores.best == (3, END)
    assert scores.alternative == (END, END)
    assert replay.extend([4], scored=0).best == ()


def test_the_forwards_of_a_steered_model_are_the_others():
    model = ScriptedModel(["no"])
    steered = Steered(model, [1, 2, 3])
    steered.extend([1, 2, 3], scored=2)
    steered.rollback(1)
    steered.extend([2])
    assert model.calls == [3, 1]
    assert model.tokens == steered.tokens == [1, 2]


def test_both_can_be_cancelled():
    for model in (Replay(ScriptedModel([""]), [1]), Steered(ScriptedModel([""]), [1])):
        with pytest.raises(Cancelled):
            model.extend([1], cancelled=lambda: True)
        assert model.tokens == []
