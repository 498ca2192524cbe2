"""An OpenAI-compatible server on the loopback that speaks vLLM's protocol, answers from a script, and can misbehave.

Its replies have the shape of those of vLLM 0.32; what a test does not look at is left out.
"""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from copyspan.models.protocol import Tokenizer
from copyspan.testing import ASSISTANT, END, ByteTokenizer, Script, ScriptedModel
from copyspan.tokens import TokenSet

Fault = Callable[["_Handler"], bool]
"""Does something in the place of an answer; False lets the answer follow."""


@dataclass
class FakeServer:
    """Serves one model. A context manager."""

    script: Script | Sequence[str]
    model: str = "scripted"
    root: str = "org/scripted"
    adapters: tuple[str, ...] = ()
    tokenizer: Tokenizer = field(default_factory=ByteTokenizer)
    context_size: int | None = 100_000
    key: str | None = None
    scores_prompts: bool = True
    obeys_allowed: bool = True
    tells_ids: bool = True
    names_by_ids: bool = True
    """Whether log-probabilities are those of ids, or of texts as with OpenAI."""
    tells_cached: bool = True
    counts_end: bool = True
    """Whether the token that ends a turn is among those that it sends."""
    faults: list[Fault] = field(default_factory=list)
    """One for each completion to come."""
    faults_for_edits: list[Fault] = field(default_factory=list)
    """The same, for the completions after those by which the server is asked what it can do."""
    fails_after: int | None = None
    """After how many completions it fails for good."""
    seconds: float = 0.0
    """How long a completion takes."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    """Of the completions that were asked for."""
    most_at_once: int = 0
    """How many completions were under way at the same time, at most."""
    aborted: int = 0
    """How many clients went away before their answer came."""
    port: int = 0

    def __enter__(self) -> "FakeServer":
        self._lock = threading.Lock()
        self._read: list[list[int]] = []
        self._at_once = 0
        self._connections: set[socket.socket] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), type("Handler", (_Handler,), {"fake": self}))
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._connections):  # which clients keep for the next request
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def prompts(self) -> list[list[int]]:
        return [body["prompt"] for body in self.bodies]

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """One more completion is under way."""
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1

    def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        """The reply to a completion."""
        raw = body["prompt"]
        prompt = self.tokenizer.encode(raw) if isinstance(raw, str) else list(raw)
        model = ScriptedModel(self.script, context_size=10**9)
        top = max(2, body.get("logprobs") or 0, body.get("prompt_logprobs") or 0)
        # The script knows what follows a prompt, and nothing of what stands in it.
        scored = len(prompt) - prompt.index(ASSISTANT) if ASSISTANT in prompt else 1
        known = model.extend(prompt, scored=scored, top=top).options
        rows = [((END, -0.1),)] * (len(prompt) - scored) + list(known)
        choice: dict[str, Any] = {"index": 0, "text": "", "logprobs": None, "stop_reason": None}
        if body.get("prompt_logprobs") is not None and self.scores_prompts:
            choice["prompt_logprobs"] = [
                None,
                *(_ranked(dict(row), token) for row, token in zip(rows, prompt[1:], strict=False)),
            ]
        tokens, options = self._write(model, prompt, rows[-1], body)
        ended = bool(tokens) and tokens[-1] in self.tokenizer.end_tokens
        if ended and not self.counts_end:
            tokens, options = tokens[:-1], options[:-1]
        choice["finish_reason"] = "stop" if ended else "length"
        if self.tells_ids:
            choice |= {"token_ids": tokens, "prompt_token_ids": prompt}
        if body.get("logprobs") is not None:
            name = "token_id:{}" if self.names_by_ids else "text {}"
            named = [{name.format(token): value for token, value in row} for row in options]
            choice["logprobs"] = {
                "tokens": [name.format(token) for token in tokens],
                "token_logprobs": [dict(row).get(token, -30.0) for token, row in zip(tokens, options, strict=True)],
                "top_logprobs": named,
                "text_offset": [0] * len(tokens),
            }
        usage: dict[str, Any] = {"prompt_tokens": len(prompt), "completion_tokens": len(tokens)}
        if self.tells_cached:
            usage["prompt_tokens_details"] = {"cached_tokens": self._cached(prompt)}
        return {
            "id": "cmpl-1",
            "object": "text_completion",
            "model": body["model"],
            "choices": [choice],
            "usage": usage,
        }

    def _write(
        self, model: ScriptedModel, prompt: list[int], first: Sequence[tuple[int, float]], body: dict[str, Any]
    ) -> tuple[list[int], list[list[tuple[int, float]]]]:
        """The tokens of a completion, and what could have stood in the place of each."""
        allowed = _allowed(body) if self.obeys_allowed else None
        tokens: list[int] = []
        options: list[list[tuple[int, float]]] = []
        row = list(first)
        while len(tokens) < body["max_tokens"]:
            token = row[0][0]
            if allowed is not None:
                inside = [t for t, _ in row if t in allowed]
                token = inside[0] if inside else _any_of(allowed)
                row = row if inside else [(token, -9.0), *row]
            tokens.append(token)
            options.append(row)
            if token in self.tokenizer.end_tokens:
                break
            row = list(model.extend([token], top=max(2, body.get("logprobs") or 0)).options[0])
        return tokens, options

    def _cached(self, prompt: list[int]) -> int:
        """Whole blocks of 16 tokens that an earlier prompt began with."""
        with self._lock:
            shared = max((_common(old, prompt) for old in self._read), default=0)
            self._read.append(prompt)
        return shared // 16 * 16


class _Handler(BaseHTTPRequestHandler):
    fake: FakeServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    """Header and body leave together: one after the other, the second would wait for the first one's receipt."""

    def setup(self) -> None:
        super().setup()
        self.fake._connections.add(self.connection)

    def finish(self) -> None:
        self.fake._connections.discard(self.connection)
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `bodies`."""

    def do_GET(self) -> None:
        fake = self.fake
        if self.path == "/version":
            self.answer({"version": "0.32.0"})
        elif self.path != "/v1/models":
            self.answer({"detail": "Not Found"}, 404)
        elif not self._is_known():
            self.answer({"error": "Unauthorized"}, 401)
        else:
            base = {"id": fake.model, "root": fake.root, "parent": None, "max_model_len": fake.context_size}
            lora = [{"id": name, "root": f"/adapters/{name}", "parent": fake.model} for name in fake.adapters]
            self.answer({"object": "list", "data": [base, *lora]})

    def do_POST(self) -> None:
        fake = self.fake
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._is_known():
            self.answer({"error": "Unauthorized"}, 401)
            return
        if self.path != "/v1/completions" or body["model"] not in (fake.model, *fake.adapters):
            message = f"The model `{body.get('model')}` does not exist."
            self.answer({"error": {"message": message, "type": "NotFoundError", "code": 404}}, 404)
            return
        with fake.at_work():
            self._complete(body)

    def _complete(self, body: dict[str, Any]) -> None:
        fake = self.fake
        fake.bodies.append(body)
        if fake.fails_after is not None and len(fake.bodies) > fake.fails_after:
            self.answer({"error": "Unauthorized"}, 401)
            return
        if fake.faults and fake.faults.pop(0)(self):
            return
        is_probe = isinstance(body["prompt"], str) or ASSISTANT not in body["prompt"]
        if fake.faults_for_edits and not is_probe and fake.faults_for_edits.pop(0)(self):
            return
        if body.get("prompt_logprobs") is not None and not fake.scores_prompts:
            self.answer({"error": {"message": "prompt_logprobs is not supported", "code": 400}}, 400)
        elif self.waits(fake.seconds):
            self.answer(fake.complete(body))

    def waits(self, seconds: float) -> bool:
        """Whether the client is still there after so long."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.connection.settimeout(0.01)
            try:
                if self.connection.recv(1, socket.MSG_PEEK) == b"":
                    self.fake.aborted += 1
                    self.close_connection = True
                    return False
            except TimeoutError:
                continue
            finally:
                self.connection.settimeout(None)
        return True

    def answer(self, reply: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _is_known(self) -> bool:
        return self.fake.key is None or self.headers.get("Authorization") == f"Bearer {self.fake.key}"


def status(code: int, message: str = "", retry_after: str | None = None) -> Fault:
    """An error of HTTP."""

    def fault(handler: _Handler) -> bool:
        headers = {"Retry-After": retry_after} if retry_after else {}
        handler.answer({"error": {"message": message, "code": code}}, code, headers)
        return True

    return fault


def replied(reply: object) -> Fault:
    """A reply of another shape."""

    def fault(handler: _Handler) -> bool:
        handler.answer(reply)
        return True

    return fault


def broken(handler: _Handler) -> bool:
    """The connection breaks in the middle of the answer."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"id":')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True
    return True


def hung(handler: _Handler) -> bool:
    """No answer for a minute, or until the client goes away."""
    handler.waits(60)
    return True


def fine(handler: _Handler) -> bool:
    """As ever."""
    return False


def _allowed(body: dict[str, Any]) -> TokenSet | None:
    if body.get("allowed_token_ids"):
        return TokenSet(tuple(body["allowed_token_ids"]))
    if body.get("logit_bias"):
        return TokenSet(tuple(map(int, body["logit_bias"])), complement=True)
    return None


def _any_of(allowed: TokenSet) -> int:
    return next(token for token in range(256) if token in allowed) if allowed.complement else allowed.ids[0]


def _ranked(row: dict[int, float], token: int) -> dict[str, dict[str, Any]]:
    """One place of a prompt: the likeliest tokens, and the one that stands there."""
    row = {token: row.get(token, -30.0), **row}
    return {
        str(known): {"logprob": value, "rank": 1 + sum(other > value for other in row.values()), "decoded_token": "?"}
        for known, value in row.items()
    }


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    return next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
