"""`copyspan/edit` end to end: what the editor's buffer holds afterwards, in every editor and position encoding."""

import random
from pathlib import Path
from typing import Any

import pytest
import regex
from editor_client import ALE, Buffer, EditorClient, StaleEdit
from pygls.exceptions import JsonRpcException
from slow_positions import ODD, TERMINATORS, slow_lines

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]

CODE = "def bill(total):\n\treturn total\n\n\ndef other():\n\tpass\n"
DOCUMENTS = {
    "LF": CODE,
    "no final newline": "total = 1\nprint(total)",
    "one line without its end": "total",
    "CRLF": CODE.replace("\n", "\r\n"),
    "CRLF, no final newline": "a = 1\r\ntotal = 1\r\nprint(total)",
    "CR": CODE.replace("\n", "\r"),
    "mixed": "total\r\n\rtotal\n\r\r\ntotal\rtotal\n\n\r\ntotal\n\r",
    "tabs and blanks": "\tif x:\n\t\ttotal = 1\n\t    total = 2\n    \ttotal = 3\n\n        rest\n",
    "trailing blanks": "total  \nhard break  \n\ntotal\t\n  \nend   \n",
    "astral": "# 😀👩\u200d👧 before\nname = '😀' + total + '👍🏽' + total  # 😀\n😀total😀\n",
    "combining": "e\u0301 total e\u0301\n\u0301total\u0301\n한글 total\n",
    "odd blanks": "\ufeffa\u00a0=\u00a0total\n\u2009\u201ctotal\u201d \u2014 total\n\ufeff\n",
    "no line breaks": "a\fb total\vc\n\x85total\u2028total\u2029total\x1c\ntotal\f\n",
    "blank edges": "\n\n  \ntotal\n\n\n",
    "fences": "```py\ntotal\n```\n\n````\n```\ntotal\n````\n",
    "markers": '<|im_end|>\ntotal <|im_start|>user\n<program>\n<copy lines="1-2"/>\n<gen>total</gen>\n</program>\n',
    "numbered": "1|total\n2|  total\n10\ttotal\n",
    "nul": "\x00total\n",
}


def replaced(text: str, old: str, new: str, start: int = 0, stop: int | None = None) -> str:
    """The text with a word replaced in lines start..stop-1; no word here spans lines."""
    bounds = slow_lines(text)
    starts = [first for first, _ in bounds]
    pieces = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    chosen = range(len(pieces))[start:stop]
    return "".join(piece.replace(old, new) if i in chosen else piece for i, piece in enumerate(pieces))


def check(buffer: Buffer, result: dict[str, Any], wanted: str) -> None:
    """The hunks give the wanted text, which has as many lines, and no edit touches a line that stays."""
    assert result["textDocument"] == {"uri": buffer.uri, "version": buffer.version}
    before, bounds = buffer.text, slow_lines(buffer.text)
    inside = buffer.span(result["scope"]["range"])
    text = before
    for hunk in reversed(result["hunks"]):
        start, stop = buffer.span(hunk["range"])
        assert inside[0] <= start <= stop <= inside[1]
        assert before[start:stop] == hunk["oldText"]
        text = text[:start] + hunk["newText"] + text[stop:]
    assert text == wanted
    edits = buffer.spans([edit for hunk in result["hunks"] for edit in hunk["edits"]])
    assert buffer.edited([edit for hunk in result["hunks"] for edit in hunk["edits"]]) == wanted
    new_bounds = slow_lines(wanted)
    stays = [before[a:b] == wanted[c:d] for (a, b), (c, d) in zip(bounds, new_bounds, strict=True)]
    for start, stop, _ in edits:
        for (a, b), stay in zip(bounds, stays, strict=True):
            touches = start <= b and stop > a if start < stop else a <= start <= b
            assert not (stay and touches), "a line that stays is touched"


def check_borders(text: str, edits: list[tuple[int, int, str]]) -> None:
    """No edit begins or ends inside a CRLF or inside what a person takes for one character, nor is one a lone CR."""
    borders = {0, *(found.end() for found in regex.finditer(r"\X", text))}
    for start, stop, new in edits:
        assert {start, stop} <= borders
        assert "\r" not in (new, text[start:stop]) or "\r\n" not in text


