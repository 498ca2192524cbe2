"""Cases in several ways: which are chosen, in which order they run, what is resumed, and what a record says."""

from dataclasses import replace

import pytest
from bench_doubles import case
from bench_models import scripted

from copyspan.bench import edit
from copyspan.bench.edit_records import EditRecord
from copyspan.bench.results import Header, ResultFile
from copyspan.bench.ways import Options, Outcome, Workbench
from copyspan.errors import UsageError

BEFORE = "".join(f"line {i}\n" for i in range(9))
AFTER = BEFORE.replace("line 7\n", "line seven\n")
PLAN = edit.Plan(("verified", "search"))


def asked(id: str = "0", num_lines: int = 9, **fields):
    lines = BEFORE.splitlines(keepends=True) * 40
    return case("".join(lines[:num_lines]), AFTER, id, **{"lang": "python", "instruction": "Spell 7.", **fields})


def test_a_record_says_what_each_way_gave():
    record = edit.measure(scripted(BEFORE, AFTER), asked(), PLAN)
    assert (record.set, record.case, record.num_lines, record.has_tests) == ("some", "0", 9, False)
    verified, search = record.ways["verified"], record.ways["search"]
    assert [(c.origin, c.changed, c.exact, c.passed) for c in verified.candidates] == [("greedy", False, False, None)]
    assert [(c.origin, c.changed, c.exact) for c in search.candidates] == [
        ("departure", True, True),
        ("greedy", False, False),
    ]
    assert search.forwards > verified.forwards
    assert EditRecord.model_validate_json(record.model_dump_json()) == record


def test_tests_are_run_where_that_is_wanted():
    before = "x = 1\ny = 2\n"
    tested = case(before, before.replace("1", "2"), lang="python", instruction="go", tests="assert x == 2")
    for runs, verdict in ((True, True), (False, None)):
        record = edit.measure(scripted(tested.after), tested, edit.Plan(("verified",), runs_tests=runs))
        assert (record.has_tests, record.ways["verified"].candidates[0].passed) == (runs, verdict)


def test_a_sample_grows_at_its_end_and_long_documents_are_left_out():
    cases = [asked(str(i), num_lines=i + 1) for i in range(40)]
    few, many = (edit.choose(cases, 5, sample) for sample in (4, 10))
    assert many[:4] == few
    assert [c.id for c in many] != [str(i) for i in range(10)]
    assert {c.id for c in edit.choose(cases, 5, max_lines=3)} == {"0", "1", "2"}
    assert {c.id for c in edit.choose(cases, 5, min_lines=3, max_lines=3)} == {"2"}
    two = [*cases[:3], *(replace(c, set="other") for c in cases[:3])]
    assert sorted(c.set for c in edit.choose(two, 5, sample=2)) == ["other", "other", "some", "some"]


@pytest.mark.parametrize(
    ("fields", "words"), [({"instruction": " "}, "no instruction"), ({"num_lines": 50}, "1 to 20 lines")]
)
def test_cases_that_cannot_be_run_are_refused(fields, words):
    with pytest.raises(UsageError, match=words):
        edit.choose([asked(**fields)], 0, max_lines=20)


def test_a_steered_model_does_not_search():
    with pytest.raises(UsageError, match="neither searches"):
        edit.Plan(("plain", "search"), Options(is_steered=True))


def test_a_run_goes_on_where_it_stopped(tmp_path):
    cases = [asked(str(i)) for i in range(4)]
    header = Header.now("edit", seed=0, model="scripted", argv=[], options=PLAN.header_options())
    told: list[str | None] = []

    def tell(record: EditRecord | None) -> None:
        told.append(record and record.case)
        if told[-1] == "1":
            raise KeyboardInterrupt

    path = tmp_path / "edit.jsonl"
    with pytest.raises(KeyboardInterrupt), ResultFile(path, header, EditRecord) as results:
        edit.run(scripted(AFTER), cases, PLAN, results, tell)
    with ResultFile(path, header, EditRecord, resume=True) as results:
        edit.run(scripted(AFTER), cases, PLAN, results, tell)
        assert results.done == {("some", str(i)) for i in range(4)}
    assert told == ["0", "1", None, None, "2", "3"]
    other = header.model_copy(update={"options": edit.Plan(("verified",)).header_options()})
    with pytest.raises(UsageError, match="options"):
        ResultFile(path, other, EditRecord, resume=True)


def test_the_ways_take_turns_and_the_median_counts(monkeypatch):
    seconds = [5.0, 1.0, 3.0, 30.0, 10.0, 20.0]
    order: list[str] = []

    def carry_out(self: Workbench, way: str) -> Outcome:
        taken = seconds[len(order)]
        order.append(way)
        return Outcome(taken, 4, True, phases={"decode": taken})

    monkeypatch.setattr(Workbench, "carry_out", carry_out)
    orders = set()
    for seed in range(8):
        order.clear()
        record = edit.measure(scripted(AFTER), asked(), edit.Plan(PLAN.ways, trials=3, seed=seed))
        orders.add(tuple(order))
        assert [order[i : i + 2].count("verified") for i in (0, 2, 4)] == [1, 1, 1]
        for way, measured in record.ways.items():
            taken = [t for t, w in zip(seconds, order, strict=True) if w == way]
            assert measured.trials == taken
            assert measured.seconds == sorted(taken)[1] == measured.phases["decode"]
    assert len(orders) > 1


def test_where_two_ways_part_is_measured(monkeypatch):
    plain, lookup = b"line 0\nline x", b"line 0\nline 1"
    outcomes = {"plain": plain, "lookup": lookup, "verified": plain[:9]}
    monkeypatch.setattr(Workbench, "carry_out", lambda self, way: Outcome(1.0, 2, True, tokens=tuple(outcomes[way])))
    record = edit.measure(scripted("line 0\nline 1\n"), asked(), edit.Plan(("plain", "lookup", "verified")))
    assert (record.flips["lookup"].position, record.flips["lookup"].compared) == (12, 13)
    assert record.flips["lookup"].gap == pytest.approx(-30.0 + 0.1)  # what the script finds of "x" and of "1"
    assert (record.flips["verified"].position, record.flips["verified"].gap) == (None, None)
