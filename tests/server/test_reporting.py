"""What a client is told while an edit is made: progress, and partial results from which the answer can be had."""

import asyncio
import json
from dataclasses import replace
from random import Random

from engine_bench import turns, until
from fuzz_material import program_engine, scripted_engine
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from copyspan.edits.program import CopyLines, Gen, Program
from copyspan.edits.resolve import resolve
from copyspan.edits.text import LineRange, Snapshot
from copyspan.engine import (
    AnswerStarted,
    DepartureTried,
    HunkReady,
    LinesCopied,
    PromptRead,
    SearchStarted,
    TextGenerated,
)
from copyspan.errors import OutputRejected
from copyspan_lsp.client import Client
from copyspan_lsp.comments import find_instructions
from copyspan_lsp.convert import Converter
from copyspan_lsp.documents import Documents
from copyspan_lsp.jobs import Ticket
from copyspan_lsp.languages import language
from copyspan_lsp.progress import WorkDone
from copyspan_lsp.reporting import PartialResults, Report
from copyspan_lsp.task import Ask, Task, task_of

laws = settings(deadline=None, max_examples=150)
URI = "file:///a.py"


class Told:
    """What was sent: partial results, one list a notification, and the bar's values."""

    def __init__(self) -> None:
        self.parts: list[list[dict]] = []
        self.bar: list[object] = []
        self.in_order: list[str] = []

    def notify(self, method: str, params: types.ProgressParams) -> None:
        assert method == types.PROGRESS
        self.in_order.append(str(params.token))
        if params.token == "partial":
            self.parts.append(json.loads(json.dumps(params.value))["items"])
        else:
            self.bar.append(params.value)

    @property
    def items(self) -> list[dict]:
        return [item for part in self.parts for item in part]

    def report(self, with_partial: bool = True) -> Report:
        partial = PartialResults(self.notify, "partial", lambda task: Converter(task.document, "utf-16", Client()))
        return Report(WorkDone(self.notify, {}, "bar", None), partial if with_partial else None)


def task(text: str, **ask) -> Task:
    document = Documents().open(URI, "python", 3, text)
    comments = find_instructions(Snapshot(text), language("python"))
    ask |= {"comment": comments[0]} if comments and not ask else {}
    return task_of(document, Ask(URI, "do it", **ask), 300, 0)


def told_of(made: Task, *events, flush_after: tuple[int, ...] = ()) -> Told:
    """What is sent for the events of an edit that ends well; `flush_after` are events at which the timer is over."""
    told = Told()

    async def scenario() -> None:
        report = told.report()
        report.begin(made, Ticket(URI))
        for i, event in enumerate(events):
            report.see(event)
            await turns(1)
            if i in flush_after:
                report._partial.flush()
        report.end("done")

    asyncio.run(scenario())
    return told


def program(literal: str) -> Program:
    """ "+x 2 +y" writes x, copies line 2, and writes y."""
    words = literal.split(" ")
    return Program(tuple(Gen(it[1:]) if it[0] == "+" else CopyLines(int(it) - 1, int(it)) for it in words))


def short(items: list[dict]) -> list[str]:
    """ "answer", "2-4" for copied lines, "3+text" for text before line 3, "hunk 0"."""
    texts = {
        "answer": lambda it: "answer",
        "copied": lambda it: f"{it['startLine']}-{it['stopLine']}",
        "text": lambda it: f"{it['line']}+{it['text']}",
        "hunk": lambda it: f"hunk {it['index']}",
    }
    return [texts[item["kind"]](item) for item in items]


# Partial results

