"""A model hub on the loopback: the four requests that huggingface_hub makes to fetch a model, and a log of them."""

import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

REVISION = "0123456789abcdef0123456789abcdef01234567"
_LARGE = (".safetensors", ".bin", ".gguf")


@dataclass
class FakeHub:
    """Serves the files of `models`, by id and name. A context manager."""

    models: dict[str, dict[str, bytes]]
    status: dict[str, int] = field(default_factory=dict)
    """Ids that are answered with an error."""
    corrupted: dict[str, int] = field(default_factory=dict)
    """File names, and how many times they are served with other bytes of the same length."""
    cut: dict[str, int] = field(default_factory=dict)
    """File names, and how many times the connection breaks in the middle of them."""
    unavailable: set[str] = field(default_factory=set)
    """File names that cannot be had now."""
    knows_ranges: bool = True
    revision: str = REVISION
    log: list[str] = field(default_factory=list)
    """"GET /path", with the range where one was asked for."""

    def __enter__(self) -> "FakeHub":
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": self}))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def downloads(self, name: str) -> list[str]:
        """The log's downloads of one file."""
        return [
            line for line in self.log if line.startswith("GET ") and line.partition(" bytes=")[0].endswith(f"/{name}")
        ]


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub

    def log_message(self, format: str, *args: Any) -> None:
        wanted = self.headers.get("Range")
        self.hub.log.append(f"{self.command} {self.path}" + (f" {wanted}" if wanted else ""))

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path).strip("/")
        if path.startswith("api/models/"):
            hub_id, *rest = (
                path.removeprefix("api/models/").replace("/tree/", "\0").replace("/revision/", "\1").split("\0")
            )
            self._api(hub_id.partition("\1")[0], is_tree=bool(rest))
        else:
            hub_id, _, name = path.partition("/resolve/")
            self._file(hub_id, name.partition("/")[2])

    def _api(self, hub_id: str, is_tree: bool) -> None:
        if hub_id not in self.hub.models:
            code = self.hub.status.get(hub_id, 404)
            self._answer(code, b"{}", {"X-Error-Code": {401: "GatedRepo", 404: "RepoNotFound"}.get(code, "")})
            return
        files = self.hub.models[hub_id]
        if is_tree:
            listing: Any = [_entry(name, data) for name, data in files.items()]
        else:
            siblings = [_sibling(name, data) for name, data in files.items()]
            listing = {"id": hub_id, "sha": self.hub.revision, "tags": ["license:mit"], "siblings": siblings}
        self._answer(200, json.dumps(listing).encode(), {"Content-Type": "application/json"})

    def _file(self, hub_id: str, name: str) -> None:
        data = self.hub.models.get(hub_id, {}).get(name)
        if data is None:
            self._answer(404, b"", {"X-Error-Code": "EntryNotFound"})
            return
        if name in self.hub.unavailable:
            self._answer(503, b"", {})
            return
        headers = {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": self.hub.revision}
        if self.hub.corrupted.get(name, 0) > 0:
            self.hub.corrupted[name] -= 1
            data = bytes(255 - byte for byte in data)
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").partition("-")[0])
        if not self.hub.knows_ranges:
            self._answer(200, data, headers)
            return
        headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        is_cut = self.hub.cut.get(name, 0) > 0
        self.hub.cut[name] = self.hub.cut.get(name, 0) - is_cut
        self._answer(206, data[start:], headers, cut=(1 << 20) + 5 if is_cut else None)

    def _answer(self, code: int, body: bytes, headers: dict[str, str], cut: int | None = None) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body[:cut])
        self.close_connection = cut is not None


def _lfs(data: bytes) -> dict[str, Any]:
    return {
        "sha256": hashlib.sha256(data).hexdigest(),
        "oid": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "pointerSize": 130,
    }


def _sibling(name: str, data: bytes) -> dict[str, Any]:
    lfs = {"lfs": _lfs(data)} if name.endswith(_LARGE) else {}
    return {"rfilename": name, "size": len(data), "blobId": hashlib.sha1(data).hexdigest()} | lfs


def _entry(name: str, data: bytes) -> dict[str, Any]:
    lfs = {"lfs": _lfs(data)} if name.endswith(_LARGE) else {}
    return {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()} | lfs
