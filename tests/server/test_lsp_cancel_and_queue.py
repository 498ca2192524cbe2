"""One model and many wishes: cancelling in every way, queueing, superseding, progress. No test looks at a clock."""

import asyncio
from itertools import chain, pairwise
from typing import Any

import pytest
from editor_client import EMACS, VSCODE, EditorClient
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from scripted_sessions import Gate, connected

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]

TASK = "replace total with amount"


async def working(editor: EditorClient, uri: str) -> None:
    """Wait until the model works on a document."""
    await editor.until(lambda: editor.statuses and editor.statuses[-1].get("document") == uri)


async def refusal(edit: "asyncio.Future[Any]") -> JsonRpcException:
    with pytest.raises(JsonRpcException) as refused:
        await edit
    return refused.value


class TestCancel:
    """The gate stays shut: an answer shows that nobody waited for the model, and another edit that it was let go."""

    async def cancel_by_request(self, editor: EditorClient, edit_id: str, uri: str) -> None:
        editor.cancel_request(types.CancelParams(edit_id))

    async def cancel_by_bar(self, editor: EditorClient, edit_id: str, uri: str) -> None:
        editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(f"bar {edit_id}"))

    async def cancel_by_command(self, editor: EditorClient, edit_id: str, uri: str) -> None:
        assert await editor.command("copyspan.cancel", {"uri": uri}) == {"cancelled": 1}

    @pytest.mark.parametrize("way", ["request", "bar", "command"])
    @pytest.mark.parametrize("when", ["at work", "waiting"])
    async def test_it_is_answered_and_the_next_edit_starts(
        self, editor: EditorClient, gate: Gate, way: str, when: str
    ) -> None:
        if when == "waiting":
            other = editor.open("total\n")
            busy = editor.edit(other, f"{TASK} {gate}")
            await working(editor, other.uri)
        buffer = editor.open("total\nx\n")
        edit_id = f"{way} {when}"
        edit = editor.edit(buffer, f"{TASK} {gate}", msg_id=edit_id, workDoneToken=f"bar {edit_id}")
        await editor.settled()
        if when == "at work":
            await working(editor, buffer.uri)
        await getattr(self, f"cancel_by_{way}")(editor, edit_id, buffer.uri)
        assert (await refusal(edit)).code == types.LSPErrorCodes.RequestCancelled
        assert buffer.text == "total\nx\n"
        if when == "waiting":
            assert not busy.done()
            editor.close(other)
            await refusal(busy)
        result = await editor.edit(buffer, TASK)
        editor.apply(result["edit"])
        assert buffer.text == "amount\nx\n"
        await editor.settled()
        bar = editor.progress[f"bar {edit_id}"]
        assert [value["kind"] for value in bar if value["kind"] != "report"] == ["begin", "end"]

    async def test_closing_the_document_cancels_its_edit(self, editor: EditorClient, gate: Gate) -> None:
        buffer = editor.open("total\n")
        edit = editor.edit(buffer, f"{TASK} {gate}")
        await working(editor, buffer.uri)
        editor.close(buffer)
        error = await refusal(edit)
        assert error.code == types.LSPErrorCodes.ContentModified
        assert "closed" in error.message
        assert (await editor.edit(editor.open("total\n"), TASK))["hunks"]

    async def test_opening_it_anew_does_too(self, editor: EditorClient, gate: Gate) -> None:
        buffer = editor.open("total\n")
        edit = editor.edit(buffer, f"{TASK} {gate}")
        await working(editor, buffer.uri)
        again = editor.open("other total\n", uri=buffer.uri)
        assert (await refusal(edit)).data == {"kind": "ContentModified"}
        editor.apply((await editor.edit(again, TASK))["edit"])
        assert again.text == "other amount\n"

    async def test_while_the_model_is_loaded(self, gate: Gate) -> None:
        async with connected(VSCODE, {"model": f"slow {gate}"}) as editor:
            buffer = editor.open("total\n")
            edit = editor.edit(buffer, TASK, msg_id="mine")
            await editor.until(lambda: editor.statuses and editor.statuses[-1]["state"] == "loading")
            editor.cancel_request(types.CancelParams("mine"))
            assert (await refusal(edit)).code == types.LSPErrorCodes.RequestCancelled
            again = editor.edit(buffer, TASK)
            await editor.settled()
            assert not again.done()
            gate.open()
            assert (await again)["hunks"]

    async def test_a_code_action_is_cancelled_by_its_request(self, editor: EditorClient, gate: Gate) -> None:
        buffer = editor.open(f"# ai: {TASK} {gate}\ntotal\n")
        [action] = await editor.actions(buffer, buffer.at("# ai"))
        resolving = editor.ask(types.CODE_ACTION_RESOLVE, action, "resolving")
        await working(editor, buffer.uri)
        editor.cancel_request(types.CancelParams("resolving"))
        assert (await refusal(resolving)).code == types.LSPErrorCodes.RequestCancelled

    async def test_a_code_action_is_cancelled_by_its_bar(self, editor: EditorClient, gate: Gate) -> None:
        """The server opens a bar of its own, since the editor gives no token."""
        buffer = editor.open(f"# ai: {TASK} {gate}\ntotal\n")
        [action] = await editor.actions(buffer, buffer.at("# ai"))
        resolving = editor.ask(types.CODE_ACTION_RESOLVE, action)
        await working(editor, buffer.uri)

        def ours() -> list[int | str]:
            return [token for token, values in editor.progress.items() if values[-1]["kind"] == "begin"]

        [token] = await editor.until(ours)
        title = "Editing the whole document (1 line)"
        assert editor.progress[token] == [{"kind": "begin", "title": title, "cancellable": True}]
        editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        assert (await refusal(resolving)).code == types.LSPErrorCodes.RequestCancelled

    async def test_what_is_over_or_unknown_can_be_cancelled_without_harm(self, editor: EditorClient) -> None:
        buffer = editor.open("total\n")
        await editor.edit(buffer, TASK, msg_id="over", workDoneToken="over")
        editor.cancel_request(types.CancelParams("over"))
        editor.cancel_request(types.CancelParams(4711))
        editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams("over"))
        editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(4711))
        assert (await editor.edit(buffer, TASK))["hunks"]


