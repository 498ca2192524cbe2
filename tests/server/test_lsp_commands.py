"""`workspace/executeCommand`: edits that the server applies, for editors and scripts that know no other way."""

import asyncio
from typing import Any

import pytest
from editor_client import ALE, EMACS, VSCODE, EditorClient
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from scripted_sessions import Gate, connected

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]

TEXT = "total\nx\ntotal\n"


def wanted(uri: str, instruction: str, **rest: object) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "instruction": instruction, **rest}


async def test_the_commands_that_there_are(editor: EditorClient) -> None:
    provider = editor.initialized_with.capabilities.execute_command_provider
    assert provider is not None
    names = ["apply", "applyNext", "cancel", "download", "serverStatus", "start"]
    assert sorted(provider.commands) == [f"copyspan.{name}" for name in names]


class TestApply:
    async def test_it_applies_and_says_what_it_did(self, editor: EditorClient) -> None:
        buffer = editor.open(TEXT)
        done = await editor.command("copyspan.apply", wanted(buffer.uri, "replace total with amount"))
        assert buffer.text == "amount\nx\namount\n"
        assert buffer.undo == [TEXT]
        assert (done["applied"], done["candidate"], done["candidates"]) == (True, 1, 1)
        assert "2 of 3 lines changed" in done["message"]

    async def test_it_keeps_to_the_selection(self, any_editor: EditorClient) -> None:
        buffer = any_editor.open(TEXT)
        argument = wanted(buffer.uri, "replace total with amount", range=buffer.lines(2, 3))
        done = asyncio.ensure_future(any_editor.command("copyspan.apply", argument))
        await any_editor.until(lambda: buffer.undo)
        assert buffer.text == "total\nx\namount\n"
        if any_editor.kind is ALE:  # it never answers, so that the command does not end; actions use copyspan.start
            done.add_done_callback(asyncio.Future.exception)  # when the server ends
        else:
            assert (await done)["applied"] is True

    async def test_the_next_candidate_takes_its_place(self, editor: EditorClient) -> None:
        buffer = editor.open(TEXT)
        done = await editor.command("copyspan.apply", wanted(buffer.uri, "replace total with amount or sum"))
        done = await editor.command("copyspan.applyNext", {"editId": done["editId"]})
        assert (done["applied"], done["candidate"]) == (True, 2)
        assert buffer.text == "total\nx\nsum\n"
        assert buffer.undo == [TEXT, "amount\nx\namount\n"]

    async def test_the_next_candidate_of_one_that_was_undone(self, editor: EditorClient) -> None:
        buffer = editor.open(TEXT)
        done = await editor.command("copyspan.apply", wanted(buffer.uri, "replace total with amount or sum"))
        editor.type(buffer, 0, len(buffer.text), TEXT)
        await editor.command("copyspan.applyNext", {"editId": done["editId"]})
        assert buffer.text == "total\nx\nsum\n"

    async def test_the_next_candidate_of_lines_that_were_changed_is_refused(self, editor: EditorClient) -> None:
        buffer = editor.open(TEXT)
        done = await editor.command("copyspan.apply", wanted(buffer.uri, "replace total with amount or sum"))
        editor.insert(buffer, "x", "typed ")
        with pytest.raises(JsonRpcException, match="Ask again"):
            await editor.command("copyspan.applyNext", {"editId": done["editId"]})
        assert buffer.text == "amount\ntyped x\namount\n"

    async def test_no_change_is_said_and_not_shown_as_success(self, editor: EditorClient) -> None:
        buffer = editor.open("nothing\n")
        done = await editor.command("copyspan.apply", wanted(buffer.uri, "replace total with amount"))
        assert done["applied"] is False
        assert "would change nothing" in done["message"]
        assert buffer.undo == []

    async def test_what_the_editor_refuses_is_not_called_applied(self, editor: EditorClient) -> None:
        """The person types while the edit is on its way, so that it comes for another version."""
        buffer = editor.open(TEXT)
        take = editor.take

        def type_first(edit: dict[str, Any]) -> types.ApplyWorkspaceEditResult:
            editor.insert(buffer, "x", "typed ")
            return take(edit)

        editor.take = type_first  # type: ignore[method-assign]
        try:
            done = await editor.command("copyspan.apply", wanted(buffer.uri, "replace total with amount"))
        finally:
            editor.take = take  # type: ignore[method-assign]
        assert done["applied"] is False
        assert "did not apply" in done["message"]
        assert "version" in done["message"]
        assert buffer.text == "total\ntyped x\ntotal\n"

    @pytest.mark.parametrize(
        ("command", "arguments", "words"),
        [
            ("copyspan.apply", [], "EditParams does not fit"),
            ("copyspan.apply", [{"instruction": "x"}], "textDocument: Field required"),
            ("copyspan.apply", [wanted("file:///nowhere.py", "x")], "not open"),
            ("copyspan.applyNext", [{}], "editId: Field required"),
            ("copyspan.applyNext", [{"editId": "none"}], "over"),
            ("copyspan.start", ["what"], "ActionData does not fit"),
            ("copyspan.unknown", [], "no command copyspan.unknown"),
        ],
    )
    async def test_wrong_arguments_are_refused_in_words(
        self, editor: EditorClient, command: str, arguments: list[object], words: str
    ) -> None:
        with pytest.raises(JsonRpcException, match=words):
            await editor.command(command, *arguments)


