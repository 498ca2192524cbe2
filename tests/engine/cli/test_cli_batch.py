"""`copyspan batch`: many edits, several at once, each reported once, none lost and none made twice."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_engine import COST, candidate
from typer.testing import CliRunner, Result

from copyspan.cli.app import app
from copyspan.cli.batch_records import BatchEdit, BatchResult, read_edits
from copyspan.cli.batch_run import Batch
from copyspan.config import EngineSettings
from copyspan.engine import EditRequest, EditResult, Engine
from copyspan.errors import (
    Cancelled,
    OutputTruncated,
    RequestRefused,
    ServerRefused,
    ServerUnreachable,
    SourceError,
    UsageError,
)

PATIENCE = 20


class Shop:
    """Makes engines that replace the first word of the instruction by the second one. `meanwhile` happens in them."""

    def __init__(self) -> None:
        self.loaded: list[EngineSettings] = []
        self.closed = 0
        self.asked: list[str] = []
        self.is_deaf = False
        """Whether its engines overhear that they were cancelled."""
        self.meanwhile: Callable[[EditRequest], object] = lambda request: None

    def load(self, settings: EngineSettings, progress: object) -> "_Engine":
        self.loaded.append(settings)
        return _Engine(self)

    def engine(self) -> Any:
        return self.load(EngineSettings(), None)


class _Engine:
    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    def edit(self, request: EditRequest, cancelled: Callable[[], bool], on_event: Any = None) -> EditResult:
        self._shop.asked.append(request.instruction)
        self._shop.meanwhile(request)
        if cancelled() and not self._shop.is_deaf:
            raise Cancelled("The edit was cancelled.")
        old, _, new = request.instruction.partition(" ")
        found = candidate(request.snapshot, request.snapshot.text.replace(old, new))
        return EditResult((found,), COST, "verified", "fake", "cpu", "float32")

    def close(self) -> None:
        self._shop.closed += 1


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shop:
    monkeypatch.chdir(tmp_path)
    shop = Shop()
    monkeypatch.setattr(Engine, "load", staticmethod(shop.load))
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"{name}\none\n")
    return shop


def run(edits: list[dict[str, object]], *args: str) -> Result:
    Path("edits.jsonl").write_text("".join(json.dumps(edit) + "\n" for edit in edits))
    return CliRunner().invoke(app, ["batch", "edits.jsonl", *args], catch_exceptions=False)


def results(name: str = "edits.results.jsonl") -> dict[str, dict[str, Any]]:
    """By id."""
    rows = [json.loads(line) for line in Path(name).read_text().splitlines()]
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: row for row in rows}


def drain(
    job: Batch, edits: list[dict[str, object]], cancelled: Callable[[], bool] = lambda: False
) -> tuple[list[BatchResult], Exception | None]:
    """What a batch tells, and how it ends."""
    told: list[BatchResult] = []
    try:
        for result in job.run([BatchEdit.model_validate(edit) for edit in edits], cancelled):
            told.append(result)
    except Exception as error:
        return told, error
    return told, None


def texts() -> str:
    return "|".join(Path(f"{name}.txt").read_text().replace("\n", " ").strip() for name in "abc")


EDITS: list[dict[str, object]] = [{"file": f"{name}.txt", "instruction": "one two", "id": name} for name in "abc"]


def test_each_edit_has_a_line_and_nothing_is_written_unless_asked(shop):
    result = run(EDITS)

    assert result.exit_code == 0
    assert "3 edits: 3 changed (0 written), 0 left as they were, 0 failed." in result.stderr
    assert texts() == "a one|b one|c one"
    assert list(results()) == ["a", "b", "c"]
    row = results()["b"]
    assert row["diff"] == "--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n b\n-one\n+two\n"
    assert (row["changed"], row["written"], row["error"], row["cost"]["forwards"]) == (True, False, None, 24)
    assert shop.closed == len(shop.loaded) == 1


def test_what_is_written(shop):
    assert run(EDITS, "--write", "--out", "done.jsonl").exit_code == 0
    assert texts() == "a two|b two|c two"
    assert all(row["written"] for row in results("done.jsonl").values())


def test_edits_of_one_file_come_one_after_the_other_where_they_are_written(shop):
    edits: list[dict[str, object]] = [
        {"file": f, "instruction": f"{i} {i + 1}"} for i in range(9) for f in ("a.txt", "./a.txt")
    ]
    Path("a.txt").write_text("0\n")
    run(edits, "--write", "--server", "http://localhost:1", "--workers", "4")
    assert Path("a.txt").read_text() == "9\n"


def test_several_are_made_at_once_where_a_server_runs_the_model(shop):
    barrier = threading.Barrier(3)
    shop.meanwhile = lambda request: barrier.wait(PATIENCE)
    result = run(EDITS, "--server", "http://localhost:1", "--workers", "3", "--served-model", "m")

    assert result.exit_code == 0
    assert {(s.server, s.served_model) for s in shop.loaded} == {("http://localhost:1", "m")}
    assert shop.closed == len(shop.loaded) == 3


def test_a_model_in_this_process_makes_one_edit_at_a_time(shop):
    assert run(EDITS, "--workers", "2").exit_code == 2
    assert not shop.loaded


@pytest.mark.parametrize(
    ("edit", "error"),
    [
        ({"file": "none.txt", "instruction": "x y"}, "SourceError"),
        ({"file": "a.txt", "instruction": "x y", "lines": "3-4"}, "UsageError"),
    ],
)
def test_what_fails_for_one_edit_is_its_result(shop, edit, error):
    result = run([edit, *EDITS[1:]])

    assert result.exit_code == 0
    assert "1 failed" in result.stderr
    assert results()["1"]["error"] == error
    assert results()["1"]["message"]
    assert not results()["b"]["error"]


@pytest.mark.parametrize("error", [OutputTruncated("cut"), RequestRefused("too long")])
def test_what_the_model_says_against_one_edit_is_its_result(shop, error):
    def refuse(request: EditRequest) -> None:
        if request.name == "a.txt":
            raise error

    shop.meanwhile = refuse
    assert run(EDITS).exit_code == 0
    assert results()["a"]["error"] == type(error).__name__
    assert results()["c"]["changed"]


@pytest.mark.parametrize("error", [ServerUnreachable("gone"), ServerRefused("key")])
def test_where_the_server_fails_the_batch_ends_and_can_be_gone_on_with(shop, error):
    def fail(request: EditRequest) -> None:
        if request.name == "b.txt":
            raise error

    shop.meanwhile = fail
    result = run(EDITS, "--write")
    assert result.exit_code == 4
    assert "1 of 3 edits are done. The same command goes on with the rest." in result.stderr
    assert list(results()) == ["a"]

    shop.meanwhile = lambda request: None
    shop.asked.clear()
    result = run(EDITS, "--write")
    assert result.exit_code == 0
    assert "1 of 3 edits are done already." in result.stderr
    assert len(shop.asked) == 2
    assert list(results()) == ["a", "b", "c"]
    assert texts() == "a two|b two|c two"


def test_what_comes_to_its_end_while_another_fails_is_reported(shop):
    """It may be written already, and must not be made again."""
    began, failed = threading.Event(), threading.Event()

    def meanwhile(request: EditRequest) -> None:
        if request.name == "a.txt":
            began.set()
            assert failed.wait(PATIENCE)
        else:
            assert began.wait(PATIENCE)
            threading.Timer(0.05, failed.set).start()
            raise ServerUnreachable("gone")

    shop.meanwhile, shop.is_deaf = meanwhile, True
    told, error = drain(Batch(shop.engine, 2, "verified", writes=True), EDITS[:2])
    assert isinstance(error, ServerUnreachable)
    assert [result.id for result in told] == ["a"]
    assert texts() == "a two|b one|c one"


def test_all_done_loads_nothing(shop):
    run(EDITS)
    shop.loaded.clear()
    assert run(EDITS).exit_code == 0
    assert not shop.loaded


def test_restart_makes_them_anew(shop):
    run(EDITS)
    shop.asked.clear()
    run(EDITS, "--restart")
    assert len(shop.asked) == 3


def test_a_result_that_was_cut_off_is_made_again(shop):
    run(EDITS)
    path = Path("edits.results.jsonl")
    path.write_bytes(path.read_bytes()[:-9])
    shop.asked.clear()
    run(EDITS)
    assert len(shop.asked) == 1
    assert list(results()) == ["a", "b", "c"]


def test_results_of_other_edits_are_kept(shop):
    run(EDITS)
    before = Path("edits.results.jsonl").read_bytes()
    result = run([{**EDITS[0], "instruction": "one three"}])
    assert result.exit_code == 2
    assert "--restart" in result.stderr
    assert Path("edits.results.jsonl").read_bytes() == before


def test_a_file_that_holds_no_results_is_kept(shop):
    Path("edits.results.jsonl").write_text("precious\n")
    assert run(EDITS).exit_code == 2
    assert Path("edits.results.jsonl").read_text() == "precious\n"


def test_a_cancelled_batch_ends(shop):
    flag: list[bool] = []
    shop.meanwhile = lambda request: request.name == "b.txt" and flag.append(True)
    told, error = drain(Batch(shop.engine, 1, "verified", writes=False), EDITS, lambda: bool(flag))
    assert isinstance(error, Cancelled)
    assert [result.id for result in told] == ["a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no edit"),
        ("{}\n", "line 1 is no edit .*file.*instruction"),
        ("\n[]\n", "line 2 is no edit"),
        ("no json\n", "line 1 is no edit"),
        ('{"file": "a", "instruction": " "}\n', "instruction"),
        ('{"file": "a", "instruction": "x", "line": "3"}\n', "line: extra"),
        ('{"file": "a", "instruction": "x", "lines": "3-1"}\n', "'3-1' is empty"),
        (
            '{"file": "a", "instruction": "x", "id": "1"}\n{"file": "a", "instruction": "x", "id": "1"}\n',
            "occurs twice",
        ),
    ],
)
def test_what_is_no_list_of_edits_is_told_with_its_line(tmp_path, text, said):
    path = tmp_path / "edits.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        read_edits(path)


def test_a_list_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match="does not exist"):
        read_edits(tmp_path / "none.jsonl")
