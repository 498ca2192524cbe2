"""Training and validation from the command line: a tiny model with random weights learns two edits by heart."""

import json
import signal

import pytest
import torch
from train_doubles import edit_pair, tiny_folder
from typer.testing import CliRunner

from copyspan.cli.app import app
from copyspan.errors import Cancelled
from copyspan.models.adapter_card import read_card
from copyspan.train import run as it
from copyspan.train.log import StepEntry, read_log
from copyspan.train.pairs import read_pairs, write_pairs
from copyspan.train.validate import PairRecord

PAIRS = [
    edit_pair("a\nb\nc\nd\n", "a\nb\nnew\nd\n", "change c", "1"),
    edit_pair("def f():\n    return 1\n", "def f():\n    return 2\n", "return 2", "2"),
]


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def recipe(base, tmp_path):
    """Writes a recipe for the two pairs, which are held out as well."""

    def write(**fields):
        write_pairs(tmp_path / "pairs.jsonl", PAIRS)
        values = {"name": "spans", "model": str(base), "batch_tokens": 100_000, "epochs": 2, "dtype": "float32"}
        lines = [f"{key} = {json.dumps(value)}" for key, value in (values | fields).items()]
        sections = ['[[data]]\npath = "pairs.jsonl"', '[validation]\npath = "pairs.jsonl"']
        sections += ["[optimizer]\nlearning_rate = 0.02", "[lora]\nrank = 8"]
        path = tmp_path / "r.toml"
        path.write_text("\n".join([*lines, *sections]))
        return path

    return write


def train(*args: object):
    return CliRunner().invoke(app, ["train", *map(str, args)])


def test_a_model_is_trained_and_validated(recipe, base, tmp_path):
    out = tmp_path / "out"
    result = train("run", recipe(epochs=80), "--out", out, "--threads", 1)
    assert result.exit_code == 0, result.output
    assert f"Wrote {out / 'adapter'}" in result.stderr
    assert "100% of their programs exact" in result.stderr
    card = read_card(out / "adapter")
    assert (card.base, card.num_steps, card.num_pairs) == ("tiny", 80, 2)
    assert sorted(pair.id for pair in read_pairs(out / "validation.jsonl")) == ["1", "2"]

    records = tmp_path / "records.jsonl"
    args = (out / "adapter", out / "validation.jsonl", "--model", base, "--dtype", "float32", "--out", records)
    result = train("validate", *args)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("100.0%") >= 4
    found = [PairRecord.model_validate_json(line) for line in records.read_text().splitlines()]
    assert [record.exact for record in found] == [True, True]

    result = train("validate", "none", out / "validation.jsonl", "--model", base, "--dtype", "float32")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("100.0%") < 4  # the model as it was
    assert train("validate", "none", out / "validation.jsonl").exit_code == 2


def test_a_run_goes_on_or_begins_anew(recipe, tmp_path):
    out = tmp_path / "out"
    assert train("run", recipe(), "--out", out).exit_code == 0
    assert "Goes on after step 2 of 2" in train("run", recipe(), "--out", out).stderr
    result = train("run", recipe(epochs=3), "--out", out)
    assert (result.exit_code, "begin anew with --restart" in result.stderr) == (2, True)
    result = train("run", recipe(), "--out", out, "--restart")
    assert "Trains 2 steps" in result.stderr
    assert [entry.step for entry in read_log(out / "log.jsonl") if isinstance(entry, StepEntry)] == [1, 2]


def test_an_adapter_is_taught_further(recipe, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    assert train("run", recipe(epochs=40), "--out", first).exit_code == 0
    further = {"start": "first/adapter", "epochs": 1}
    assert train("run", recipe(**further), "--out", second, "--threads", 1).exit_code == 0
    losses = [
        [entry.loss for entry in read_log(out / "log.jsonl") if isinstance(entry, StepEntry)] for out in (first, second)
    ]
    assert losses[1][0] < 0.5 * losses[0][0]
    assert read_card(second / "adapter").start == "spans"
    assert "| Goes on from | spans |" in (second / "adapter" / "README.md").read_text()
    assert "Goes on from" not in (first / "adapter" / "README.md").read_text()
    # It goes on from that adapter only.
    assert train("run", recipe(epochs=30), "--out", first, "--restart").exit_code == 0
    result = train("run", recipe(**further), "--out", second)
    assert (result.exit_code, "begin anew with --restart" in result.stderr) == (2, True)


def test_only_the_same_kind_of_adapter_is_taught_further(recipe, tmp_path):
    first = tmp_path / "first"
    assert train("run", recipe(epochs=1), "--out", first).exit_code == 0
    path = recipe(start="first/adapter")
    path.write_text(path.read_text().replace("rank = 8", "rank = 4"))
    result = train("run", path, "--out", tmp_path / "out")
    assert (result.exit_code, "has rank 8 and alpha 32, and the recipe says 4 and 32" in result.stderr) == (2, True)
    path.write_text(path.read_text().replace("rank = 4", 'rank = 8\ntargets = ["q_proj"]'))
    result = train("run", path, "--out", tmp_path / "out")
    assert (result.exit_code, "in other modules" in result.stderr) == (2, True)
    card = first / "adapter" / "copyspan.json"
    card.write_text(card.read_text().replace('"num_layers": 2', '"num_layers": 3'))
    result = train("run", recipe(start="first/adapter"), "--out", tmp_path / "out")
    assert (result.exit_code, "is for tiny" in result.stderr) == (4, True)
    result = train("run", recipe(start="nothing"), "--out", tmp_path / "out")
    assert (result.exit_code, "nothing" in result.stderr) == (4, True)


def test_time_is_limited(recipe, tmp_path):
    result = train("run", recipe(epochs=5000), "--out", tmp_path / "out", "--minutes", 0.01)
    assert (result.exit_code, "Training was stopped" in result.stderr) == (130, True)


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_stop_a_run_in_order(recipe, monkeypatch, signum, code):
    def run(*args):
        signal.raise_signal(signum)
        assert args[-1]()
        raise Cancelled("Training was stopped after 3 of 4 steps.")

    monkeypatch.setattr(it, "run", run)
    result = train("run", recipe())
    assert (result.exit_code, "after 3 of 4 steps" in result.stderr) == (code, True)


def test_what_is_left_out_is_said(recipe, tmp_path):
    path = recipe()
    write_pairs(tmp_path / "pairs.jsonl", [*PAIRS, edit_pair("a\n", "b\n", "", "3")])
    result = train("run", path, "--out", tmp_path / "out")
    assert "Left out of 3 pairs for training: 1 no instruction." in result.stderr
    write_pairs(tmp_path / "pairs.jsonl", [edit_pair("a\n", "b\n", "", "3")])
    result = train("run", path, "--out", tmp_path / "out")
    assert (result.exit_code, "No pair for training can be learnt" in result.stderr) == (2, True)


def test_wrong_usage(recipe, tmp_path):
    assert train("run", tmp_path / "none.toml").exit_code == 3
    assert train("run", recipe(nothing=1)).exit_code == 2
    assert train("run", recipe(model=str(tmp_path / "no-model"))).exit_code in (2, 4)
    assert train("run", recipe(), "--device", "abacus", "--out", tmp_path / "out").exit_code == 2
    assert train("validate", tmp_path, tmp_path / "pairs.jsonl").exit_code == 4
