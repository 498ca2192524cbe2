"""Code actions: what is listed, at once and modestly, and what becomes of the buffer when one is chosen."""

import asyncio

import pytest
from editor_client import ALE, EMACS, NEOVIM, VSCODE, EditorClient
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from scripted_sessions import Gate, connected

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]

BILL = "def bill(total):  # é\n    # ai: replace total with amount\n    return '😀é', total, 'ü', total\n"
EDITED = "def bill(amount):  # é\n    return '😀é', amount, 'ü', amount\n"


class TestComment:
    async def test_its_edit_is_made_and_it_goes_away(self, any_editor: EditorClient) -> None:
        for newline in ("\n", "\r\n"):
            buffer = any_editor.open(BILL.replace("\n", newline))
            [action] = await any_editor.actions(buffer, buffer.at("# ai"))
            assert action.title == "AI edit: replace total with amount"
            assert action.kind == types.CodeActionKind.RefactorRewrite
            await any_editor.choose(action)
            await any_editor.until(lambda buffer=buffer: buffer.undo)  # a command answers before it is done
            assert buffer.text == EDITED.replace("\n", newline)
            assert len(buffer.undo) == 1

    async def test_its_edit_is_for_the_version_it_was_made_from(self, editor: EditorClient) -> None:
        buffer = editor.open(BILL)
        editor.insert(buffer, "def", "\n")
        [action] = await editor.actions(buffer, buffer.at("# ai"))
        resolved = await editor.code_action_resolve_async(action)
        assert resolved.edit is not None
        [change] = resolved.edit.document_changes or []
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == buffer.version

    async def test_a_list_that_is_out_of_date_is_refused(self, editor: EditorClient) -> None:
        buffer = editor.open(BILL)
        [action] = await editor.actions(buffer, buffer.at("# ai"))
        editor.insert(buffer, "def", "x = 1\n")
        with pytest.raises(JsonRpcException, match="Ask again") as refused:
            await editor.code_action_resolve_async(action)
        assert refused.value.code == -32801
        assert buffer.undo == []

    async def test_one_that_changes_nothing_says_so_and_stays(self, any_editor: EditorClient) -> None:
        buffer = any_editor.open("# ai: replace sum with amount\ntotal\n")
        any_editor.messages.clear()
        [action] = await any_editor.actions(buffer, buffer.at("# ai"))
        if any_editor.kind in (EMACS, ALE):
            await any_editor.choose(action)
        else:
            assert (await any_editor.code_action_resolve_async(action)).edit == types.WorkspaceEdit()
        await any_editor.until(lambda: any_editor.messages)
        assert ["would change nothing" in it.message for it in any_editor.messages] == [True]
        assert (buffer.text, buffer.undo) == ("# ai: replace sum with amount\ntotal\n", [])

    async def test_a_refused_answer_is_said_and_leaves_the_text(self, any_editor: EditorClient) -> None:
        text = "# ai: write the placeholder\n" + "line\n" * 9
        buffer = any_editor.open(text)
        any_editor.messages.clear()
        [action] = await any_editor.actions(buffer, buffer.at("# ai"))
        if any_editor.kind in (EMACS, ALE):
            await any_editor.choose(action)
            await any_editor.until(lambda: any_editor.messages)
            assert "nothing was changed" in any_editor.messages[0].message
        else:
            with pytest.raises(JsonRpcException, match="nothing was changed"):
                await any_editor.choose(action)
        assert (buffer.text, buffer.undo) == (text, [])

    async def test_it_is_found_from_any_of_its_lines_and_nowhere_else(self, editor: EditorClient) -> None:
        buffer = editor.open("x = 1\n# ai: replace x\n# ai: with y\nx = 2\n")
        found = [len(await editor.actions(buffer, {"line": line, "character": 0})) for line in range(5)]
        assert found == [0, 1, 1, 0, 0]
        assert len(await editor.actions(buffer, buffer.lines(0, 4))) == 1


class TestDiagnostic:
    async def test_its_fix_is_made_where_it_is_reported(self, any_editor: EditorClient) -> None:
        buffer = any_editor.open("# 😀é\nreturn total\n")
        problem = "undefined name: replace total with amount"
        [action] = await any_editor.actions(buffer, buffer.at("total"), problems=[problem])
        assert (action.title, action.kind) == (f"AI fix: {problem}", types.CodeActionKind.QuickFix)
        assert [it.message for it in action.diagnostics or ()] == [problem]
        await any_editor.choose(action)
        await any_editor.until(lambda: buffer.undo)
        assert buffer.text == "# 😀é\nreturn amount\n"

    async def test_many_are_cut_and_long_titles_shortened(self, editor: EditorClient) -> None:
        buffer = editor.open("x\n")
        actions = await editor.actions(buffer, buffer.at("x"), problems=[f"{i} {'long ' * 50}\nmore" for i in range(9)])
        assert len(actions) == 5
        assert max(len(action.title) for action in actions) <= 70
        assert not [action for action in actions if "\n" in action.title]


