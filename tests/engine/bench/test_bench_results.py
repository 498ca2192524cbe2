import json
from typing import Literal

import pytest

from copyspan.bench.results import Header, Record, ResultFile, public_command, read_results, write_results
from copyspan.errors import SourceError, UsageError


class Note(Record):
    kind: Literal["note"] = "note"
    value: int


class Other(Record):
    kind: Literal["other"] = "other"


def header(**changes) -> Header:
    return Header.now("notes", seed=1, model="some model", argv=["copyspan"]).model_copy(update=changes)


def note(case: str, value: int = 0) -> Note:
    return Note(set="s", case=case, value=value)


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "new" / "notes.jsonl"
    write_results(path, header(), [note("a", 1), note("b", 2)])
    assert read_results(path, Note) == (header(date=read_results(path, Note)[0].date), [note("a", 1), note("b", 2)])
    write_results(path, header(), [note("c")])
    assert read_results(path, Note)[1] == [note("c")]


def test_the_header_says_where_it_came_from(tmp_path):
    write_results(tmp_path / "notes.jsonl", header(), [])
    first = json.loads((tmp_path / "notes.jsonl").read_text())
    assert first["kind"] == "header"
    assert first["cpu"]
    assert first["cores"] >= 1
    assert all(first[name] for name in ("date", "python", "copyspan", "torch", "transformers", "tokenizers"))


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["/home/me/bin/copyspan", "bench", "ceiling", "/data/x.jsonl"], "copyspan bench ceiling x.jsonl"),
        (["copyspan", "--out=/home/me/out", "../sets/y.jsonl"], "copyspan --out=out y.jsonl"),
        ([r"C:\Users\me\copyspan.exe", "bench"], "copyspan.exe bench"),
        (["--numbers", "1/4", "--numbers=3/4"], "--numbers 1/4 --numbers=3/4"),
    ],
)
def test_a_command_names_no_folder(argv, words):
    assert public_command(argv) == words


def test_a_model_in_a_folder_is_named_without_it(tmp_path):
    (tmp_path / "model").mkdir()
    assert Header.now("notes", seed=0, model=str(tmp_path / "model")).model == "model"
    assert Header.now("notes", seed=0, model="org/name").model == "org/name"


@pytest.mark.parametrize("end", ["", '{"kind": "note", "set": "s", "ca'])
def test_a_run_is_resumed_after_its_last_whole_record(tmp_path, end):
    path = tmp_path / "notes.jsonl"
    write_results(path, header(), [note("a", 1), note("b", 2)])
    with path.open("a") as file:
        file.write(end)
    with ResultFile(path, header(date="later"), Note, resume=True) as results:
        assert results.done == {("s", "a"), ("s", "b")}
        with pytest.raises(ValueError, match=r"s/b is in notes\.jsonl already"):
            results.append(note("b"))
        results.append(note("c", 3))
    assert read_results(path, Note)[1] == [note("a", 1), note("b", 2), note("c", 3)]


def test_without_resuming_a_file_is_begun_anew(tmp_path):
    path = tmp_path / "notes.jsonl"
    write_results(path, header(), [note("a")])
    with ResultFile(path, header(), Note) as results:
        assert results.done == set()
    assert read_results(path, Note)[1] == []


def test_a_record_is_on_the_disk_before_the_next(tmp_path):
    with ResultFile(tmp_path / "notes.jsonl", header(), Note, resume=True) as results:
        results.append(note("a"))
        assert read_results(tmp_path / "notes.jsonl", Note)[1] == [note("a")]


@pytest.mark.parametrize("change", [{"seed": 2}, {"model": "another"}, {"cpu": "another"}, {"device": "cuda"}])
def test_parts_of_different_runs_are_not_mixed(tmp_path, change):
    path = tmp_path / "notes.jsonl"
    write_results(path, header(), [note("a")])
    with pytest.raises(UsageError, match=f"cannot be resumed: it was made with {next(iter(change))}"):
        ResultFile(path, header(**change), Note, resume=True)
    assert read_results(path, Note)[1] == [note("a")]


@pytest.mark.parametrize("text", ["", "{}\n", "nonsense\n"])
def test_what_is_no_result_file(tmp_path, text):
    path = tmp_path / "notes.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match="its first line is no header"):
        read_results(path, Note)


def test_results_of_another_kind(tmp_path):
    path = tmp_path / "notes.jsonl"
    write_results(path, header(), [note("a")])
    with pytest.raises(UsageError, match="line 2 is no result of the kind 'other'"):
        read_results(path, Other)


def test_files_that_cannot_be_had(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        read_results(tmp_path / "none.jsonl", Note)
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="--out DIR"):
        write_results(tmp_path / "file" / "notes.jsonl", header(), [])
