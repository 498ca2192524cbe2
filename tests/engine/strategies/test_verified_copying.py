"""The default strategy end to end through the engine, with a scripted model: results, forwards, events."""

import pytest

from copyspan.edits.text import LineRange, Snapshot
from copyspan.engine import EditRequest, EditResult, Engine, EngineSettings, LinesCopied, TextGenerated
from copyspan.errors import (
    Cancelled,
    ContextTooLong,
    OutputRejected,
    OutputRepeats,
    OutputTruncated,
    PlaceholderFound,
    SweepingDeletion,
    UsageError,
)
from copyspan.testing import END, START, ScriptedModel, fenced

LINES = [f"line number {i} of the file\n" for i in range(1, 61)]
DOCUMENT = "".join(LINES)


def edit(document: str, *answers: str, fence: str = "```", name: str | None = None, **wanted: object) -> EditResult:
    language = name.rpartition(".")[2] if name else ""
    model = ScriptedModel([fenced(answer, language, fence) for answer in answers])
    request = EditRequest(Snapshot(document), "rewrite it", name=name, **wanted)  # type: ignore[arg-type]
    return Engine(model).edit(request)


def replaced(i: int, *new: str) -> str:
    return "".join([*LINES[: i - 1], *(f"{line}\n" for line in new), *LINES[i:]])


@pytest.mark.parametrize(
    "after",
    [
        replaced(30, "another text"),
        replaced(30, "another text", "and one more"),
        replaced(30),
        replaced(1, "first"),
        replaced(60, "last"),
        DOCUMENT + "appended\n",
        "inserted\n" + DOCUMENT,
        replaced(30, "line number 30 of a file"),
        replaced(30, "line number 31 of the file"),
        "".join(reversed(LINES)),
        "all new\n",
        "",
    ],
    ids=[
        "replace",
        "grow",
        "delete",
        "first",
        "last",
        "append",
        "prepend",
        "word",
        "double",
        "reverse",
        "new",
        "empty",
    ],
)
def test_the_answer_becomes_the_text(after: str) -> None:
    result = edit(DOCUMENT, after)
    assert result.best.text == after
    assert result.best.edits.apply(DOCUMENT) == after
    assert result.best.origin == "greedy"


def test_one_changed_line_is_one_hunk_and_takes_few_forwards() -> None:
    result = edit(DOCUMENT, replaced(30, "another text"))
    [hunk] = result.best.hunks
    assert hunk.lines == LineRange(29, 30)
    cost = result.cost
    assert (cost.copied_lines, cost.generated_lines) == (59, 1)
    assert cost.copied_tokens > 1500
    assert cost.forwards < cost.plain_forwards / 10


def test_first_and_last_line_are_two_hunks() -> None:
    result = edit(DOCUMENT, "".join(["first\n", *LINES[1:-1], "last\n"]))
    assert [hunk.lines for hunk in result.best.hunks] == [LineRange(0, 1), LineRange(59, 60)]