class TestStart:
    async def start(self, editor: EditorClient, text: str) -> tuple[Any, dict[str, Any]]:
        buffer = editor.open(text)
        [action] = await editor.actions(buffer, buffer.at("# ai"))
        assert action.command is not None
        assert action.command.arguments is not None
        return buffer, action.command.arguments[0]

    async def test_it_answers_before_the_edit_is_made(self, gate: Gate) -> None:
        async with connected(EMACS) as editor:
            buffer, argument = await self.start(editor, f"# ai: replace total with amount {gate}\ntotal\n")
            assert await editor.command("copyspan.start", argument) is None
            assert buffer.undo == []
            gate.open()
            await editor.until(lambda: buffer.undo)
            assert buffer.text == "amount\n"

    async def test_an_editor_that_never_answers_can_be_served_again(self) -> None:
        async with connected(ALE) as editor:
            for text in ("# ai: replace total with amount\ntotal\n", "# ai: replace total with sum\ntotal\n"):
                buffer, argument = await self.start(editor, text)
                await editor.command("copyspan.start", argument)
                await editor.until(lambda buffer=buffer: buffer.undo)
            assert buffer.text == "sum\n"
            assert {method for method, _ in editor.requests} == {"workspace/applyEdit"}

    async def test_why_nothing_came_of_it_is_shown(self) -> None:
        async with connected(EMACS) as editor:
            for instruction, words in [
                ("write the placeholder", "nothing was changed"),
                ("[oom] replace total with amount", "out of memory"),
                ("[bug] replace total with amount", "failed unexpectedly"),
                ("replace sum with amount", "would change nothing"),
            ]:
                editor.messages.clear()
                buffer, argument = await self.start(editor, f"# ai: {instruction}\ntotal\nx\n")
                await editor.command("copyspan.start", argument)
                await editor.until(lambda: editor.messages)
                assert words in editor.messages[0].message
                assert buffer.undo == []


class TestCancel:
    async def test_it_stops_the_edits_of_one_document_or_all(self, editor: EditorClient, gate: Gate) -> None:
        buffers = [editor.open("total\n") for _ in range(3)]
        edits = [editor.edit(buffer, f"replace total with amount {gate}") for buffer in buffers]
        assert await editor.command("copyspan.cancel", {"uri": buffers[1].uri}) == {"cancelled": 1}
        with pytest.raises(JsonRpcException, match="cancelled; nothing was changed"):
            await edits[1]
        assert not edits[0].done()
        assert await editor.command("copyspan.cancel") == {"cancelled": 2}
        for edit in (edits[0], edits[2]):
            with pytest.raises(JsonRpcException) as refused:
                await edit
            assert refused.value.code == -32800
            assert refused.value.data == {"kind": "RequestCancelled"}
        assert await editor.command("copyspan.cancel") == {"cancelled": 0}

    async def test_a_document_may_be_named_in_another_spelling(self, editor: EditorClient, gate: Gate) -> None:
        buffer = editor.open("total\n", uri="file:///c%3A/cancelled.py")
        edit = editor.edit(buffer, f"replace total with amount {gate}")
        assert await editor.command("copyspan.cancel", {"uri": "file:///c:/cancelled.py"}) == {"cancelled": 1}
        with pytest.raises(JsonRpcException, match="cancelled"):
            await edit


async def test_the_status_is_that_of_the_request() -> None:
    async with connected(VSCODE, {"model": "mine"}) as editor:
        before = await editor.command("copyspan.serverStatus")
        assert before == {"state": "unloaded", "model": "mine", "queue": 0}
        await editor.edit(editor.open("total\n"), "replace total with amount")
        ready = {"state": "ready", "model": "mine", "device": "cpu", "dtype": "float32", "queue": 0}
        assert await editor.command("copyspan.serverStatus") == ready
        assert await editor.ask("copyspan/status") == ready
