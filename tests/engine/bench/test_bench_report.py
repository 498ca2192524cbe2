"""BENCHMARKS.md and its plots, from stored results of every kind."""

from xml.etree import ElementTree

import pytest
from bench_doubles import WordTokens, case
from bench_models import answer, edit_record, flips, way

from copyspan.bench import ceiling, plots
from copyspan.bench.edit import Plan
from copyspan.bench.edit_records import EditRecord
from copyspan.bench.gpu_results import GpuFile, GpuRun, read_gpu
from copyspan.bench.report import SECTIONS, write_report
from copyspan.bench.results import Header, write_results
from copyspan.bench.server import EditTimes, ServerRecord
from copyspan.bench.speedup import KernelRecord
from copyspan.bench.stats import Interval
from copyspan.errors import SourceError, UsageError


def header(bench: str, **options) -> Header:
    return Header.now(
        bench, seed=0, model="some-model", dtype="bfloat16", device="cpu", argv=[], options={"threads": 2, **options}
    )


def points() -> list[KernelRecord]:
    return [
        KernelRecord(
            set=f"m, {kind}", case=str(n), context=512, num_tokens=n, seconds_one=1.0, seconds_many=2.0, num_trials=7
        )
        for kind in ("verified", "spliced")
        for n in (1, 8, 64)
    ]


def edits() -> list[EditRecord]:
    right = answer(exact=True)
    ways = {"plain": way(9.0, 90, right), "verified": way(1.0, 9, right), "search": way(2.0, 20, right, answer())}
    return [edit_record(str(n), n, ways, flips=flips(verified=0.1)) for n in (10, 90)]


def server() -> ServerRecord:
    times = EditTimes(first_progress=0.1, first_preview=None, result=2.0, hunks=1, model_seconds=1.0, delays=[])
    fields = {"initialize": 0.5, "first_actions": 0.1, "idle_delays": [0.01], "cold": times, "warm": times}
    return ServerRecord(set="100 lines", case="trial 0", num_lines=100, **fields)


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    write_results(folder / "kernel-m.jsonl", header("kernel"), points())
    write_results(folder / "edit-m.jsonl", header("edit", **Plan().header_options()), edits())
    write_results(folder / "server-m.jsonl", header("server"), [server()])
    records = [ceiling.measure(case("a b\nc\n", "a b\nd\n"), WordTokens())]
    write_results(folder / "ceiling-plain.jsonl", header("ceiling"), records)
    steered = header("edit", **Plan().header_options() | {"steered": True}).model_copy(update={"gpu": "Big GPU"})
    gpu = GpuRun(kernel_header=header("kernel"), kernel=points(), edit_header=steered, edit=edits())
    GpuFile(runs=[gpu]).save(folder / "gpu.json")
    return folder


def test_every_figure_says_where_it_is_from(results, tmp_path):
    written = write_report(results, tmp_path / "docs")
    text = (tmp_path / "docs" / "BENCHMARKS.md").read_text()
    for bench in ("kernel", "edit", "server", "ceiling"):
        assert f"## {SECTIONS[bench].title}\n" in text
    assert f"## {SECTIONS['perturb'].title}" not in text
    groups = text.split("\n### ")[1:]
    assert [group.split("\n")[0] for group in groups] == [
        "kernel-m",
        "gpu-0-kernel",
        "edit-m",
        "gpu-0-edit",
        "server-m",
        "ceiling-plain",
    ]
    for group in groups:
        assert "some-model, bfloat16; " in group
        assert "torch " in group
        assert header("x").date[:10] in group
    assert "Big GPU" in groups[3]
    assert "made to write the reference" in groups[3]
    assert "Accuracy\n" in groups[2]
    assert "Accuracy\n" not in groups[3]
    assert "m, verified, context 512" in groups[5]
    assert str(tmp_path) not in text
    for path in written:
        if path.suffix == ".svg":
            ElementTree.fromstring(path.read_text())
            assert f"(plots/{path.name})" in text
    assert {path.name for path in written if path.name.startswith("edit-m")} == {
        f"edit-m-{name}.svg" for name in ("speed", "accuracy", "time")
    }


def test_the_same_results_give_the_same_page(results, tmp_path):
    first, second = (write_report(results, tmp_path / name) for name in ("one", "two"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_what_people_say_of_the_results_comes_first(results, tmp_path):
    (results / "FINDINGS.md").write_text("## In words\n\nAll of it is quick.\n")
    write_report(results, tmp_path / "docs")
    text = (tmp_path / "docs" / "BENCHMARKS.md").read_text()
    assert text.index("All of it is quick.") < text.index("## The forward, s(N)")


def test_what_is_no_result_is_an_error_in_words(results, tmp_path):
    with pytest.raises(UsageError, match="no results"):
        write_report(tmp_path, tmp_path / "docs")
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="cannot be written"):
        write_report(results, tmp_path / "file")
    (results / "gpu.json").write_text("{}x")
    with pytest.raises(UsageError, match="gpu"):
        write_report(results, tmp_path / "docs")


def test_a_gpu_file_is_read_as_it_was_written(results):
    again = results / "gpu-again.json"
    read_gpu(results / "gpu.json").save(again)
    assert again.read_bytes() == (results / "gpu.json").read_bytes()
    assert not list(results.glob("*.part"))


def test_axes_hold_their_values():
    assert [name for _, name in plots.log_axis("", [3.0, 20.0]).ticks] == ["2", "4", "8", "16", "32"]
    assert [name for _, name in plots.log_axis("", [1.0]).ticks] == ["1", "2"]
    for high in (0.0, 0.04, 1.0, 7.3, 12.0, 950.0):
        axis = plots.linear_axis("", high)
        assert axis.low == 0 <= high <= axis.high
        assert len(axis.ticks) <= 8
    axis = plots.log_axis("", [1.0, 4.0])
    assert [axis.place(value) for value in (1.0, 2.0, 4.0)] == pytest.approx([0.0, 0.5, 1.0])


def test_plots_stay_within_their_frame_and_escape_names():
    axis = plots.names_axis("size", ["small & <big>", "b"])
    lines = {"one": [(0.0, Interval(5.0, 1.0, 99.0)), (1.0, 2.0)], "<two>": [(0.0, 1.0)]}
    root = ElementTree.fromstring(plots.line_plot("a < b", axis, plots.linear_axis("y", 10.0), lines))
    circles = [element for element in root.iter() if element.tag.endswith("circle")]
    assert len(circles) == 3
    assert all(0 < float(circle.get("cy")) < 380 for circle in circles)
    bars = ElementTree.fromstring(plots.bar_plot("t", plots.linear_axis("s", 3.0), {"x": [1.0, 2.0]}, ["p", "q"]))
    first, second = (e for e in bars.iter() if e.tag.endswith("rect") and e.get("width") not in ("100%", "22"))
    assert float(second.get("height")) == pytest.approx(2 * float(first.get("height")), abs=0.2)
