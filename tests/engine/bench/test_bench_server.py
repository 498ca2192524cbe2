"""The language server as an editor sees it, with a scripted model behind it. Counts are asserted, never times."""

import sys
from pathlib import Path

import pytest

from copyspan.bench.server import Client, server_table
from copyspan.bench.synthetic import document, synthetic_cases
from copyspan.errors import ModelUnusable

SERVER = Path(__file__).parents[2] / "server" / "scripted_server.py"


def client(*instructions: str) -> Client:
    return Client((sys.executable, str(SERVER)), {"model": "scripted", "warmStart": "off"}, instructions)


def test_a_trial_measures_two_edits_and_what_is_asked_meanwhile():
    record = client("replace result with amount [slow]", "replace item with entry").measure(200, 1)
    assert record.key == ("200 lines", "trial 1")
    assert min(record.initialize, record.first_actions, *record.idle_delays) > 0
    for edit in (record.cold, record.warm):
        assert edit.hunks > 0
        assert 0 < edit.first_progress <= edit.first_preview <= edit.result
        assert edit.delays
    assert len(record.cold.delays) > 2
    (row,) = server_table([record, record]).rows
    assert row[:2] == ("200", "2")


def test_an_edit_that_is_refused_ends_the_run():
    with pytest.raises(ModelUnusable, match="refused the edit"):
        client("write the placeholder", "replace item with entry").measure(20, 0)


def test_documents_are_as_long_as_asked_and_their_edits_are_small():
    assert [document(n).count("\n") for n in (10, 100, 1_000)] == [10, 100, 1_000]
    cases = synthetic_cases(10, 3, (20, 50))
    assert [c.before.count("\n") for c in cases] == [20, 50] * 5
    for c in cases:
        changed = [i for i, (a, b) in enumerate(zip(c.before.split("\n"), c.after.split("\n"), strict=True)) if a != b]
        assert 0 < len(changed) <= 4
        assert f"total_{changed[0] // 10}," in c.instruction
    assert synthetic_cases(10, 3, (20, 50)) == cases != synthetic_cases(10, 4, (20, 50))