class TestQueue:
    async def test_the_newest_request_of_a_document_takes_the_place_of_older_ones(
        self, editor: EditorClient, gate: Gate
    ) -> None:
        buffer = editor.open("total\n")
        first = editor.edit(buffer, f"replace total with first {gate}")
        await working(editor, buffer.uri)
        second = editor.edit(buffer, f"replace total with second {gate}")
        third = editor.edit(buffer, "replace total with third")
        for older in (first, second):
            error = await refusal(older)
            assert error.code == types.LSPErrorCodes.ServerCancelled
            assert error.data == {"kind": "Superseded"}
        editor.apply((await third)["edit"])
        assert buffer.text == "third\n"

    async def test_edits_of_other_documents_wait_for_their_turn(self, editor: EditorClient, gate: Gate) -> None:
        buffers = [editor.open("total\n") for _ in range(4)]
        finished: list[int] = []
        edits = [editor.edit(buffers[0], f"{TASK} {gate}"), *(editor.edit(buffer, TASK) for buffer in buffers[1:])]
        for i, edit in enumerate(edits):
            edit.add_done_callback(lambda _, i=i: finished.append(i))
        status = await editor.ask("copyspan/status")
        assert (status["state"], status["document"], status["queue"]) == ("working", buffers[0].uri, 3)
        assert finished == []
        gate.open()
        results = await asyncio.gather(*edits)
        assert finished == [0, 1, 2, 3]
        assert [result["textDocument"]["uri"] for result in results] == [buffer.uri for buffer in buffers]

    async def test_the_status_is_told_as_it_changes(self, gate: Gate) -> None:
        async with connected() as editor:
            first, second = editor.open("total\n"), editor.open("total\n")
            edits = [editor.edit(first, f"{TASK} {gate}"), editor.edit(second, TASK)]
            await working(editor, first.uri)
            await editor.settled()
            gate.open()
            await asyncio.gather(*edits)
            await editor.settled()
            told = [(status["state"], status.get("document"), status["queue"]) for status in editor.statuses]
            assert told[-1] == ("ready", None, 0)
            assert "loading" in [state for state, _, _ in told]
            assert told.index(("working", first.uri, 1)) < told.index(("working", second.uri, 0))
            assert all(a != b for a, b in pairwise(told))