async def test_an_edit_does_what_it_says_and_leaves_the_rest(any_editor: EditorClient) -> None:
    for text in DOCUMENTS.values():
        buffer = any_editor.open(text)
        result = await any_editor.edit(buffer, "replace total with amount")
        wanted = replaced(text, "total", "amount")
        widened = any_editor.kind is ALE and not text.isascii()
        if not widened:
            check(buffer, result, wanted)
            check_borders(text, buffer.spans([edit for hunk in result["hunks"] for edit in hunk["edits"]]))
        if (widened and text.endswith(("\n", "\r"))) or not widened:
            any_editor.apply(result["edit"])
            assert buffer.text == wanted
        any_editor.close(buffer)


async def test_any_document_in_any_selection(any_editor: EditorClient) -> None:
    choice = random.Random(any_editor.kind.name)
    whole = [piece for piece in ODD if not any("\ud800" <= character <= "\udfff" for character in piece)]
    pieces = [*TERMINATORS * 2, *["total"] * 4, *whole]
    for _ in range(40):
        text = "".join(choice.choices(pieces, k=choice.randint(1, 30))) + "\n"
        starts = [start for start, _ in slow_lines(text)]
        first, last = sorted(choice.choices(range(len(starts) - 1), k=2))
        buffer = any_editor.open(text)
        selection = buffer.range(starts[first], starts[last + 1])
        result = await any_editor.edit(buffer, "replace total with amount", range=selection)
        wanted = replaced(text, "total", "amount", first, last + 1)
        if result["hunks"]:
            any_editor.apply(result["edit"])
        assert buffer.text == wanted, (text, first, last)
        any_editor.close(buffer)


async def test_half_characters_are_not_replaced_by_halves(any_editor: EditorClient) -> None:
    """Where old and new share the first half of a surrogate pair, or the beginning of a cluster."""
    for old, new in [("😀", "😁"), ("👩\u200d👧", "👩\u200d👦"), ("e\u0301", "e"), ("👍🏽", "👍🏿"), ("é", "ê")]:
        buffer = any_editor.open(f"a = '😀{old}'  # {old}\n")
        result = await any_editor.edit(buffer, f"replace {old} with {new}")
        check_borders(buffer.text, buffer.spans([edit for hunk in result["hunks"] for edit in hunk["edits"]]))
        any_editor.apply(result["edit"])
        assert buffer.undo[0].replace(old, new) == buffer.text


async def test_lines_are_added_and_deleted_at_the_end(any_editor: EditorClient) -> None:
    for newline in ("\n", "\r\n", "\r"):
        for end in (newline, ""):
            text = newline.join(["first", "last"]) + end
            for instruction, lines in [
                ("append new", ["first", "last", "new"]),
                ("delete last", ["first"]),
                ("replace last with LAST", ["first", "LAST"]),
            ]:
                buffer = any_editor.open(text)
                result = await any_editor.edit(buffer, instruction)
                any_editor.apply(result["edit"])
                assert buffer.text == newline.join(lines) + end, (instruction, text)


async def test_an_empty_document_is_filled(any_editor: EditorClient) -> None:
    buffer = any_editor.open("")
    result = await any_editor.edit(buffer, "append hello")
    any_editor.apply(result["edit"])
    assert buffer.text.rstrip("\n") == "hello"
    assert result["scope"]["kind"] == "document"


async def test_a_document_may_lose_all_its_lines(any_editor: EditorClient) -> None:
    buffer = any_editor.open("only\r\n")
    result = await any_editor.edit(buffer, "delete only")
    any_editor.apply(result["edit"])
    assert buffer.text.strip() == ""


