"""The model-free benchmarks from the command line, with a tokenizer of this test's own."""

import pytest
from bench_doubles import WordTokens, write_set
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from typer.testing import CliRunner

from copyspan.bench import tokens as bench_tokens
from copyspan.bench.perturb import PerturbRecord
from copyspan.bench.results import Header, read_results, write_results
from copyspan.bench.speedup import KernelRecord
from copyspan.bench.tokens import ModelTokens
from copyspan.cli.app import app

RECORD = {"id": "a", "before": "x = 1\ny = 2\n", "after": "x = 1\ny = 3\n"}


@pytest.fixture
def edit_set(tmp_path, monkeypatch):
    monkeypatch.setattr(ModelTokens, "of", lambda model: WordTokens())
    return write_set(tmp_path / "mine.jsonl", RECORD, RECORD | {"id": "b"})


def bench(*args: object):
    return CliRunner().invoke(app, ["bench", *map(str, args)])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ceiling", ["Copy coverage", "mine (plain)", "paper-7b", "cpu-1.5b"]),
        ("roundtrip", ["Oracle programs"]),
        ("perturb", ["e = 1", "e = 5"]),
        ("formats", ["search-replace, context 0", "program"]),
    ],
)
def test_a_benchmark_prints_tables_and_keeps_its_results(edit_set, tmp_path, name, words):
    result = bench(name, edit_set, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert all(word in result.stdout for word in words)
    (file,) = (tmp_path / "out").iterdir()
    assert file.name == f"{name}-plain.jsonl"
    first, *others = file.read_text().splitlines()
    assert f'"bench":"{name}"' in first
    assert str(tmp_path) not in first
    assert len(others) == {"ceiling": 2, "roundtrip": 24, "perturb": 8, "formats": 12}[name]


def test_a_program_that_is_not_exact_fails_the_run(edit_set, tmp_path, monkeypatch):
    monkeypatch.setattr("copyspan.bench.roundtrip.render", lambda *args: "other")
    assert bench("roundtrip", edit_set, "--out", tmp_path / "out").exit_code == 1


def test_a_stored_kernel_result_gives_a_curve(edit_set, tmp_path):
    record = KernelRecord(set="my gpu", case="8", context=512, num_tokens=8, seconds_one=1.0, seconds_many=2.0)
    write_results(tmp_path / "kernel.jsonl", Header.now("kernel", seed=0, model=None, argv=[]), [record])
    result = bench("ceiling", edit_set, "--kernel", tmp_path / "kernel.jsonl", "--curve", "paper-7b", "--out", tmp_path)
    assert "my gpu, context 512" in result.stdout
    assert "paper-1.5b" not in result.stdout


def test_chosen_numbers_and_errors(edit_set, tmp_path):
    result = bench("perturb", edit_set, "--numbers", "1/2", "--error", 2, "--trials", 3, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    _, records = read_results(tmp_path / "perturb-plain.jsonl", PerturbRecord)
    assert [(record.case, record.error, record.num_trials) for record in records] == [("b", 2, 3)]


@pytest.mark.parametrize(
    ("args", "code"), [(["--numbers", "4/4"], 2), (["--framing", "doc"], 2), (["--framing", "none"], 2)]
)
def test_wrong_usage_of_a_benchmark(edit_set, args, code):
    assert bench("perturb", edit_set, *args).exit_code == code


def test_a_missing_set_and_a_missing_model(tmp_path):
    assert bench("perturb", tmp_path / "none.jsonl").exit_code == 3
    path = write_set(tmp_path / "mine.jsonl", RECORD)
    assert bench("formats", path, "--model", "no-such/model").exit_code == 4


def byte_level() -> Tokenizer:
    """Bytes, and the token `<|end|>`, under a normaliser that would change text."""
    backend = Tokenizer(models.BPE())
    backend.normalizer = normalizers.NFC()
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=260, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    backend.train_from_iterator(["ab ab ab"], trainer)
    backend.add_special_tokens(["<|end|>"])
    return backend


@pytest.mark.parametrize("text", ["ab c\n", "e\u0301é😀ab", "<|end|>", ""])
def test_text_is_text_and_its_borders_are_known(text):
    tokens = ModelTokens(byte_level())
    borders = tokens.borders(text)
    assert len(borders) == len(tokens.ids(text)) + 1
    assert (borders[0], borders[-1]) == (0, len(text))
    assert borders == sorted(borders)
    assert set(borders) == set(range(len(text) + 1)) - {i + 1 for i in range(len(text)) if text.startswith("ab", i)}


def test_the_tokenizer_of_a_model_is_found_by_its_folder(tmp_path, monkeypatch):
    byte_level().save(str(tmp_path / "tokenizer.json"))
    monkeypatch.setattr(bench_tokens, "require", lambda name: tmp_path)
    assert len(ModelTokens.of("some").ids("ab c")) == 3
