"""The commands that make and check training pairs, from the command line."""

import json

import pytest
import typer
from train_repository import FIVE, SIX, Repository
from train_sources import MARKDOWN, PYTHON
from typer.testing import CliRunner

from copyspan.cli.train_data import register
from copyspan.errors import SourceError, UsageError
from copyspan.train.data.sources import read_sources
from copyspan.train.pairs import EditPair, read_pairs, write_pairs

group = typer.Typer()
register(group)


def run(*arguments, code=0):
    result = CliRunner().invoke(group, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def shop(tmp_path):
    folder = tmp_path / "shop"
    (folder / "src" / ".hidden").mkdir(parents=True)
    (folder / "src" / "shop.py").write_text(PYTHON)
    (folder / "src" / "old.py").write_bytes(PYTHON.replace("\n", "\r\n").encode())
    (folder / "README.md").write_text(MARKDOWN)
    (folder / "src" / ".hidden" / "a.py").write_text(PYTHON)
    (folder / "photo.png").write_bytes(b"\x89PNG\0")
    (folder / "binary.py").write_bytes(b"\0")
    return folder


def test_mine(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    repository = Repository(folder)
    repository.commit("Start the shop", a__py=FIVE)
    repository.commit("Count to six here", a__py=SIX)
    repository.commit("Count to five again", a__py=FIVE)
    out = tmp_path / "pairs.jsonl.gz"
    told = run("mine", folder, "--out", out, "--license", "MIT", "--max", "1", "--newest-first", "--name", "o/shop")
    assert f"Wrote 1 pairs to {out}" in told
    (pair,) = read_pairs(out)
    assert (pair.instruction, pair.license, pair.source.split("@")[0]) == ("Count to five again", "MIT", "o/shop")
    again = tmp_path / "again.jsonl"
    run("mine", out, "--out", again)
    assert read_pairs(again)[0].model_dump(exclude={"kind"}) == pair.model_dump(exclude={"kind"})


def test_records(tmp_path):
    source, out = tmp_path / "set.jsonl", tmp_path / "pairs.jsonl"
    made = [
        {"id": f"Python/{n}", "lang": "python", "instruction": "fix", "old": f"{n}\n", "new": "x\n", "tests": "t"}
        for n in range(8)
    ]
    made[2]["source"] = "o/functions@1a2b:all.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in made))
    fields = ["--before", "old", "--after", "new"]
    told = run("records", source, "--out", out, *fields, "--numbers", "0/4", "--numbers", "2/4", "--license", "MIT")
    assert "Wrote 4 pairs" in told
    pairs = read_pairs(out)
    assert [pair.id for pair in pairs] == ["Python/0", "Python/2", "Python/4", "Python/6"]
    assert {(pair.name, pair.kind, pair.license, pair.after) for pair in pairs} == {("main.py", "record", "MIT", "x\n")}
    assert [pair.source for pair in pairs[:2]] == ["Python/0", "o/functions@1a2b:all.jsonl#Python/2"]
    for wrong in ("4/4", "1", "x/2"):
        with pytest.raises(UsageError, match="write R/M"):
            run("records", source, "--out", out, *fields, "--numbers", wrong)
    with pytest.raises(UsageError, match="line 1 has no text 'before'"):
        run("records", source, "--out", out)


def test_synthesize(shop, tmp_path):
    out = tmp_path / "made" / "pairs.jsonl"
    assert "Wrote 20 pairs of 3 files" in run("synthesize", shop, "--out", out, "--count", "20", "--seed", "3")
    pairs = read_pairs(out)
    assert {pair.source for pair in pairs} <= {"shop/src/shop.py", "shop/src/old.py", "shop/README.md"}
    run("synthesize", shop, "--out", tmp_path / "b.jsonl", "--count", "20", "--seed", "3")
    assert out.read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    told = run("synthesize", shop / "README.md", "--out", out, "--count", "500", "--kind", "change-link")
    assert "These files give no more than" in told


def test_sources_of_pairs_are_the_last_texts_of_their_files(tmp_path):
    path = tmp_path / "pairs.jsonl"
    fields = {"kind": "commit", "lang": "python", "name": "a.py", "instruction": "do", "before": "", "license": "MIT"}
    pairs = [EditPair(id=c, source=f"r@{c * 12}:a.py", after=f"{c}\r\n", **fields) for c in "abc"]
    write_pairs(path, pairs)
    (file,) = read_sources([path])
    assert (file.text, file.source, file.license) == ("c\n", "r@cccccccccccc:a.py", "MIT")


def test_sources_that_are_none(tmp_path):
    with pytest.raises(UsageError, match="no text file of a known language"):
        read_sources([tmp_path])
    with pytest.raises(SourceError, match="cannot be read"):
        read_sources([tmp_path / "none.py"])


def test_check(tmp_path):
    pairs, against, clean = tmp_path / "pairs.jsonl", tmp_path / "set.jsonl", tmp_path / "clean.jsonl"
    write_pairs(
        pairs,
        [
            EditPair(id=f"{i}", kind="commit", source="s", instruction="do", before=f"x = {i}\n", after="y\n")
            for i in range(3)
        ],
    )
    against.write_text('{"id": "e", "before": "x = 1", "after": "z"}\n')
    told = run("check", pairs, "--against", against, code=1)
    assert "1 pairs: an equal text" in told
    assert "2 of 3 pairs are clean." in told
    run("check", pairs, "--against", against, "--out", clean)
    assert [pair.id for pair in read_pairs(clean)] == ["0", "2"]
    assert "3" not in run("check", clean, "--against", against).split("pairs")[0]
