"""The person goes on typing while the model works: the edit follows where that is safe, else it is refused."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from editor_client import ALE, Buffer, EditorClient
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from scripted_sessions import Gate, connected

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]

TEXT = "above 😀\ntotal 1\nstay\ntotal 2\nbelow é\n"
TASK = "replace total with amount"


class Meanwhile:
    """An edit of a text without its first and last line that is on its way, and waits until `finish`."""

    def __init__(self, editor: EditorClient, gate: Gate, text: str = TEXT, **rest: Any) -> None:
        self._editor, self._gate = editor, gate
        self.buffer = editor.open(text)
        selected = self.buffer.lines(1, text.count("\n") - 1)
        self._edit = editor.edit(self.buffer, f"{TASK} {gate}", range=selected, **rest)

    async def started(self) -> Buffer:
        uri = self.buffer.uri
        await self._editor.until(lambda: self._editor.statuses and self._editor.statuses[-1].get("document") == uri)
        return self.buffer

    async def refused(self) -> JsonRpcException:
        """The answer, before the model may go on."""
        with pytest.raises(JsonRpcException) as refused:
            await self._edit
        assert refused.value.code == types.LSPErrorCodes.ContentModified
        return refused.value

    async def finish(self) -> dict[str, Any]:
        await self._editor.settled()
        assert not self._edit.done()
        self._gate.open()
        result = await self._edit
        assert result["textDocument"] == {"uri": self.buffer.uri, "version": self.buffer.version}
        self._editor.apply(result["edit"])
        return result


class TestTyping:
    async def test_above_and_below_moves_the_edit(self, any_editor: EditorClient, gate: Gate) -> None:
        edit = Meanwhile(any_editor, gate)
        buffer = await edit.started()
        any_editor.insert(buffer, "above", "new line\nand another\n")
        any_editor.type(buffer, len(buffer.text), len(buffer.text), "the end 😀")
        any_editor.insert(buffer, "😀\ntotal", "😀")
        result = await edit.finish()
        assert buffer.text == "new line\nand another\nabove 😀😀\namount 1\nstay\namount 2\nbelow é\nthe end 😀"
        assert [hunk["range"]["start"]["line"] for hunk in result["hunks"]] == [3, 5]
        assert result["scope"]["range"] == {"start": {"line": 3, "character": 0}, "end": {"line": 6, "character": 0}}

    async def test_deleting_above_moves_it_up(self, any_editor: EditorClient, gate: Gate) -> None:
        edit = Meanwhile(any_editor, gate)
        buffer = await edit.started()
        any_editor.type(buffer, 0, buffer.text.index("total"), "")
        await edit.finish()
        assert buffer.text == "amount 1\nstay\namount 2\nbelow é\n"

    async def test_lines_directly_above_and_below_are_not_in_its_way(
        self, any_editor: EditorClient, gate: Gate
    ) -> None:
        edit = Meanwhile(any_editor, gate)
        buffer = await edit.started()
        any_editor.insert(buffer, "total 1", "total x\n")
        any_editor.insert(buffer, "below", "total y\n")
        await edit.finish()
        assert buffer.text == "above 😀\ntotal x\namount 1\nstay\namount 2\ntotal y\nbelow é\n"

    @pytest.mark.parametrize("place", ["tal 1", "stay", "\nbelow", "total 1"])
    async def test_inside_is_refused_at_once(self, any_editor: EditorClient, gate: Gate, place: str) -> None:
        edit = Meanwhile(any_editor, gate)
        buffer = await edit.started()
        any_editor.insert(buffer, place, "typed")
        error = await edit.refused()
        assert "were changed while they were being edited" in error.message
        assert buffer.text == TEXT.replace(place, f"typed{place}", 1)
        assert buffer.undo == []

    async def test_deleting_a_part_or_all_of_it_is_refused(self, editor: EditorClient, gate: Gate) -> None:
        for start, stop in [("total 1", "stay"), ("above", "total 2"), ("total 1", "below"), ("stay", "below")]:
            edit = Meanwhile(editor, gate)
            buffer = await edit.started()
            editor.type(buffer, TEXT.index(start), TEXT.index(stop), "")
            await edit.refused()

    async def test_joining_its_first_or_last_line_is_refused(self, editor: EditorClient, gate: Gate) -> None:
        for end in ("\ntotal 1", "\nbelow"):
            edit = Meanwhile(editor, gate)
            buffer = await edit.started()
            place = TEXT.index(end)
            editor.type(buffer, place, place + 1, "")
            await edit.refused()

    async def test_what_is_taken_back_is_as_if_it_had_not_been(self, any_editor: EditorClient, gate: Gate) -> None:
        """Outside the lines; inside, the edit is refused before anything can be taken back."""
        edit = Meanwhile(any_editor, gate)
        buffer = await edit.started()
        any_editor.insert(buffer, "above", "x\ny\n")
        any_editor.type(buffer, 0, 4, "")
        await edit.finish()
        assert buffer.text == TEXT.replace("total", "amount")

    async def test_another_document_is_another_matter(self, editor: EditorClient, gate: Gate) -> None:
        edit = Meanwhile(editor, gate)
        await edit.started()
        other = editor.open(TEXT)
        editor.type(other, 0, len(TEXT), "")
        editor.close(other)
        await edit.finish()
        assert edit.buffer.text == TEXT.replace("total", "amount")

    async def test_while_it_waits_for_its_turn(self, editor: EditorClient, gate: Gate) -> None:
        busy = editor.edit(editor.open("total\n"), f"{TASK} {gate}")
        edit = Meanwhile(editor, gate)
        editor.insert(edit.buffer, "above", "new line\n")
        await edit.finish()
        await busy
        assert edit.buffer.text == "new line\n" + TEXT.replace("total", "amount")

    async def test_while_the_model_is_loaded(self, gate: Gate) -> None:
        async with connected(options={"model": f"slow {gate}"}) as editor:
            edit = Meanwhile(editor, gate)
            editor.insert(edit.buffer, "above", "new line\n")
            await edit.finish()
            assert edit.buffer.text == "new line\n" + TEXT.replace("total", "amount")


class TestWays:
    """How editors tell of changes."""

    async def change(self, editor: EditorClient, buffer: Buffer, *changes: dict[str, Any]) -> None:
        params = {"textDocument": {"uri": buffer.uri, "version": buffer.version + 1}, "contentChanges": changes}
        buffer.version += 1
        editor.text_document_did_change(editor.protocol._converter.structure(params, types.DidChangeTextDocumentParams))

    async def test_the_whole_text_at_once(self, editor: EditorClient, gate: Gate) -> None:
        edit = Meanwhile(editor, gate)
        buffer = await edit.started()
        for buffer.text in (f"new\n{TEXT}", f"new\n{TEXT}more\n"):
            await self.change(editor, buffer, {"text": buffer.text})
        await edit.finish()
        assert buffer.text == f"new\n{TEXT}more\n".replace("total", "amount")

    async def test_many_changes_in_one_message(self, editor: EditorClient, gate: Gate) -> None:
        edit = Meanwhile(editor, gate)
        buffer = await edit.started()
        start = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
        beyond = {"start": {"line": 99, "character": 0}, "end": {"line": 99, "character": 9}}
        await self.change(
            editor,
            buffer,
            {"range": start, "text": "one\n"},
            {"range": start, "text": "two\n"},
            {"range": beyond, "text": "end"},
        )
        buffer.text = f"two\none\n{TEXT}end"
        await edit.finish()
        assert buffer.text == f"two\none\n{TEXT}end".replace("total", "amount")

    async def test_a_new_version_without_a_change(self, editor: EditorClient, gate: Gate) -> None:
        edit = Meanwhile(editor, gate)
        buffer = await edit.started()
        await self.change(editor, buffer)
        await edit.finish()
        assert buffer.text == TEXT.replace("total", "amount")


async def test_partial_results_keep_the_positions_of_their_answer(editor: EditorClient, gate: Gate) -> None:
    text = "above\ntotal one\n" + "".join(f"stay {word}\n" for word in ("here", "there", "anywhere")) + "below\n"
    edit = Meanwhile(editor, gate, text, partialResultToken="partial")
    buffer = await edit.started()
    version = buffer.version
    editor.insert(buffer, "above", "new\n")
    result = await edit.finish()
    items = [item for message in editor.progress["partial"] for item in message["items"]]
    assert items[0]["textDocument"]["version"] == version
    assert [item["hunk"]["range"]["start"]["line"] for item in items if item["kind"] == "hunk"] == [1]
    assert [hunk["range"]["start"]["line"] for hunk in result["hunks"]] == [2]


async def test_whatever_is_typed_the_edit_lands_where_it_belongs(any_editor: EditorClient, tmp_path: Path) -> None:
    """Against an oracle that knows nothing but characters: the lines of the edit hold marks that no one types."""
    choice = random.Random(any_editor.kind.name)
    num_landed = 0
    for i in range(25):
        gate = Gate(tmp_path / f"gate{i}")
        newline = choice.choice(["\n", "\r\n"])
        text = TEXT.replace("\n", newline)
        inside = text[text.index("total 1") : text.index("below")]
        buffer = any_editor.open(text)
        edit = any_editor.edit(buffer, f"{TASK} {gate}", range=buffer.lines(1, 4))
        for _ in range(choice.randint(1, 4)):
            places = [n for n in range(len(buffer.text) + 1) if buffer.text[max(n - 1, 0) : n + 1] != "\r\n"]
            start, stop = sorted(choice.choices(places, k=2))
            stop = min(stop, next(n for n in places if n >= min(start + 2, len(buffer.text))))
            any_editor.type(buffer, start, stop, choice.choice(["", "x", newline, "😀", f"é{newline}"]))
        await any_editor.settled()
        gate.open()
        typed = buffer.text
        [result] = await asyncio.gather(edit, return_exceptions=True)
        if isinstance(result, JsonRpcException):
            assert result.data == {"kind": "ContentModified"}
            assert buffer.text == typed
            continue
        assert isinstance(result, dict)
        if any_editor.kind is ALE and not typed.endswith(newline):
            continue  # it would add a line end
        num_landed += 1
        any_editor.apply(result["edit"])
        assert typed.count(inside) == 1
        assert buffer.text == typed.replace(inside, inside.replace("total", "amount"))
    assert 0 < num_landed < 25
