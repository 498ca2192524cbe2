"""The benchmarks with a model from the command line: a tiny model with random weights, one thread."""

import json

import pytest
import torch
from bench_doubles import write_set
from bench_models import tiny_folder
from typer.testing import CliRunner

from copyspan.bench.edit_records import EditRecord
from copyspan.bench.gpu_results import read_gpu
from copyspan.bench.length import LengthRecord
from copyspan.bench.results import read_results
from copyspan.bench.speedup import KernelRecord
from copyspan.cli.app import app

BEFORE = "def total(items):\n    result = 0\n    return result\n"
RECORD = {"id": "a", "lang": "python", "instruction": "start at 1", "before": BEFORE, "after": BEFORE.replace("0", "1")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def bench(*args: object):
    return CliRunner().invoke(app, ["bench", *map(str, args)])


def test_kernel_writes_points_and_prints_a_table(folder, tmp_path):
    args = ("kernel", "--model", folder, "--dtype", "float32", "--context", 32, "--trials", 1, "--out", tmp_path)
    result = bench(*args)
    assert result.exit_code == 0, result.output
    assert "s(512)" in result.stdout
    header, records = read_results(tmp_path / "kernel-tiny-float32-cpu.jsonl", KernelRecord)
    assert (header.model, header.dtype, header.device) == ("tiny", "float32", "cpu")
    assert len(records) == 20
    assert bench(*args).exit_code == 0  # all is there already
    assert len(read_results(tmp_path / "kernel-tiny-float32-cpu.jsonl", KernelRecord)[1]) == 20


def test_edits_run_in_every_way_and_are_resumed(folder, tmp_path):
    path = write_set(tmp_path / "mine.jsonl", RECORD, RECORD | {"id": "b"})
    args = ("edit", path, "--model", folder, "--dtype", "float32", "--candidates", 1, "--out", tmp_path)
    assert bench(*args, "--sample", 1).exit_code == 0
    result = bench(*args)
    assert result.exit_code == 0, result.output
    header, records = read_results(tmp_path / "edit-plain-tiny-float32-cpu.jsonl", EditRecord)
    assert sorted(record.case for record in records) == ["a", "b"]
    assert header.options["ways"] == "plain lookup verified search"
    for record in records:
        assert set(record.ways) == {"plain", "lookup", "verified", "search"}
        assert record.ways["plain"].forwards >= record.ways["lookup"].forwards > 0
    assert bench(*args, "--way", "plain").exit_code == 2  # not what the file was made with


def test_programs_of_an_untrained_model_have_a_file_of_their_own(folder, tmp_path):
    path = write_set(tmp_path / "mine.jsonl", RECORD)
    args = ("edit", path, "--model", folder, "--dtype", "float32", "--out", tmp_path)
    assert bench(*args, "--way", "verified").exit_code == 0
    result = bench(*args, "--way", "program")
    assert result.exit_code == 0, result.output
    header, [record] = read_results(tmp_path / "edit-plain-tiny-float32-cpu-no-adapter.jsonl", EditRecord)
    assert (header.options["adapter"], set(record.ways)) == ("none", {"program"})
    assert len(read_results(tmp_path / "edit-plain-tiny-float32-cpu.jsonl", EditRecord)[1]) == 1


def test_documents_that_grow_are_edited(folder, tmp_path):
    path = write_set(tmp_path / "mine.jsonl", *(RECORD | {"id": name} for name in "abcdefgh"))
    args = ("length", path, "--model", folder, "--dtype", "float32", "--lines", 20, "--sample", 1, "--out", tmp_path)
    result = bench(*args, "--way", "verified")
    assert result.exit_code == 0, result.output
    assert "tokens read ahead" in result.stdout
    header, [record] = read_results(tmp_path / "length-plain-tiny-float32-cpu.jsonl", LengthRecord)
    assert (header.options["adapter"], record.way, record.wanted_lines) == ("none", "verified", 20)
    assert record.ahead_tokens > 0
    assert bench(*args, "--way", "none").exit_code == 2


def test_a_body_alone_can_be_edited_and_not_run(folder, tmp_path):
    body = {"body_before": "    return 0\n", "body_after": "    return 1\n"}
    path = write_set(tmp_path / "mine.jsonl", RECORD | body)
    args = ("edit", path, "--framing", "body", "--way", "verified", "--model", folder, "--dtype", "float32")
    result = bench(*args, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    [record] = read_results(tmp_path / "edit-body-tiny-float32-cpu.jsonl", EditRecord)[1]
    assert (record.framing, record.num_lines) == ("body", 2)  # an empty line stands for what follows a final newline
    refused = bench(*args, "--run-tests", "--out", tmp_path)
    assert refused.exit_code == 2
    assert "cannot be run" in refused.output


def test_random_weights_write_the_references(folder, tmp_path):
    path = write_set(tmp_path / "mine.jsonl", RECORD)
    ways = ("--way", "plain", "--way", "verified")
    where = ("--random-weights", "--dtype", "float32", "--out", tmp_path)
    result = bench("edit", path, "--model", folder, *ways, *where)
    assert result.exit_code == 0, result.output
    assert "plain / verified" in result.stdout
    assert "Accuracy" not in result.stdout
    (file,) = tmp_path.glob("edit-*.jsonl")
    _, (record,) = read_results(file, EditRecord)
    assert all(way.candidates[0].exact for way in record.ways.values())
    assert record.flips["verified"].position is None


def test_gpu_measures_all_within_its_minutes(folder, tmp_path):
    args = ("gpu", "--model", folder, "--random-weights", "--device", "cpu", "--dtype", "float32", "--out", tmp_path)
    result = bench(*args, "--cases", 2, "--context", 32, "--trials", 1)
    assert result.exit_code == 0, result.output
    (run,) = read_gpu(tmp_path / "gpu.json").runs
    assert (len(run.kernel), len(run.edit)) == (20, 2)
    assert run.edit_header.options["steered"] is True
    assert all(way.is_complete for record in run.edit for way in record.ways.values())
    report = bench("report", tmp_path, "--out", tmp_path / "docs")
    assert report.exit_code == 0, report.output
    assert "tiny (random weights)" in (tmp_path / "docs" / "BENCHMARKS.md").read_text()


def test_gpu_begins_no_case_that_it_could_not_end(folder, tmp_path, monkeypatch):
    args = ("gpu", "--model", folder, "--random-weights", "--device", "cpu", "--dtype", "float32", "--out", tmp_path)
    assert bench(*args, "--minutes", 0.01, "--context", 32, "--trials", 1, "--cases", 500).exit_code == 0
    written = json.loads((tmp_path / "gpu.json").read_text())
    assert len(written["runs"][0]["edit"]) < 500


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["edit", "SET", "--way", "none"], 2),
        (["edit", "SET", "--framing", "body"], 2),
        (["edit", "SET", "--random-weights"], 2),
        (["edit", "SET", "--max-lines", "1"], 2),
        (["kernel", "--model", "no-such/model", "--random-weights"], 2),
        (["server", "--model", "no-such/model"], 4),
        (["report", "nowhere"], 2),
    ],
)
def test_wrong_usage_of_a_benchmark_with_a_model(tmp_path, args, code):
    path = write_set(tmp_path / "mine.jsonl", RECORD)
    result = bench(*(path if arg == "SET" else arg for arg in args))
    assert result.exit_code == code, result.output
