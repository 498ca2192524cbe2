"""A thousand edits in one server, a third of them cut off in every way there is: nothing is lost, nothing is left."""

import asyncio
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest
from soak_client import SoakClient

NUM_EDITS, NUM_DOCUMENTS, NUM_PEOPLE = 1_000, 20, 4
SETTLED = 300
"""After so many edits everything is loaded that will be."""
TEXT = "".join(f"def bill_{i}(total):\n    # what {i} costs\n    return total + {i}\n\n" for i in range(3))
TEXT += "".join(
    f"# line {i} of what nobody edits, so that whatever keeps an old text shows{'.' * 130}\n" for i in range(100)
)
SELECTION = {"start": {"line": 0, "character": 0}, "end": {"line": 12, "character": 0}}
REFUSALS = {-32800: "cancelled", -32801: "modified", -32802: "superseded"}
MORE_MEGABYTES = 2

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="looks at the process through /proc")


class Soak:
    """People who work at documents of their own, all with one server."""

    def __init__(self, client: SoakClient) -> None:
        self.client = client
        self.rng = Random("soak")
        self.versions = dict.fromkeys((f"file:///soak/{i}.py" for i in range(NUM_DOCUMENTS)), 0)
        self.num_done = 0
        self.seen: Counter[str] = Counter()
        self.memory: list[float] = []
        self.threads: list[int] = []

    async def run(self) -> None:
        for uri in self.versions:
            self._open(uri)
        uris = list(self.versions)
        await asyncio.gather(*(self._work(uris[i::NUM_PEOPLE]) for i in range(NUM_PEOPLE)))

    async def _work(self, uris: list[str]) -> None:
        while self.num_done < NUM_EDITS:
            self.num_done += 1
            if self.num_done > SETTLED and self.num_done % 5 == 0:
                self.threads.append(self.client.num_threads)
                self.memory.append(await self.client.resident_megabytes())
            uri = self.rng.choice(uris)
            if self.rng.random() < 1 / 3:
                await self._edit_cut_off(uri)
            else:
                await self._edit(uri)

    async def _edit(self, uri: str) -> None:
        answer = await self._request(uri, "replace total with amount or sum")[1]
        assert "error" not in answer, answer["error"]
        result = answer["result"]
        assert len(result["hunks"]) == 6, result
        self.seen["made"] += 1
        if self.rng.random() < 0.2:
            edits = [edit for hunk in result["hunks"] for edit in hunk["edits"]]
            self._change(uri, [{"range": it["range"], "text": it["newText"]} for it in reversed(edits)])
            self.seen["applied"] += 1
        is_applied = bool(self.versions[uri] != result["textDocument"]["version"])
        if self.rng.random() < 0.2:
            following = await self.client.ask("copyspan/next", {"editId": result["editId"]})
            assert following["candidate"] == 2
            self.seen["next"] += 1
        if is_applied:
            self._change(uri, [{"text": TEXT}])

    async def _edit_cut_off(self, uri: str) -> None:
        """An edit that somebody stops, at some moment, be it over by then or not."""
        token = f"bar of {self.client.num_requests + 1}"
        number, answer = self._request(uri, f"replace total with amount{self.rng.choice(['', ' [slow]'])}", token)
        await asyncio.sleep(self.rng.choice([0, 0.002, 0.01, 0.03]))
        how = self.rng.choice(["cancel", "bar", "newer", "change", "reopen"])
        if how == "cancel":
            self.client.notify("$/cancelRequest", {"id": number})
        elif how == "bar":
            self.client.notify("window/workDoneProgress/cancel", {"token": token})
        elif how == "newer":
            await self._edit(uri)
        elif how == "change":
            start = {"line": 4, "character": 1}
            self._change(uri, [{"range": {"start": start, "end": start}, "text": "x"}])
        else:
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            self._open(uri)
        message = await answer
        kind = REFUSALS[message["error"]["code"]] if "error" in message else "late"
        self.seen[f"{how}: {kind}"] += 1
        self._change(uri, [{"text": TEXT}])

    def _request(
        self, uri: str, instruction: str, token: str | None = None
    ) -> "tuple[int, asyncio.Future[dict[str, Any]]]":
        document = {"uri": uri, "version": self.versions[uri]}
        params = {"textDocument": document, "instruction": instruction, "range": SELECTION}
        if token is not None:
            params |= {"workDoneToken": token, "partialResultToken": f"partial {token}"}
        return self.client.request("copyspan/edit", params)

    def _open(self, uri: str) -> None:
        self.versions[uri] += 1
        item = {"uri": uri, "languageId": "python", "version": self.versions[uri], "text": TEXT}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def _change(self, uri: str, changes: list[dict[str, Any]]) -> None:
        self.versions[uri] += 1
        document = {"uri": uri, "version": self.versions[uri]}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})


@pytest.mark.asyncio
async def test_a_thousand_edits_leave_nothing_behind(tmp_path):
    log = tmp_path / "log"
    client = await SoakClient.start(log)
    capabilities = {"window": {"workDoneProgress": True}, "workspace": {"workspaceEdit": {"documentChanges": True}}}
    await client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
    client.notify("initialized", {})
    soak = Soak(client)
    await asyncio.wait_for(soak.run(), 300)
    status = await client.ask("copyspan/status", None)
    assert (status["state"], status["queue"], status.get("document")) == ("ready", 0, None)
    await soak._edit(next(iter(soak.versions)))
    assert await asyncio.wait_for(client.leave(), 60) == 0
    assert client.answers == dict.fromkeys(range(1, client.num_requests + 1), 1)
    assert min(soak.seen[kind] for kind in ("made", "applied", "next")) > 50
    expected = ["cancel: cancelled", "bar: cancelled", "newer: superseded", "change: modified", "reopen: modified"]
    assert min(soak.seen[kind] for kind in expected) > 10
    assert len(set(soak.threads)) == 1
    assert median(soak.memory[-20:]) - median(soak.memory[:20]) < MORE_MEGABYTES
    said = [line for line in log.read_text().splitlines() if line.split()[1] != "info"]
    assert [line for line in said if "Cancel notification for unknown message id" not in line] == []
