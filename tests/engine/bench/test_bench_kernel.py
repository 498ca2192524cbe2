"""s(N) of a scripted model, by a clock of the test's own."""

import pytest

from copyspan.bench import kernel
from copyspan.bench.results import Header, ResultFile
from copyspan.bench.speedup import KernelRecord, read_curves
from copyspan.testing import ScriptedModel


class TimedModel(ScriptedModel):
    """Every forward takes a second and a tenth of one a token, and one that scores all of them twice that."""

    def __init__(self, **rest) -> None:
        super().__init__([""], **rest)
        self.now = 0.0
        self.contexts: set[int] = set()

    def extend(self, tokens, *, scored=1, **wanted):
        self.contexts.add(len(self.tokens))
        self.now += (1 + len(tokens) / 10) * (2 if scored == len(tokens) > 1 else 1)
        return super().extend(tokens, scored=scored, **wanted)


@pytest.fixture
def model(monkeypatch):
    model = TimedModel(context_size=2000)
    monkeypatch.setattr(kernel.time, "perf_counter", lambda: model.now)
    return model


def test_a_point_for_each_length_and_kind(model):
    records = kernel.measure(model, 700, lengths=(1, 4, 16), trials=3)
    found = {(r.set.split(", ")[-1], r.num_tokens): (r.seconds_one, r.seconds_many) for r in records}
    assert found == {
        (kind, n): (pytest.approx(1.1), pytest.approx((1 + n / 10) * (2 if kind == "verified" and n > 1 else 1)))
        for kind in ("verified", "spliced")
        for n in (1, 4, 16)
    }
    assert records[1].speedup == pytest.approx(4 * 1.1 / 2.8)
    assert model.contexts == {0, 512, 700}
    assert model.tokens == []


def test_contexts_that_are_stored_or_do_not_fit_are_left_out(model, tmp_path):
    header, path = Header.now("kernel", seed=0, model="m", argv=[]), tmp_path / "kernel.jsonl"
    steps: list[int] = []
    for contexts in ((8,), (8, 32, 1999)):
        with ResultFile(path, header, KernelRecord, resume=True) as results:
            kernel.run(model, results, contexts=contexts, lengths=(1, 2), trials=1, on_context=lambda: steps.append(1))
    assert len(steps) == 4
    assert [curve.name for curve in read_curves(path)] == [
        f"scripted, float32, cpu, {kind}, context {context}" for context in (8, 32) for kind in ("verified", "spliced")
    ]


def test_the_table_has_a_line_for_each_curve(model):
    records = [r for context in (8, 32) for r in kernel.measure(model, context, lengths=(1, 8), trials=1)]
    table = kernel.kernel_table(records)
    assert table.headings == ("forward", "context", "one token ms", "s(1)", "s(8)")
    assert [row[1] for row in table.rows] == ["8", "8", "32", "32"]
    assert table.rows[1][2:] == ("1100.0", "1.0", "4.9")