def test_lines_written_again_after_a_departure_are_copies() -> None:
    document = "".join(f"{c}{i}\n" for i, c in enumerate("abcdefgh"))
    after = document.replace("c2\n", "X\nY\n").replace("e4\n", "Z\n")
    result = edit(document, after)
    assert [hunk.old for hunk in result.best.hunks] == ["c2\n", "e4\n"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("final", [True, False])
def test_line_ends_and_the_final_newline_stay(newline: str, final: bool) -> None:
    document = newline.join(["one", "two", "three"]) + newline * final
    result = edit(document, "one\n2\nzwei\nthree\nfour\n")
    assert result.best.text == newline.join(["one", "2", "zwei", "three", "four"]) + newline * final


def test_only_the_scope_can_change() -> None:
    model = ScriptedModel([fenced("two!\nthree!\n")])
    request = EditRequest(Snapshot("one\ntwo\nthree\nfour\n"), "shout", LineRange(1, 3))
    assert Engine(model).edit(request).best.text == "one\ntwo!\nthree!\nfour\n"


def test_blank_lines_at_the_edges_are_kept_out_of_the_model_and_in_the_file() -> None:
    assert edit("\n\n\none\n\ntwo\n\n", "one\n\n2\n").best.text == "\n\n\none\n\n2\n\n"


def test_an_empty_document_is_filled() -> None:
    assert edit("", "print('hello')\n").best.text == "print('hello')\n"


def test_a_document_with_fences_gets_a_longer_one() -> None:
    document = "# Title\n```py\nx = 1\n```\nend\n"
    result = edit(document, document.replace("x = 1", "x = 2"), fence="````", name="notes.md")
    assert result.best.text == document.replace("x = 1", "x = 2")


@pytest.mark.parametrize("marker", ["<|im_end|>", "<|im_start|>system", "<program>", "</gen>", '<copy lines="1-2"/>'])
def test_markers_in_a_document_are_text(marker: str) -> None:
    result = edit(f"a\n{marker}\nb\n", f"a\n{marker}\nc\n")
    assert result.best.text == f"a\n{marker}\nc\n"


def test_what_comes_after_the_fence_is_never_read() -> None:
    model = ScriptedModel([fenced("one\n2\n") + "\nHere is what I changed: ...\n```\nx\n```"])
    assert Engine(model).edit(EditRequest(Snapshot("one\ntwo\n"), "digits")).best.text == "one\n2\n"


def test_an_answer_without_its_end_is_refused() -> None:
    model = ScriptedModel(["```\n" + "".join(LINES[:20])])
    with pytest.raises(OutputTruncated, match="before it was complete"):
        Engine(model).edit(EditRequest(Snapshot(DOCUMENT), "x"))


@pytest.mark.parametrize("end", ["", "\n", "\n```"])
def test_an_answer_whose_fence_is_wrong_ends_where_the_document_does(end: str) -> None:
    document = "# Title\n\nsome text\n\nthe end\n"
    model = ScriptedModel([f"````md\n# Title\n\nother text\n\nthe end{end}"])
    result = Engine(model).edit(EditRequest(Snapshot(document), "x", name="a.md"))
    assert result.best.text == document.replace("some", "other")


def test_an_answer_without_a_fence_that_ends_elsewhere_is_refused() -> None:
    model = ScriptedModel(["```\none\ntwo\n"])
    with pytest.raises(OutputTruncated):
        Engine(model).edit(EditRequest(Snapshot("one\ntwo\nthree\n"), "x"))


def test_a_control_token_in_an_answer_is_refused() -> None:
    class Controlling(ScriptedModel):
        def _ranked(self, scored: int) -> list[dict[int, float]]:
            first = len(self.tokens) - scored + 1
            contexts = (self.tokens[: first + i] for i in range(scored))
            rows = zip(contexts, super()._ranked(scored), strict=True)
            return [{START: -0.1} if context[-5:] == list(b"two\nt") else row for context, row in rows]

    model = Controlling([fenced("one\ntwo\nthree\n")])
    with pytest.raises(OutputRejected, match="control token"):
        Engine(model).edit(EditRequest(Snapshot("one\n2\n"), "x"))


def test_too_many_new_tokens_are_refused_with_the_numbers() -> None:
    new_text = "".join(f"entirely new text {i * i}\n" for i in range(100))
    model = ScriptedModel([fenced(new_text)])
    engine = Engine(model, EngineSettings(max_new_tokens=500))
    with pytest.raises(OutputTruncated, match=r"\(5\d\d of them new, limit 500"):
        engine.edit(EditRequest(Snapshot("short\n"), "x"))


def test_endless_repetition_is_stopped() -> None:
    model = ScriptedModel([fenced("again and again\n" * 2000)])
    with pytest.raises(OutputRepeats, match="16 tokens"):
        Engine(model).edit(EditRequest(Snapshot("short\n"), "x"))
    assert len(model.calls) < 600


@pytest.mark.parametrize(
    "line",
    [
        "# ... existing code ...",
        "    // ... rest of the file",
        "<!-- ... unchanged ... -->",
        "# rest of the code remains the same...",
    ],
)
def test_a_placeholder_is_refused_and_one_that_was_there_is_not(line: str) -> None:
    with pytest.raises(PlaceholderFound, match="placeholder"):
        edit(DOCUMENT, f"{LINES[0]}{line}\n")
    document = f"a\n{line}\nb\n"
    assert edit(document, f"a\n{line}\nc\n").best.text == f"a\n{line}\nc\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 0\n", "```python\nx = 1\n"),
        ("x = 0\n", "~~~\nx = 1\n"),
        ("x = 0\n", "<think>\nwhy not\n</think>\nx = 1\n"),
        ("x = 0\ny = 0\n", "x = 0\n  </THINKING>\ny = 1\n"),
    ],
)
def test_what_a_model_wraps_its_text_in_is_refused(before: str, after: str) -> None:
    fence = "````"
    with pytest.raises(OutputRejected, match="nothing was changed"):
        Engine(ScriptedModel([fenced(after, "md", fence)])).edit(EditRequest(Snapshot(before), "one", name="a.md"))
    for text, instruction in [(before, "Put it into a code block after <think>."), (after, "Leave it.")]:
        answer = after.replace("x = 1", "x = 2")
        model = ScriptedModel([fenced(answer, "md", fence)])
        result = Engine(model).edit(EditRequest(Snapshot(text), instruction, name="a.md"))
        assert result.best.text == answer