class TestProgress:
    LONG = "".join(f"{'total 😀' if i in (2, 20) else 'line'} {i} {'x' * 30}\n" for i in range(30))

    async def test_a_bar_is_there_from_the_first_moment(self, gate: Gate) -> None:
        """Loading included; by the request's token, and by a token of the server's where the request has none."""
        async with connected(VSCODE, {"model": f"slow {gate}"}) as editor:
            edit = editor.edit(editor.open("total\n"), TASK, workDoneToken="mine")
            await editor.until(lambda: editor.progress.get("mine"))
            assert editor.progress["mine"][0]["title"] == "Editing the whole document (1 line)"
            assert editor.progress["mine"][0]["cancellable"] is True
            await editor.until(lambda: "Loading slow" in str(editor.progress["mine"]))
            other = editor.edit(editor.open("total\n"), TASK)
            create = "window/workDoneProgress/create"
            [params] = await editor.until(lambda: [it for method, it in editor.requests if method == create])
            await editor.until(lambda: editor.progress.get(params.token))
            assert not edit.done()
            gate.open()
            await asyncio.gather(edit, other)
            await editor.until(lambda: editor.progress[params.token][-1]["kind"] == "end")
            assert "1 of 1 line changed" in editor.progress["mine"][-1]["message"]

    async def test_where_the_editor_shows_none_none_is_asked_for(self) -> None:
        async with connected(EMACS) as editor:
            await editor.edit(editor.open("total\n"), TASK)
            assert "window/workDoneProgress/create" not in [method for method, _ in editor.requests]

    async def test_an_editor_that_never_opens_the_bar_gets_its_edit(self) -> None:
        async with connected(VSCODE) as editor:
            editor.unanswered = {"window/workDoneProgress/create"}
            assert (await editor.edit(editor.open("total\n"), TASK))["hunks"]
            assert editor.progress == {}

    async def test_percentages_never_go_back(self, editor: EditorClient) -> None:
        buffer = editor.open(self.LONG)
        await editor.edit(buffer, f"leave it, or {TASK} [slow]", workDoneToken="percent")
        reports = [value for value in editor.progress["percent"] if value["kind"] == "report"]
        percentages = [value["percentage"] for value in reports if "percentage" in value]
        assert percentages == sorted(percentages)
        assert len(percentages) > 1
        assert 0 <= percentages[0] <= percentages[-1] <= 100

    async def test_hunks_are_shown_while_the_answer_is_written(self, any_editor: EditorClient) -> None:
        buffer = any_editor.open(self.LONG)
        token = f"{any_editor.kind.name} hunks"
        result = await any_editor.edit(buffer, f"{TASK} [slow]", partialResultToken=token)
        messages = any_editor.progress[token]
        assert len(messages) > 1  # in pieces, while it goes on
        items = [item for message in messages for item in message["items"]]
        assert items[0]["kind"] == "answer"
        assert items[0]["textDocument"] == {"uri": buffer.uri, "version": buffer.version}
        assert items[0]["scope"]["range"] == result["scope"]["range"]
        hunks = [item["hunk"] for item in items if item["kind"] == "hunk"]
        assert hunks == result["hunks"]
        assert [item["index"] for item in items if item["kind"] == "hunk"] == [0, 1]
        copied = [range(item["startLine"], item["stopLine"]) for item in items if item["kind"] == "copied"]
        assert [*chain(*copied)] == [line for line in range(30) if line not in (2, 20)]
        written = [(item["line"], item["text"]) for item in items if item["kind"] == "text"]
        assert [line for line, _ in written] == sorted(line for line, _ in written)
        assert "amount" in "".join(text for _, text in written)

    async def test_other_requests_are_answered_meanwhile(self, editor: EditorClient, gate: Gate) -> None:
        busy = editor.edit(editor.open("total\n"), f"{TASK} {gate}")
        buffer = editor.open("x\n")
        for i in range(20):
            editor.type(buffer, 0, 0, f"{i} ")
            assert (await editor.ask("copyspan/status"))["state"] == "working"
        assert not busy.done()
        gate.open()
        await busy