class TestManners:
    async def everything(self, editor: EditorClient, only: list[str] | None = None) -> list[types.CodeAction]:
        buffer = editor.open(BILL)
        return await editor.actions(buffer, buffer.lines(0, 2), only, ["a problem"])

    async def test_no_action_is_preferred(self, any_editor: EditorClient) -> None:
        actions = await self.everything(any_editor)
        assert [action.is_preferred for action in actions] == [None, None]
        assert [action.title[:3] for action in actions] == ["AI ", "AI "]

    @pytest.mark.parametrize(
        ("only", "kinds"),
        [
            (["quickfix"], ["quickfix"]),
            (["refactor"], ["refactor.rewrite"]),
            (["refactor.rewrite"], ["refactor.rewrite"]),
            (["source.fixAll", "quickfix", "refactor"], ["refactor.rewrite", "quickfix"]),
            ([""], ["refactor.rewrite", "quickfix"]),
            (["source"], []),
            (["refactor.extract"], []),
            (["refactor.re"], []),
        ],
    )
    async def test_only_the_kinds_that_are_asked_for(
        self, editor: EditorClient, only: list[str], kinds: list[str]
    ) -> None:
        actions = await self.everything(editor, only)
        assert [getattr(action.kind, "value", action.kind) for action in actions] == kinds

    async def test_nothing_is_offered_where_nothing_is_asked(self, any_editor: EditorClient) -> None:
        buffer = any_editor.open("x = 1\ny = 2\n")
        assert await any_editor.actions(buffer, buffer.lines(0, 2)) == []
        assert await any_editor.actions(buffer, buffer.at("x")) == []

    async def test_one_setting_turns_them_off(self) -> None:
        async with connected(VSCODE, configuration={"codeActions": False}) as editor:
            await editor.settled()
            assert await self.everything(editor) == []
            editor.set_configuration({"copyspan": {"codeActions": True}})
            editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
            await editor.until(lambda: len([it for it in editor.requests if "configuration" in it[0]]) > 1)
            await editor.settled()
            assert len(await self.everything(editor)) == 2

    async def test_a_client_that_can_ask_gets_an_action_on_a_selection(self) -> None:
        async with connected(VSCODE, {"askCommand": "mine.ask"}) as editor:
            buffer = editor.open("x = 1\ny = 2\n")
            [action] = await editor.actions(buffer, buffer.lines(0, 1))
            assert action.command is not None
            assert action.command.command == "mine.ask"
            assert list(action.command.arguments or ()) == [{"uri": buffer.uri, "range": buffer.lines(0, 1)}]
            assert action.is_preferred is None
            assert await editor.actions(buffer, buffer.at("x")) == []
            assert editor.messages == []  # askCommand is no unknown setting

    async def test_the_server_says_what_kinds_it_has(self, editor: EditorClient) -> None:
        provider = editor.initialized_with.capabilities.code_action_provider
        assert isinstance(provider, types.CodeActionOptions)
        assert set(provider.code_action_kinds or ()) == {"quickfix", "refactor.rewrite"}
        assert provider.resolve_provider is True


class TestAtOnce:
    async def test_while_the_model_works(self, editor: EditorClient, gate: Gate) -> None:
        buffer = editor.open(BILL)
        busy = editor.edit(editor.open("total\n"), f"replace total with amount {gate}")
        await editor.until(lambda: editor.statuses and editor.statuses[-1]["state"] == "working")
        assert len(await editor.actions(buffer, buffer.at("# ai"))) == 1
        assert len(await editor.actions(buffer, buffer.at("def"), problems=["a problem"])) == 1
        assert not busy.done()
        gate.open()
        assert (await busy)["hunks"]

    async def test_while_the_model_is_loaded(self, gate: Gate) -> None:
        async with connected(VSCODE, configuration={"model": f"slow {gate}"}) as editor:
            await editor.settled()
            buffer = editor.open(BILL)
            [action] = await editor.actions(buffer, buffer.at("# ai"))
            chosen = asyncio.ensure_future(editor.choose(action))
            await editor.until(lambda: editor.statuses and editor.statuses[-1]["state"] == "loading")
            assert len(await editor.actions(buffer, buffer.at("# ai"))) == 1
            assert not chosen.done()
            gate.open()
            await chosen
            assert buffer.text == EDITED

    async def test_the_list_never_loads_the_model(self) -> None:
        async with connected(NEOVIM, {"model": "missing"}) as editor:
            buffer = editor.open(BILL)
            assert len(await editor.actions(buffer, buffer.lines(0, 2), problems=["a problem"])) == 2
            assert (await editor.ask("copyspan/status"))["state"] == "unloaded"


async def test_actions_of_others_are_left_as_they_are(editor: EditorClient) -> None:
    theirs = types.CodeAction("Sort imports", types.CodeActionKind.Source)
    assert await editor.code_action_resolve_async(theirs) == theirs


async def test_a_document_that_is_not_open_has_no_actions(editor: EditorClient) -> None:
    buffer = editor.open(BILL)
    editor.close(buffer)
    assert await editor.actions(buffer, {"line": 1, "character": 5}, problems=["a problem"]) == []


async def test_the_form_of_an_action_is_what_the_editor_can_take(any_editor: EditorClient) -> None:
    """With `resolveSupport` for edits the edit comes later, so that no command blocks; else a command starts it."""
    buffer = any_editor.open(BILL)
    [action] = await any_editor.actions(buffer, buffer.at("# ai"))
    if any_editor.kind in (EMACS, ALE):
        assert action.command is not None
        assert action.command.command == "copyspan.start"
        assert action.command.arguments
    else:
        assert action.command is None
        assert action.data is not None
    assert action.edit is None