class TestSweepingDeletion:
    PART = "".join(LINES[20:40]).replace("line number 30 of", "line 30 of")

    def request(self, instruction: str) -> EditRequest:
        return EditRequest(Snapshot(DOCUMENT), instruction)

    def test_an_answer_that_is_only_a_part_is_refused(self) -> None:
        with pytest.raises(SweepingDeletion, match="stopped before the last 20 of 60 lines"):
            Engine(ScriptedModel([fenced(self.PART)])).edit(self.request("Say line 30."))

    def test_an_answer_without_its_middle_is_refused(self) -> None:
        with pytest.raises(SweepingDeletion, match="left out 40 of 60 lines"):
            Engine(ScriptedModel([fenced("".join(LINES[:10] + LINES[50:]))])).edit(self.request("Say line 3."))

    def test_another_answer_is_looked_for_instead(self) -> None:
        whole = DOCUMENT.replace("line number 30 of", "line 30 of")
        model = ScriptedModel([fenced(self.PART), fenced(whole)])
        assert Engine(model).edit(self.request("Say line 30.")).best.text == whole

    def test_it_is_allowed_where_it_was_asked_for(self) -> None:
        model = ScriptedModel([fenced(self.PART)])
        assert Engine(model).edit(self.request("Delete all but lines 21-40.")).best.text == self.PART

    def test_an_answer_that_stops_early_is_made_to_go_on(self) -> None:
        """The model closes the fence ten lines early, and copies the rest once it stands there."""
        after = DOCUMENT.replace("line number 30 of", "line 30 of")
        short = "".join(after.splitlines(keepends=True)[:50])
        result = Engine(ScriptedModel([fenced(short), fenced(after)])).edit(self.request("Say line 30."))
        assert result.best.text == after
        assert result.best.origin == "completed"

    def test_an_answer_that_goes_on_and_changes_nothing_is_searched_like_any_other(self) -> None:
        after = DOCUMENT.replace("line number 30 of", "line 30 of")
        short = "".join(LINES[:50])
        result = Engine(ScriptedModel([fenced(short), fenced(DOCUMENT), fenced(after)])).edit(self.request("Fix it."))
        assert result.best.text == after

    def test_a_tail_may_be_replaced_or_deleted_where_that_was_asked(self) -> None:
        short = "".join(LINES[:50])
        assert Engine(ScriptedModel([fenced(short)])).edit(self.request("Delete the end.")).best.text == short
        other = short + "".join(f"other {i}\n" for i in range(2))
        assert Engine(ScriptedModel([fenced(other)])).edit(self.request("Fix the end.")).best.text == other

    def test_a_few_lines_may_go(self) -> None:
        kept = "".join([*LINES[:20], *LINES[28:]])
        assert Engine(ScriptedModel([fenced(kept)])).edit(self.request("Fix it.")).best.text == kept