class TestScope:
    TEXT = "".join(f"    total = {i}\n" for i in range(60))

    async def test_a_selection_of_some_lines_confines_the_edit(self, any_editor: EditorClient) -> None:
        buffer = any_editor.open(self.TEXT)
        result = await any_editor.edit(buffer, "replace total with amount", range=buffer.lines(20, 23))
        assert result["scope"]["kind"] == "selection"
        assert result["scope"]["title"] == "lines 21-23"
        check(buffer, result, replaced(self.TEXT, "total", "amount", 20, 23))

    @pytest.mark.parametrize(
        ("start", "end", "lines"),
        [
            ((20, 0), (23, 0), (20, 23)),
            ((20, 6), (22, 7), (20, 23)),
            ((20, 6), (20, 7), (20, 21)),
            ((20, 14), (21, 0), (20, 21)),
            ((23, 0), (20, 0), (20, 23)),
            ((58, 0), (60, 0), (58, 60)),
            ((58, 0), (99, 9), (58, 60)),
            ((20, 0), (20, 99), (20, 21)),
        ],
    )
    async def test_a_selection_means_whole_lines_but_not_one_at_whose_start_it_ends(
        self, editor: EditorClient, start: tuple[int, int], end: tuple[int, int], lines: tuple[int, int]
    ) -> None:
        buffer = editor.open(self.TEXT)
        where = {"start": dict(zip(("line", "character"), start, strict=True))}
        where["end"] = dict(zip(("line", "character"), end, strict=True))
        result = await editor.edit(buffer, "replace total with amount", range=where)
        check(buffer, result, replaced(self.TEXT, "total", "amount", *lines))
        assert len(result["hunks"]) == 1
        assert result["changedLines"] == lines[1] - lines[0]

    async def test_first_and_last_line_of_a_selection_are_two_hunks(self, editor: EditorClient) -> None:
        text = "".join(f"    {'edge' if i in (10, 49) else 'line'}({i})\n" for i in range(60))
        buffer = editor.open(text)
        result = await editor.edit(buffer, "replace edge with rim", range=buffer.lines(10, 50))
        check(buffer, result, text.replace("edge", "rim"))
        assert [hunk["range"]["start"]["line"] for hunk in result["hunks"]] == [10, 49]
        assert [len(hunk["edits"]) for hunk in result["hunks"]] == [1, 1]

    async def test_indentation_comes_back(self, editor: EditorClient) -> None:
        text = "class A:\n\tdef f(self):\n\t    total = 1\n\n\t    return total\n"
        buffer = editor.open(text)
        result = await editor.edit(buffer, "replace total with amount", range=buffer.lines(2, 5))
        check(buffer, result, text.replace("total", "amount"))

    async def test_an_empty_selection_is_a_cursor(self, editor: EditorClient) -> None:
        buffer = editor.open(CODE)
        result = await editor.edit(buffer, "replace total with amount", range=buffer.lines(0, 0))
        assert result["scope"]["kind"] == "document"

    async def test_a_long_document_needs_a_selection_or_a_block(self, editor: EditorClient) -> None:
        function = "def f{0}(total):\n    total += {0}\n    return total\n\n\n"
        text = "".join(function.format(i) for i in range(800))
        buffer = editor.open(text)
        with pytest.raises(JsonRpcException, match=r"4000 lines.* at most 300 .*Select") as refused:
            await editor.edit(buffer, "replace total with amount")
        assert refused.value.data == {"kind": "UsageError"}
        cursor = buffer.at("    total += 400\n")
        result = await editor.edit(buffer, "replace total with amount", position=cursor)
        check(buffer, result, replaced(text, "total", "amount", 2000, 2003))
        assert result["scope"]["kind"] == "block"
        result = await editor.edit(buffer, "replace total with amount", range=buffer.lines(2001, 2002))
        check(buffer, result, replaced(text, "total", "amount", 2001, 2002))
        assert (result["changedLines"], result["totalLines"]) == (1, 4000)


async def test_the_buffer_is_the_truth_and_not_the_file(editor: EditorClient, tmp_path: Path) -> None:
    path = tmp_path / "bill.py"
    path.write_text("total = 'on disk'\n")
    buffer = editor.open("total = 'in the buffer'\nunsaved\n", uri=path.as_uri())
    editor.insert(buffer, "unsaved", "more ")
    editor.apply((await editor.edit(buffer, "replace total with amount"))["edit"])
    assert buffer.text == "amount = 'in the buffer'\nmore unsaved\n"
    assert path.read_text() == "total = 'on disk'\n"


@pytest.mark.parametrize("escaped", ["file:///c%3A/x%20y.py", "file:///c:/x%20y.py", "untitled:Untitled-1"])
async def test_documents_are_named_as_their_client_names_them(editor: EditorClient, escaped: str) -> None:
    buffer = editor.open("total\n", uri=escaped)
    named = {"uri": escaped.replace("%3A", ":"), "version": buffer.version}
    result = await editor.ask("copyspan/edit", {"textDocument": named, "instruction": "replace total with amount"})
    assert result["textDocument"]["uri"] == buffer.uri
    editor.apply(result["edit"])
    assert buffer.text == "amount\n"


