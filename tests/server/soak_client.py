"""A client of a few lines that counts answers, and looks at the server's process from outside."""

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

PAGE = os.sysconf("SC_PAGE_SIZE")
SCRIPT = Path(__file__).parent / "scripted_server.py"
SERVER = f"""
import gc, runpy, signal
signal.signal(signal.SIGUSR1, lambda *_: gc.collect())
runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""
"""The server, and a signal on which it takes its cycles away, so that its memory tells what is held."""

MEMORY = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "8192", "MALLOC_TRIM_THRESHOLD_": "8192"}
"""Texts that nobody holds go back to the system, for the same reason."""


class SoakClient:
    """Talks to a server process over its pipes; answers its requests with null."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.answers: Counter[int] = Counter()
        """How often each request was answered, by its id."""
        self.num_requests = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.ensure_future(self._read())

    @classmethod
    async def start(cls, log: Path) -> "SoakClient":
        pipe = asyncio.subprocess.PIPE
        with log.open("wb") as errors:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", SERVER, stdin=pipe, stdout=pipe, stderr=errors, env=os.environ | MEMORY
            )
        return cls(process)

    def request(self, method: str, params: object) -> "tuple[int, asyncio.Future[dict[str, Any]]]":
        """The request's id, and its answer to come: the whole message."""
        self.num_requests += 1
        number = self.num_requests
        self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params})
        return number, self._waiting[number]

    async def ask(self, method: str, params: object) -> Any:
        """The result; raises AssertionError for an error."""
        answer = await self.request(method, params)[1]
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def notify(self, method: str, params: object) -> None:
        self._send({"method": method, "params": params})

    async def leave(self) -> int:
        """Shut the server down, read all it has to say, and return its exit code."""
        await self.ask("shutdown", None)
        self.notify("exit", None)
        await self._reading
        return await self.process.wait()

    async def resident_megabytes(self) -> float:
        os.kill(self.process.pid, signal.SIGUSR1)
        await self.ask("copyspan/status", None)
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * PAGE / 1e6

    @property
    def num_threads(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _read(self) -> None:
        pipe = self.process.stdout
        assert pipe is not None
        while header := await pipe.readline():
            assert header.lower().startswith(b"content-length:")
            while await pipe.readline() != b"\r\n":
                pass
            message = json.loads(await pipe.readexactly(int(header.split(b":")[1])))
            if "method" not in message:
                self.answers[message["id"]] += 1
                waiting = self._waiting.pop(message["id"], None)
                if waiting is not None:
                    waiting.set_result(message)
            elif "id" in message:
                self._send({"id": message["id"], "result": None})