@pytest.mark.parametrize(
    "line", ["...", "raise NotImplementedError  # ...", "print('... and more')", "# see the rest below"]
)
def test_an_ellipsis_that_is_code_passes(line: str) -> None:
    assert edit("a\nb\n", f"a\n{line}\n").best.text == f"a\n{line}\n"


def test_no_change_starts_a_search_and_the_likeliest_departure_wins() -> None:
    better, worse = replaced(10, "line number X of the file"), replaced(20, "line number Y of the file")
    result = edit(DOCUMENT, DOCUMENT, better, worse)
    assert [c.origin for c in result.candidates] == ["departure", "departure", "greedy"]
    assert [c.text for c in result.candidates] == [better, worse, DOCUMENT]
    assert not result.candidates[-1].changed


def test_no_change_anywhere_is_an_unchanged_result() -> None:
    result = edit(DOCUMENT, DOCUMENT)
    assert not result.best.changed
    assert result.best.hunks == ()


def test_a_departure_that_rambles_on_is_given_up() -> None:
    """It would keep a person waiting for minutes, and is not the edit that was meant."""
    rambling = "A" + "".join(f"entirely new text {i * i}\n" for i in range(400))
    short = replaced(20, "line number Y of the file")
    model = ScriptedModel([fenced(DOCUMENT), fenced(rambling), fenced(short)])
    result = Engine(model).edit(EditRequest(Snapshot(DOCUMENT), "x"))
    assert [candidate.text for candidate in result.candidates] == [short, DOCUMENT]
    assert len(model.calls) < 400  # 842 for the whole of it


def test_more_candidates_on_demand() -> None:
    first, second = replaced(10, "line number X of the file"), replaced(20, "line number Y of the file")
    assert len(edit(DOCUMENT, first, second).candidates) == 1
    result = edit(DOCUMENT, first, second, candidates=2)
    assert result.best.text == first
    assert result.best.origin == "greedy"


def test_departures_that_add_blank_lines_alone_are_left_out_and_indentation_counts() -> None:
    result = edit(
        DOCUMENT, DOCUMENT, replaced(10, LINES[9].rstrip("\n"), ""), replaced(20, "line number Y of the file")
    )
    assert [c.text for c in result.candidates if c.changed] == [replaced(20, "line number Y of the file")]
    indented = replaced(10, "  " + LINES[9].rstrip("\n"))
    assert edit(DOCUMENT, DOCUMENT, indented).best.text == indented


def test_a_document_that_repeats_itself_may_be_changed_all_along() -> None:
    before, after = "total = total + 1\n" * 20, "amount = amount + 1\n" * 20
    assert edit(before, after).best.text == after


@pytest.mark.parametrize("times", [2, 6])
def test_equal_passages_are_not_taken_for_one_another(times: int) -> None:
    before = "def bill(total):\n    # what it costs\n    return total + 1\n" * 3
    result = edit(before, before.replace("total", "amount", times))
    touched = [line for hunk in result.best.hunks for line in hunk.lines]
    assert touched == [line for line in range(9) if line % 3 != 1][:times]


def test_other_candidates_depart_from_the_source_and_not_from_the_first_answer() -> None:
    first, second = replaced(10, "line number X of the file"), replaced(20, "line number Y of the file")
    texts = [c.text for c in edit(DOCUMENT, first, DOCUMENT, second, candidates=3).candidates]
    assert texts == [first, second]


def test_departures_share_the_prefix() -> None:
    model = ScriptedModel([fenced(DOCUMENT), fenced(replaced(10, "line number X of the file"))])
    result = Engine(model, EngineSettings(search_width=3)).edit(EditRequest(Snapshot(DOCUMENT), "x"))
    assert result.best.changed
    assert sum(model.calls) < result.cost.prompt_tokens + 5 * len(DOCUMENT)
    assert result.cost.reused_tokens == 0  # the prompt was read once