async def test_an_edit_is_for_one_version_and_one_undo_step(any_editor: EditorClient) -> None:
    buffer = any_editor.open("total\nx\ntotal\n")
    any_editor.insert(buffer, "x", "y")
    result = await any_editor.edit(buffer, "replace total with amount")
    before = buffer.text
    if "documentChanges" in result["edit"]:
        [change] = result["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": buffer.uri, "version": buffer.version}
        any_editor.type(buffer, 0, 0, "# ")
        with pytest.raises(StaleEdit):
            any_editor.apply(result["edit"])
        assert buffer.text == f"# {before}"
    else:
        assert [*result["edit"]["changes"]] == [buffer.uri]
        any_editor.apply(result["edit"])
        assert buffer.undo == [before]


async def test_a_request_about_an_old_version_is_refused(editor: EditorClient) -> None:
    buffer = editor.open("total\n")
    old = buffer.version
    editor.insert(buffer, "total", "x")
    document = {"uri": buffer.uri, "version": old}
    with pytest.raises(JsonRpcException, match=f"version {old} .*version {buffer.version}") as refused:
        await editor.ask("copyspan/edit", {"textDocument": document, "instruction": "replace total with amount"})
    assert refused.value.code == -32801
    assert refused.value.data == {"kind": "ContentModified"}


class TestHunks:
    TEXT = "total 1\nstay\ntotal 2\nstay\nstay\ntotal 3"

    async def test_any_choice_of_hunks_can_be_accepted(self, any_editor: EditorClient) -> None:
        buffer = any_editor.open(self.TEXT)
        hunks = (await any_editor.edit(buffer, "replace total with amount"))["hunks"]
        assert len(hunks) == 3
        for choice in range(8):
            chosen = [i for i in range(3) if choice >> i & 1]
            edits = [edit for i in chosen for edit in hunks[i]["edits"]]
            wanted = self.TEXT
            for i in chosen:
                wanted = replaced(wanted, "total", "amount", [0, 2, 5][i], [0, 2, 5][i] + 1)
            assert buffer.edited(edits) == wanted

    async def test_hunks_are_accepted_one_by_one_in_any_order(self, editor: EditorClient) -> None:
        """The editor moves the others by what it accepted; each still stands where its old lines stand."""
        for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
            buffer = editor.open(self.TEXT)
            result = await editor.edit(buffer, "replace total with amounts")
            places = [buffer.span(hunk["range"]) for hunk in result["hunks"]]
            for i in order:
                old, new = result["hunks"][i]["oldText"], result["hunks"][i]["newText"]
                start, stop = places[i]
                assert buffer.text[start:stop] == old
                editor.type(buffer, start, stop, new)
                growth = len(new) - len(old)
                places = [(a + growth, b + growth) if a >= stop else (a, b) for a, b in places]
            assert buffer.text == self.TEXT.replace("total", "amounts")
            again = await editor.edit(buffer, "replace amounts with sum")  # the server followed
            editor.apply(again["edit"])
            assert buffer.text == self.TEXT.replace("total", "sum")

    async def test_a_rejected_edit_leaves_nothing_behind(self, editor: EditorClient) -> None:
        buffer = editor.open(self.TEXT)
        version = buffer.version
        await editor.edit(buffer, "replace total with amount")
        await editor.settled()
        assert (buffer.text, buffer.version) == (self.TEXT, version)
        assert not [method for method, _ in editor.requests if method == "workspace/applyEdit"]