contents = st.sampled_from(["", "a", "b", "ä😀", "  c", "# ai: do it", "d  # ai: do it"])
documents = st.tuples(st.lists(contents, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())


def answer_of(snapshot: Snapshot, scope: LineRange, text: str) -> str:
    """The scope's lines in a candidate's text, as a model writes them."""
    start, stop = snapshot.span(scope)
    after = Snapshot(text[start : len(text) - (len(snapshot.text) - stop)])
    return "".join(f"{after.content(i)}\n" for i in range(after.num_lines))


@given(documents, st.integers(0, 10**6), st.booleans(), st.sets(st.integers(0, 30)))
@laws
def test_copied_lines_and_text_together_are_the_answer(document, seed, is_scripted, flush_after):
    lines, end, is_open = document
    made = task(end.join(lines) + ("" if is_open else end))
    inner = made.request.snapshot.without_blank_edges(made.request.scope)
    engine = (scripted_engine if is_scripted else program_engine)(Random(seed), ["n", "", "m"])
    events = []
    try:
        result = engine.edit(replace(made.request, scope=inner), lambda: False, events.append)
    except OutputRejected:
        return
    first, *items = told_of(made, *events, flush_after=tuple(flush_after)).items
    assert first["kind"] == "answer"
    if "answer" in [item["kind"] for item in items]:
        return  # a search went on from there
    pieces, place = [], 0
    for item in items:
        if item["kind"] == "copied":
            assert place <= item["startLine"] < item["stopLine"] <= made.document.num_lines
            pieces += [f"{made.document.content(i)}\n" for i in range(item["startLine"], item["stopLine"])]
            place = item["stopLine"]
        elif item["kind"] == "text":
            assert place <= item["line"] <= made.document.num_lines
            place = item["line"]
            pieces.append(item["text"])
    seen, answer = "".join(pieces), answer_of(made.request.snapshot, inner, result.best.text)
    # A copied line is told as it stands in the document, with the comment that goes away.
    seen, answer = (it.replace("d  # ai: do it", "d") for it in (seen, answer))
    if is_open and inner.stop == made.request.snapshot.num_lines:  # a line more or less asks for a final newline
        seen, answer = seen.rstrip("\n"), answer.rstrip("\n")
    assert seen == answer


def test_a_whole_answer():
    made = task("\na\nb\n# ai: do it\nc\n\n")
    events = [
        AnswerStarted("greedy"),
        TextGenerated("n"),
        TextGenerated("ew\n"),
        LinesCopied(LineRange(1, 2)),
        TextGenerated("B\n"),
        LinesCopied(LineRange(3, 4)),
        TextGenerated("end\n"),
    ]
    told = told_of(made, *events)
    assert short(told.items) == ["answer", "1+new\n", "1-2", "2+B\n", "4-5", "5+end\n"]
    answer = told.items[0]
    assert answer["textDocument"] == {"uri": URI, "version": 3}
    assert answer["origin"] == "greedy"
    assert answer["scope"]["title"] == "the whole document (5 lines)"


def test_lines_copied_across_the_comment_come_in_two_pieces():
    made = task("a\n# ai: do it\nb\n")
    told = told_of(made, AnswerStarted("greedy"), LinesCopied(LineRange(0, 2)))
    assert short(told.items) == ["answer", "0-1", "2-3"]


def test_text_after_the_last_line_of_an_open_document():
    made = task("# ai: do it\na\nb")
    told = told_of(made, AnswerStarted("greedy"), LinesCopied(LineRange(0, 2)), TextGenerated("c\n"))
    assert short(told.items) == ["answer", "1-3", "3+c\n"]


def test_lines_that_are_copied_once_more_or_from_further_up_are_text():
    made = task("a\n# ai: do it\nb\nc\nd\n")
    copies = [LineRange(1, 3), LineRange(0, 1), LineRange(2, 4)]
    told = told_of(made, AnswerStarted("greedy"), *map(LinesCopied, copies))
    assert short(told.items) == ["answer", "2-4", "4+a\nc\n", "4-5"]


def test_another_answer_begins_anew():
    made = task("a\nb\n")
    events = [AnswerStarted("greedy"), LinesCopied(LineRange(0, 2)), AnswerStarted("departure"), TextGenerated("A\n")]
    told = told_of(made, *events)
    assert short(told.items) == ["answer", "0-2", "answer", "0+A\n"]


def test_hunks_are_counted_anew_in_every_answer():
    made = task("a\nb\nc\n")
    hunks = resolve(program("+A\n 2 +C\n"), made.request.snapshot).hunks
    told = told_of(
        made, AnswerStarted("greedy"), *map(HunkReady, hunks), AnswerStarted("departure"), HunkReady(hunks[1])
    )
    assert short(told.items) == ["answer", "hunk 0", "hunk 1", "answer", "hunk 0"]
    assert [told.items[i]["hunk"]["newText"] for i in (1, 2, 4)] == ["A\n", "C\n", "C\n"]


def test_a_hunk_that_touches_the_comment_comes_with_the_result_alone():
    made = task("a  # ai: do it\nb\nc\n")
    hunks = resolve(program("+A\n 2 +C\n"), made.request.snapshot).hunks
    told = told_of(made, AnswerStarted("greedy"), *map(HunkReady, hunks))
    assert [it["hunk"]["newText"] for it in told.items if it["kind"] == "hunk"] == ["C\n"]


@given(st.sets(st.integers(0, 5)))
@laws
def test_events_are_sent_in_order_however_often_they_are_flushed(flush_after):
    made = task("a\nb\nc\n")
    events = [
        AnswerStarted("greedy"),
        LinesCopied(LineRange(0, 1)),
        TextGenerated("x"),
        TextGenerated("y\n"),
        LinesCopied(LineRange(1, 3)),
        TextGenerated("z\n"),
    ]
    told = told_of(made, *events, flush_after=tuple(flush_after))
    joined = "".join(short(told.items)).replace("1+x1+", "1+x")
    assert joined == "answer0-11+xy\n1-33+z\n"
    assert all(told.parts)
    assert len(told.parts) == len({*flush_after, 5})


def test_what_is_noted_is_sent_by_itself_after_a_moment():
    told = Told()

    async def scenario() -> None:
        report = told.report()
        report.begin(task("a\n"), Ticket(URI))
        report.see(AnswerStarted("greedy"))
        await until(lambda: bool(told.parts))

    asyncio.run(scenario())
    assert short(told.items) == ["answer"]


def test_the_last_results_come_before_the_end_and_nothing_after_it():
    told = Told()

    async def scenario() -> None:
        report = told.report()
        report.begin(task("a\n"), Ticket(URI))
        report.see(AnswerStarted("greedy"))
        await turns(1)
        report.end("cancelled")
        report.see(TextGenerated("late\n"))  # a stopped job works on until it sees the flag
        await asyncio.sleep(0.1)

    asyncio.run(scenario())
    assert short(told.items) == ["answer"]
    assert told.in_order[-2:] == ["partial", "bar"]
    assert isinstance(told.bar[-1], types.WorkDoneProgressEnd)


def test_an_edit_that_never_began_tells_nothing():
    told = Told()

    async def scenario() -> None:
        told.report().end("outdated")

    asyncio.run(scenario())
    assert told.in_order == []


def test_a_client_that_wants_no_partial_results_gets_progress_alone():
    told = Told()

    async def scenario() -> None:
        report = told.report(with_partial=False)
        report.begin(task("a\n"), Ticket(URI))
        report.see(AnswerStarted("greedy"))
        await turns()
        report.end("done")

    asyncio.run(scenario())
    assert told.in_order[0] == told.in_order[-1] == "bar"
    assert told.parts == []


# The bar

events = st.one_of(
    st.integers(1, 50).flatmap(lambda total: st.builds(PromptRead, st.integers(0, total), st.just(total))),
    st.just(AnswerStarted("greedy")),
    st.integers(0, 9).map(lambda start: LinesCopied(LineRange(start, start + 3))),
    st.just(TextGenerated("x")),
    st.just(SearchStarted(4)),
    st.integers(0, 4).map(lambda done: DepartureTried(done, 4)),
)


@given(st.lists(events))
@laws
def test_percentages_go_up_and_stay_below_a_hundred_and_one(events):
    told = Told()

    async def scenario() -> None:
        report = told.report(with_partial=False)
        report.begin(task("a\n" * 9), Ticket(URI))
        for event in events:
            report._work_done._last = -1.0
            report.see(event)
            await turns(1)
        report.end("done")

    asyncio.run(scenario())
    begin, *reports, end = told.bar
    assert begin.title == "Editing the whole document (9 lines)"
    assert end.message == "done"
    assert len(reports) == len(events)
    percentages = [report.percentage for report in reports]
    assert percentages == sorted(percentages)
    assert all(0 <= it <= 100 for it in percentages)


def test_the_bar_says_where_the_edit_is():
    told = Told()

    async def scenario() -> None:
        report = told.report(with_partial=False)
        report.begin(task("a\nb\nc\nd\n"), Ticket(URI))
        for event in [
            PromptRead(1000, 2000),
            AnswerStarted("greedy"),
            LinesCopied(LineRange(0, 2)),
            SearchStarted(4),
            DepartureTried(1, 4),
        ]:
            report._work_done._last = -1.0
            report.see(event)
            await turns(1)
        report.end("done")

    asyncio.run(scenario())
    assert [(it.message, it.percentage) for it in told.bar[1:-1]] == [
        ("Reading 1,000 of 2,000 tokens", 20),
        ("0 of 4 lines copied", 40),
        ("2 of 4 lines copied", 70),
        ("Search 1 of 4: 2 of 4 lines copied", 70),
        ("Search 2 of 4: 2 of 4 lines copied", 70),
    ]


def test_the_bar_cancels_the_edit():
    cancellers: dict = {}
    ticket = Ticket(URI)

    async def scenario() -> None:
        report = Report(WorkDone(lambda method, params: None, cancellers, "bar", None), None)
        report.begin(task("a\n"), ticket)
        cancellers["bar"]()
        report.end("cancelled")

    asyncio.run(scenario())
    assert ticket.reason == "cancelled"
    assert cancellers == {}
