"""Settings by every way that editors have, and a model that is missing, idle, too small or out of memory."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from editor_client import ALE, EMACS, NEOVIM, VSCODE, EditorClient, Kind
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from scripted_sessions import Gate, connected

pytestmark = [pytest.mark.asyncio, pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning")]

TASK = "replace total with amount"


async def model_of(editor: EditorClient) -> str:
    return str((await editor.ask("copyspan/status"))["model"])


def change_settings(editor: EditorClient, settings: object) -> None:
    """Tell of settings in the way of editors that are not asked for them."""
    editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))


def asked(editor: EditorClient, method: str) -> list[Any]:
    return [params for name, params in editor.requests if name == method]


class TestSettings:
    @pytest.mark.parametrize("options", [{"model": "mine"}, {"copyspan": {"model": "mine"}, "other": {"model": 1}}])
    async def test_by_initialization_options(self, options: object) -> None:
        async with connected(ALE, options) as editor:
            assert await model_of(editor) == "mine"
            assert editor.requests == []  # this editor would never answer
            assert editor.messages == []

    async def test_those_that_the_client_holds_win(self) -> None:
        options = {"model": "first", "maxLines": 1}
        async with connected(VSCODE, options, configuration={"model": "second"}) as editor:
            await editor.until(lambda: asked(editor, "workspace/configuration"))
            await editor.settled()
            assert await model_of(editor) == "second"
            with pytest.raises(JsonRpcException, match="at most 1 "):
                await editor.edit(editor.open("total\ntotal\n"), TASK)

    async def test_an_edit_that_overtakes_them_waits_for_them(self) -> None:
        async with connected(VSCODE, configuration={"model": "mine"}) as editor:
            assert (await editor.edit(editor.open("total\n"), TASK))["hunks"]
            assert {status["model"] for status in editor.statuses if status["state"] == "loading"} == {"mine"}

    async def test_a_client_that_does_not_answer_is_served_by_its_options(self) -> None:
        async with connected(EMACS, {"model": "mine"}) as editor:
            editor.unanswered = {"workspace/configuration"}
            assert await model_of(editor) == "mine"
            assert (await editor.edit(editor.open("total\n"), TASK))["hunks"]

    @pytest.mark.parametrize(("kind", "registrations"), [(VSCODE, 1), (NEOVIM, 0)])
    async def test_a_change_is_asked_for(self, kind: Kind, registrations: int) -> None:
        async with connected(kind, configuration={"model": "first"}) as editor:
            await editor.until(lambda: asked(editor, "workspace/configuration"))
            await editor.settled()
            editor.set_configuration({"copyspan": {"model": "second"}})
            change_settings(editor, None)
            await editor.until(lambda: len(asked(editor, "workspace/configuration")) == 2)
            await editor.settled()
            assert await model_of(editor) == "second"
            registered = [
                it.method for params in asked(editor, "client/registerCapability") for it in params.registrations
            ]
            assert registered == ["workspace/didChangeConfiguration"] * registrations

    @pytest.mark.parametrize("pushed", [{"model": "second"}, {"copyspan": {"model": "second"}, "other": {}}])
    async def test_a_change_is_pushed(self, pushed: object) -> None:
        async with connected(ALE, {"model": "first", "maxLines": 1}) as editor:
            change_settings(editor, pushed)
            assert await model_of(editor) == "second"
            with pytest.raises(JsonRpcException, match="at most 1 "):  # what initialize brought holds on
                await editor.edit(editor.open("total\ntotal\n"), TASK)
            assert editor.requests == []

    async def test_what_is_wrong_is_said_and_the_rest_holds(self) -> None:
        wrong = {"modell": "x", "maxLines": "many", "contextSize": 1, "model": "mine", "codeActions": False}
        async with connected(NEOVIM, configuration=wrong) as editor:
            await editor.until(lambda: len(editor.messages) == 3)
            said = " ".join(message.message for message in editor.messages)
            assert "no setting modell" in said
            assert "Did you mean model?" in said
            assert 'maxLines is "many", and has to be a whole number' in said
            assert "contextSize is 1" in said
            assert {message.type for message in editor.messages} == {types.MessageType.Warning}
            assert await model_of(editor) == "mine"
            buffer = editor.open("# ai: x\n")
            assert await editor.actions(buffer, buffer.at("#")) == []

    async def test_another_model_is_taken_by_the_next_edit(self) -> None:
        async with connected(ALE, {"model": "first"}) as editor:
            await editor.edit(editor.open("total\n"), TASK)
            change_settings(editor, {"model": "second"})
            edit = editor.edit(editor.open("total\n"), TASK, workDoneToken="second")
            assert (await edit)["hunks"]
            loads = [it["message"] for it in editor.progress["second"] if "Loading" in it.get("message", "")]
            assert [load[:14] for load in loads] == ["Loading second"]
            states = [(status["state"], status["model"]) for status in editor.statuses]
            assert states.index(("ready", "first")) < states.index(("loading", "second"))

    async def test_the_model_may_be_loaded_beforehand(self, gate: Gate) -> None:
        async with connected(VSCODE, {"preload": True, "model": f"mine {gate}"}) as editor:
            [token] = await editor.until(lambda: [*editor.progress])
            assert editor.progress[token][0]["title"] == f"Loading mine {gate}"
            assert (await editor.ask("copyspan/status"))["state"] == "loading"
            gate.open()
            await editor.until(lambda: editor.statuses[-1]["state"] == "ready")
            await editor.until(lambda: editor.progress[token][-1]["kind"] == "end")

    async def test_loading_beforehand_can_be_cancelled(self, gate: Gate) -> None:
        async with connected(VSCODE, {"preload": True, "model": f"mine {gate}"}) as editor:
            [token] = await editor.until(lambda: [*editor.progress])
            editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
            await editor.until(lambda: editor.progress[token][-1]["kind"] == "end")


class TestMissing:
    async def test_it_is_said_what_is_missing_with_a_button(self) -> None:
        async with connected(VSCODE, {"model": "missing"}) as editor:
            editor.button = "Not now"
            with pytest.raises(JsonRpcException, match=r"1\.1 GB.*copyspan models fetch missing") as refused:
                await editor.edit(editor.open("total\n"), TASK)
            assert refused.value.data == {"kind": "ModelMissing"}
            assert refused.value.code == types.LSPErrorCodes.RequestFailed
            [question] = await editor.until(lambda: asked(editor, "window/showMessageRequest"))
            assert question.message == "The model missing is not on this machine (1.1 GB)."
            assert [action.title for action in question.actions] == ["Download", "Not now"]
            status = await editor.ask("copyspan/status")
            assert (status["state"], status["message"]) == ("missing", refused.value.message)

    @pytest.mark.parametrize("kind", [EMACS, ALE])
    async def test_where_there_are_no_buttons_it_is_said_without(self, kind: Kind) -> None:
        async with connected(kind, {"model": "missing"}) as editor:
            buffer = editor.open("# ai: replace total with amount\ntotal\n")
            [action] = await editor.actions(buffer, buffer.at("# ai"))
            await editor.choose(action)
            await editor.until(lambda: editor.messages)
            await editor.settled()
            assert [message.message[:41] for message in editor.messages] == [
                "The model missing is not on this machine "
            ]
            assert "copyspan models fetch missing" in editor.messages[0].message
            assert buffer.undo == []

    async def test_it_is_asked_once_as_long_as_nobody_answers(self) -> None:
        async with connected(VSCODE, {"model": "missing"}) as editor:
            editor.unanswered = {"window/showMessageRequest"}
            for _ in range(3):
                with pytest.raises(JsonRpcException, match="not on this machine"):
                    await editor.edit(editor.open("total\n"), TASK)
            await editor.settled()
            assert len(asked(editor, "window/showMessageRequest")) == 1

    async def test_a_download_that_fails_is_said(self) -> None:
        """The button fetches for real, and no model has this name."""
        async with connected(VSCODE, {"model": "missing"}) as editor:
            editor.button = "Download"
            with pytest.raises(JsonRpcException, match="not on this machine"):
                await editor.edit(editor.open("total\n"), TASK)
            await editor.until(lambda: editor.messages)
            assert "No model is called 'missing'" in editor.messages[0].message
            states = [status["state"] for status in editor.statuses]
            assert states[states.index("downloading") :] == ["downloading", "missing"]
            with pytest.raises(JsonRpcException, match="No model is called") as refused:
                await editor.ask("copyspan/download")
            assert refused.value.data == {"kind": "UsageError"}

    async def test_a_download_that_succeeds_leaves_a_model(self, tmp_path: Path) -> None:
        """A folder with the files of a model counts as fetched."""
        for name in ("config.json", "tokenizer.json"):
            (tmp_path / name).write_text("{}")
        (tmp_path / "model.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
        async with connected(VSCODE, {"model": str(tmp_path)}) as editor:
            assert (await editor.ask("copyspan/download"))["state"] == "unloaded"
            assert "downloading" in [status["state"] for status in editor.statuses]
            await editor.command("copyspan.download")
            await editor.until(lambda: editor.messages)
            assert "is on this machine now" in editor.messages[0].message

    async def test_the_server_goes_on_with_another_model(self) -> None:
        async with connected(ALE, {"model": "missing", "preload": True}) as editor:
            await editor.until(lambda: editor.messages)
            assert "not on this machine" in editor.messages[0].message
            change_settings(editor, {"model": "there"})
            assert (await editor.ask("copyspan/status"))["state"] == "unloaded"
            assert (await editor.edit(editor.open("total\n"), TASK))["hunks"]


class TestIdle:
    async def test_its_memory_is_given_back_and_it_comes_back(self) -> None:
        async with connected(ALE, {"unloadAfter": 0.002}) as editor:
            for _ in range(2):
                editor.statuses.clear()
                assert (await editor.edit(editor.open("total\n"), TASK))["hunks"]
                await editor.until(lambda: editor.statuses[-1]["state"] == "unloaded")
                assert "loading" in [status["state"] for status in editor.statuses]
                assert "device" not in editor.statuses[-1]

    async def test_not_while_it_works(self, gate: Gate) -> None:
        async with connected(ALE, {"unloadAfter": 0.0001}) as editor:
            edit = editor.edit(editor.open("total\n"), f"{TASK} {gate}")
            await editor.until(lambda: editor.statuses and editor.statuses[-1]["state"] == "working")
            waiting = editor.edit(editor.open("total\n"), TASK)
            await asyncio.sleep(0.1)  # ten times as long
            assert (await editor.ask("copyspan/status"))["state"] == "working"
            gate.open()
            assert (await edit)["hunks"]
            assert (await waiting)["hunks"]

    async def test_the_setting_holds_from_when_it_is_made(self) -> None:
        async with connected(ALE, {"unloadAfter": 0}) as editor:
            await editor.edit(editor.open("total\n"), TASK)
            assert (await editor.ask("copyspan/status"))["state"] == "ready"
            change_settings(editor, {"unloadAfter": 0.001})
            await editor.until(lambda: editor.statuses[-1]["state"] == "unloaded")

    async def test_a_candidate_can_be_asked_for_after_it(self) -> None:
        async with connected(ALE, {"unloadAfter": 0.001}) as editor:
            first = await editor.edit(editor.open("total\nx\ntotal\n"), "replace total with amount or sum")
            await editor.until(lambda: editor.statuses[-1]["state"] == "unloaded")
            second = await editor.ask("copyspan/next", {"editId": first["editId"]})
            assert second["hunks"][0]["newText"] == "sum\n"


class TestLimits:
    async def test_what_does_not_fit_is_refused_before_any_work(self) -> None:
        async with connected(VSCODE, {"contextSize": 256}) as editor:
            long = editor.open("".join(f"total {i} {'x' * 60}\n" for i in range(200)))
            edit = editor.edit(long, TASK, workDoneToken="bar", partialResultToken="parts")
            with pytest.raises(JsonRpcException, match=r"needs about \d{4,} tokens, .* holds 4096") as refused:
                await edit
            assert refused.value.data == {"kind": "ContextTooLong"}
            await editor.settled()
            assert "parts" not in editor.progress
            assert "Reading" not in str(editor.progress["bar"])
            assert (await editor.edit(long, TASK, range=long.lines(3, 5)))["changedLines"] == 2
            assert (await editor.edit(editor.open("total\n"), TASK))["hunks"]

    async def test_too_little_memory_is_an_error_of_one_edit(self) -> None:
        async with connected(VSCODE) as editor:
            buffer = editor.open("total\n")
            for _ in range(2):
                with pytest.raises(JsonRpcException, match="out of memory") as refused:
                    await editor.edit(buffer, f"[oom] {TASK}")
                assert refused.value.data == {"kind": "OutOfMemory"}
                editor.apply((await editor.edit(buffer, TASK))["edit"])
                assert buffer.text == "amount\n"
                editor.type(buffer, 0, 6, "total")

    async def test_a_fault_of_ours_is_an_error_of_one_edit(self) -> None:
        async with connected(VSCODE) as editor:
            buffer = editor.open("total\n")
            edit = editor.edit(buffer, f"[bug] {TASK}", workDoneToken="bar")
            with pytest.raises(JsonRpcException, match=r"failed unexpectedly \(RuntimeError\).*log") as refused:
                await edit
            assert refused.value.code == types.ErrorCodes.InternalError
            assert (await editor.edit(buffer, TASK))["hunks"]
            await editor.settled()
            assert editor.progress["bar"][-1]["kind"] == "end"
            told = [str(refused.value), str(refused.value.data), *(it.message for it in editor.messages)]
            told += [it.message for it in editor.log_messages]
            assert "SECRET" not in str(told)
            assert "A fault of copyspan." in str(told)
        assert b"A fault of copyspan." in editor.stderr
        assert b"SECRET" not in editor.stderr


async def test_no_text_of_a_document_is_logged() -> None:
    async with connected(VSCODE) as editor:
        buffer = editor.open("total SECRET\n# ai: replace total with SECRET\n")
        await editor.edit(buffer, "replace total with SECRET")
        [action] = await editor.actions(buffer, buffer.at("# ai"))
        await editor.choose(action)
        with pytest.raises(JsonRpcException):
            await editor.edit(buffer, "[oom] SECRET")
        with pytest.raises(JsonRpcException):
            await editor.ask("copyspan/edit", {"textDocument": {"uri": buffer.uri}, "range": "SECRET"})
        with pytest.raises(JsonRpcException):
            await editor.command("copyspan.apply", {"instruction": "SECRET"})
        assert editor.log_messages
        assert "SECRET" not in str(editor.log_messages)
    assert editor.stderr
    assert b"SECRET" not in editor.stderr