class TestCandidates:
    async def test_the_next_candidate_is_for_the_text_as_it_is(self, any_editor: EditorClient) -> None:
        text = "total\nx\ntotal\n"
        buffer = any_editor.open(text)
        first = await any_editor.edit(buffer, "replace total with amount or sum")
        second = await any_editor.ask("copyspan/next", {"editId": first["editId"]})
        assert (first["candidate"], second["candidate"]) == (1, 2)
        any_editor.apply(second["edit"])
        assert buffer.text == "total\nx\nsum\n"

    async def test_the_next_candidate_takes_the_place_of_an_applied_one(self, any_editor: EditorClient) -> None:
        buffer = any_editor.open("total\nx\ntotal\n")
        first = await any_editor.edit(buffer, "replace total with amount or sum")
        any_editor.apply(first["edit"])
        assert buffer.text == "amount\nx\namount\n"
        second = await any_editor.ask("copyspan/next", {"editId": first["editId"]})
        any_editor.apply(second["edit"])
        assert buffer.text == "total\nx\nsum\n"

    async def test_the_end_is_said_in_words(self, editor: EditorClient) -> None:
        buffer = editor.open("total\nx\n")
        first = await editor.edit(buffer, "replace total with amount")
        with pytest.raises(JsonRpcException, match="No other candidate") as refused:
            await editor.ask("copyspan/next", {"editId": first["editId"]})
        assert refused.value.data == {"kind": "NoMoreCandidates"}

    async def test_an_edit_that_is_over_has_no_next(self, editor: EditorClient) -> None:
        buffer = editor.open("total\n")
        first = await editor.edit(buffer, "replace total with amount or sum")
        editor.close(buffer)
        with pytest.raises(JsonRpcException, match="over") as refused:
            await editor.ask("copyspan/next", {"editId": first["editId"]})
        assert refused.value.data == {"kind": "ContentModified"}

    async def test_a_search_begins_where_nothing_would_change(self, editor: EditorClient) -> None:
        buffer = editor.open("total\nx\ntotal\n")
        result = await editor.edit(buffer, "leave it, or replace total with amount")
        editor.apply(result["edit"])
        assert "amount" in buffer.text
        assert result["origin"] == "departure"


class TestRefusals:
    async def refuse(self, editor: EditorClient, text: str, instruction: str, kind: str, words: str) -> None:
        buffer = editor.open(text)
        with pytest.raises(JsonRpcException, match=words) as refused:
            await editor.edit(buffer, instruction)
        assert refused.value.data == {"kind": kind}
        again = await editor.edit(buffer, "append fine")
        editor.apply(again["edit"])
        assert buffer.text == text + "fine\n"

    async def test_an_answer_with_a_placeholder_is_refused(self, editor: EditorClient) -> None:
        text = "".join(f"line {i}\n" for i in range(9))
        await self.refuse(editor, text, "write the placeholder", "PlaceholderFound", "nothing was changed")

    async def test_an_answer_without_its_end_is_refused(self, editor: EditorClient) -> None:
        text = "".join(f"line {i}\n" for i in range(40))
        await self.refuse(editor, text, "leave out the end", "SweepingDeletion", "nothing was changed")

    async def test_thoughts_are_refused_and_explanations_not_read(self, editor: EditorClient) -> None:
        await self.refuse(editor, "total\n", "wrap it", "OutputRejected", "thoughts")
        buffer = editor.open("total\n")
        editor.apply((await editor.edit(buffer, "explain it, replace total with amount"))["edit"])
        assert buffer.text == "amount\n"

    async def test_an_empty_instruction_is_refused(self, editor: EditorClient) -> None:
        await self.refuse(editor, "a\n", "  ", "UsageError", "instruction is empty")

    async def test_half_a_character_is_refused_with_its_line(self, editor: EditorClient) -> None:
        buffer = editor.open("a\n??\n", told="a\n\ud83d\n")
        with pytest.raises(JsonRpcException, match="Line 2 holds half a character") as refused:
            await editor.edit(buffer, "replace a with b")
        assert refused.value.data == {"kind": "SourceError"}

    async def test_a_document_that_is_not_open_is_refused(self, editor: EditorClient) -> None:
        with pytest.raises(JsonRpcException, match=r"file:///nowhere\.py is not open") as refused:
            await editor.ask("copyspan/edit", {"textDocument": {"uri": "file:///nowhere.py"}, "instruction": "x"})
        assert refused.value.data == {"kind": "UsageError"}

    async def test_no_change_is_said_in_words(self, editor: EditorClient) -> None:
        buffer = editor.open("nothing to do\n")
        result = await editor.edit(buffer, "replace total with amount")
        assert (result["hunks"], result["edit"], result["changedLines"]) == ([], {}, 0)
        assert "would change nothing in the whole document" in result["message"]
