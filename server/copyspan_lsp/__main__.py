"""Starts the language server: `copyspan serve`, or `python -m copyspan_lsp`."""

import logging
import os
import sys
from typing import Literal

from copyspan_lsp.holder import Loader, load_installed
from copyspan_lsp.logs import configure
from copyspan_lsp.server import CopyspanServer

_logger = logging.getLogger("copyspan_lsp.main")  # also where this module runs as __main__

Transport = Literal["stdio", "tcp", "ws"]

_PATIENCE = 2.0
"""Seconds that the model has to let go when the client says goodbye."""


def serve(
    transport: Transport = "stdio", host: str = "127.0.0.1", port: int = 8888, load: Loader = load_installed
) -> None:
    """Serve one client until it leaves; does not return.

    The exit code is 0 after a proper goodbye, else 1.
    """
    logs = configure(logging.INFO)
    server = CopyspanServer(load, logs)
    if transport != "stdio":
        _logger.info("Listening on %s, port %d.", host, port)
    if transport == "tcp":
        server.start_tcp(host, port)
    elif transport == "ws":
        server.start_ws(host, port)
    else:
        server.start_io()
    server.wait_for_jobs(_PATIENCE)
    sys.stderr.flush()
    # A model that loads, and a reader that waits for input, cannot be interrupted; nobody is left to wait for them.
    os._exit(0 if server.said_goodbye else 1)


if __name__ == "__main__":
    serve()
