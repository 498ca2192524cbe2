"""Requests to one server: deadlines, retries, cancelling, and errors in words. Knows no tokens.

A request can be given up at any moment: the connection is closed, and the server stops its work for it. No key and no
text is ever part of a message.
"""

import asyncio
import random
import ssl
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from copyspan.errors import (
    Cancelled,
    RequestRefused,
    ServerError,
    ServerOverloaded,
    ServerRefused,
    ServerUnreachable,
)
from copyspan.models.served.address import Address
from copyspan.models.served.replies import read_failure

POLL_SECONDS = 0.02
_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server may take."""

    connect: float = 5.0
    """Seconds until there is a connection."""
    answer: float = 120.0
    """Seconds without a byte of the answer. A long prompt takes a while, more so where others wait, too."""
    attempts: int = 4
    """Requests in all, where it says that it is busy or failed."""
    pause: float = 0.5
    """Seconds before the second request; doubled for each one after it."""
    longest_pause: float = 10.0
    """Whatever the server asks for."""


class Link:
    """One server. Not thread-safe: each model has a link of its own."""

    def __init__(
        self,
        address: Address,
        key: str | None = None,
        patience: Patience | None = None,
    ) -> None:
        """`key` is sent as a bearer token."""
        self.address = address
        self._patience = patience or Patience()
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._runner = asyncio.Runner()
        self._client: httpx2.AsyncClient | None = None

    def get(self, path: str, *, cancelled: Callable[[], bool] = lambda: False) -> bytes:
        """The body of a reply. Raises ServerError and Cancelled."""
        return self._wait(self._ask("GET", path, None), cancelled)

    def post(self, path: str, body: Mapping[str, Any], *, cancelled: Callable[[], bool] = lambda: False) -> bytes:
        """The body of the reply to `body`, sent as JSON. Raises ServerError and Cancelled."""
        return self._wait(self._ask("POST", path, body), cancelled)

    def close(self) -> None:
        if self._client is not None:
            self._runner.run(self._client.aclose())
            self._client = None
        self._runner.close()

    def _wait(self, call: Coroutine[Any, Any, bytes], cancelled: Callable[[], bool]) -> bytes:
        return self._runner.run(_unless(cancelled, call))

    async def _ask(self, method: str, path: str, body: Mapping[str, Any] | None) -> bytes:
        patience = self._patience
        for attempt in range(1, patience.attempts + 1):
            reply = await self._send(method, path, body)
            if reply.status_code not in _BUSY:
                break
            if attempt < patience.attempts:
                await asyncio.sleep(_pause(reply, attempt, patience))
        else:
            raise ServerOverloaded(
                f"{self.address.host} is too busy or failing (HTTP {reply.status_code}{_said(reply)}), "
                f"{patience.attempts} times in a row; nothing was changed. Try again later."
            )
        if reply.is_success:
            return reply.content
        raise self._refusal(reply, path)

    async def _send(self, method: str, path: str, body: Mapping[str, Any] | None) -> httpx2.Response:
        host = self.address.host
        try:
            return await self._connected().request(method, path, json=body)
        except httpx2.TimeoutException as error:
            raise ServerUnreachable(
                f"{host} did not answer in time ({type(error).__name__}); nothing was changed. "
                "See whether the server is up and not overloaded, and try again."
            ) from error
        except httpx2.ConnectError as error:
            if _is_about_certificates(error):
                raise ServerUnreachable(
                    f"{host} has no certificate that this machine trusts ({_first_line(error)}). Install the "
                    "certificate of its authority, or name it in SSL_CERT_FILE."
                ) from error
            raise ServerUnreachable(
                f"{host} cannot be reached ({_first_line(error)}); nothing was changed. "
                "Start the server, or correct its URL."
            ) from error
        except httpx2.TransportError as error:
            raise ServerUnreachable(
                f"The connection to {host} broke off ({type(error).__name__}); nothing was changed. "
                "See whether the server is still up, and try again."
            ) from error
        except (httpx2.InvalidURL, httpx2.HTTPError) as error:
            raise ServerRefused(f"{host} cannot be asked ({_first_line(error)}). Correct its URL.") from error

    def _connected(self) -> httpx2.AsyncClient:
        """The client, made inside the loop that it will live in."""
        if self._client is None:
            self._client = httpx2.AsyncClient(
                base_url=self.address.url,
                headers=self._headers,
                timeout=httpx2.Timeout(self._patience.answer, connect=self._patience.connect),
                follow_redirects=False,  # a key and a document go where they were sent, and nowhere else
            )
        return self._client

    def _refusal(self, reply: httpx2.Response, path: str) -> ServerError:
        host, status = self.address.host, reply.status_code
        if status in (401, 403):
            return ServerRefused(
                f"{host} does not accept the key (HTTP {status}). Set COPYSPAN_API_KEY to a key that it knows."
            )
        if status == 404:
            return ServerRefused(
                f"{host} knows no {path} or no such model (HTTP 404{_said(reply)}). "
                "Check the URL, which usually ends in /v1, and the model's name."
            )
        if reply.is_redirect:
            return ServerRefused(f"{host} sends requests elsewhere (HTTP {status}). Set the URL that it points to.")
        return RequestRefused(f"{host} turned the request down (HTTP {status}{_said(reply)}); nothing was changed.")


async def _unless(cancelled: Callable[[], bool], call: Coroutine[Any, Any, bytes]) -> bytes:
    """The result of `call`, which is given up as soon as `cancelled` answers true. Raises Cancelled."""
    task = asyncio.ensure_future(call)
    try:
        while not task.done():
            if cancelled():
                raise Cancelled("The edit was cancelled.")
            await asyncio.wait((task,), timeout=POLL_SECONDS)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait((task,))


def _pause(reply: httpx2.Response, attempt: int, patience: Patience) -> float:
    """Seconds before the next request; a little drawn, so that those who were turned away do not come back as one."""
    asked = reply.headers.get("retry-after", "")
    wanted = float(asked) if asked.isdecimal() else patience.pause * 2 ** (attempt - 1)
    return min(wanted, patience.longest_pause) * random.uniform(1.0, 1.25)


def _said(reply: httpx2.Response) -> str:
    said = read_failure(reply.content)
    return f": {said}" if said else ""


def _is_about_certificates(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:160] if lines else type(error).__name__