class TestKeptContext:
    """The document's keys and values are kept between edits of the same document."""

    def test_another_instruction_reads_only_itself(self) -> None:
        model = ScriptedModel([fenced(replaced(30, "new"))])
        engine = Engine(model)
        engine.edit(EditRequest(Snapshot(DOCUMENT), "first"))
        cost = engine.edit(EditRequest(Snapshot(DOCUMENT), "second")).cost
        assert cost.reused_tokens > len(DOCUMENT)
        assert cost.prompt_tokens < 200

    def test_a_small_change_reads_only_what_follows_it(self) -> None:
        model = ScriptedModel([fenced(replaced(30, "new"))])
        engine = Engine(model)
        engine.edit(EditRequest(Snapshot(DOCUMENT), "first"))
        changed = replaced(58, "line number 58 of this file")
        cost = engine.edit(EditRequest(Snapshot(changed), "second")).cost
        assert cost.reused_tokens > len("".join(LINES[:57]))
        assert cost.prompt_tokens < len("".join(LINES[57:])) + 200

    def test_the_answer_is_the_same_as_without_it(self) -> None:
        model = ScriptedModel([fenced(replaced(30, "new"))])
        engine = Engine(model)
        first = engine.edit(EditRequest(Snapshot(DOCUMENT), "first")).best
        assert engine.edit(EditRequest(Snapshot(DOCUMENT), "second")).best.text == first.text


class TestCancel:
    def test_at_every_forward_it_stops_and_leaves_nothing_behind(self) -> None:
        document = "".join(LINES[:8])
        answers = [fenced(document), fenced(document.replace("line number 3 ", "line 3 "))]
        request = EditRequest(Snapshot(document), "x")
        whole = ScriptedModel(answers)
        expected = Engine(whole).edit(request).best.text
        for stop_at in range(len(whole.calls)):
            model = ScriptedModel(answers)
            engine = Engine(model)
            with pytest.raises(Cancelled):
                engine.edit(request, cancelled=lambda m=model, n=stop_at: len(m.calls) >= n)
            assert len(model.calls) == stop_at
            assert engine.edit(request).best.text == expected


class TestRequest:
    def test_an_empty_instruction_is_refused(self) -> None:
        with pytest.raises(UsageError, match="instruction is empty"):
            Engine(ScriptedModel([])).edit(EditRequest(Snapshot("a\n"), "  \n"))

    @pytest.mark.parametrize("scope", [LineRange(0, 3), LineRange(2, 2), LineRange(1, 1)])
    def test_lines_that_are_not_there_are_refused(self, scope: LineRange) -> None:
        with pytest.raises(UsageError, match="has 2 lines"):
            Engine(ScriptedModel([])).edit(EditRequest(Snapshot("a\nb\n"), "x", scope))

    def test_what_cannot_fit_is_refused_before_any_work(self) -> None:
        model = ScriptedModel([fenced(DOCUMENT)], context_size=2000)
        with pytest.raises(ContextTooLong, match=r"needs about \d+ tokens.*holds 2000") as caught:
            Engine(model).edit(EditRequest(Snapshot(DOCUMENT), "x"))
        assert caught.value.needed > 3000
        assert model.calls == []

    def test_a_full_context_cuts_the_answer_and_is_refused(self) -> None:
        new_text = "".join(f"entirely new text {i * i}\n" for i in range(100))
        model = ScriptedModel([fenced(new_text)], context_size=800)
        with pytest.raises(OutputTruncated, match="context 800"):
            Engine(model).edit(EditRequest(Snapshot("short\n"), "x"))


def test_events_tell_the_edit_as_it_goes() -> None:
    after = replaced(30, "another text")
    events = []
    Engine(ScriptedModel([fenced(after)])).edit(EditRequest(Snapshot(DOCUMENT), "x"), on_event=events.append)
    written = "".join(event.text for event in events if isinstance(event, TextGenerated))
    copied = {line for event in events if isinstance(event, LinesCopied) for line in event.lines}
    assert written == "another text\n"
    assert copied == {*range(29), *range(30, 60)}


def test_end_tokens_of_the_double_are_special() -> None:
    assert ScriptedModel([]).tokenizer.vocabulary[END] is None
