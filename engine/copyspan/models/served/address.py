"""Which servers a document may be sent to. Pure: nothing is looked up."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from copyspan.errors import UsageError

_EXAMPLE = "http://localhost:8000/v1"


@dataclass(frozen=True, slots=True)
class Address:
    """A server that was checked."""

    url: str
    """Without a slash at the end; the paths of the API follow it."""
    host: str
    """Host and port, for people: where the text goes."""

    @property
    def root(self) -> str:
        """What vLLM's own paths, which are no part of the API, follow."""
        return self.url.removesuffix("/v1")


def check_address(url: str, *, allow_plain_http: bool = False) -> Address:
    """The address that a person set. `/v1` is added where there is no path.

    Raises UsageError for what is no URL of a server, for one that holds a password, and for plain http to another
    machine unless that is allowed: whoever sits between would read the documents.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise UsageError(f"The server's URL cannot be read: {error}. Write it like {_EXAMPLE}.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{_shown(url)} is no URL of a server. Write it like {_EXAMPLE}.")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "The server's URL holds a name or a password. Take them out, and set COPYSPAN_API_KEY instead."
        )
    if parts.query or parts.fragment:
        raise UsageError(f"The server's URL has a part after its path. Write it like {_EXAMPLE}.")
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    host = name if port is None else f"{name}:{port}"
    if parts.scheme == "http" and not allow_plain_http and not _is_this_machine(parts.hostname):
        raise UsageError(
            f"http://{host} is not encrypted, and not this machine: your text could be read on its way. Take https, or "
            "allow it (--allow-plain-http, in an editor the setting allowPlainHttp)."
        )
    return Address(f"{parts.scheme}://{host}{parts.path.rstrip('/') or '/v1'}", host)


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(url: str) -> str:
    """A URL that may hold a password, without what stands before its last @."""
    return repr(url.rpartition("@")[2][:80])
