"""`copyspan serve`: starts the language server."""

from typing import Annotated

import typer

from copyspan.errors import UsageError


def serve(
    tcp: Annotated[bool, typer.Option("--tcp", help="Listen on a TCP port instead of standard input.")] = False,
    ws: Annotated[bool, typer.Option("--ws", help="Listen for a WebSocket (needs `pip install websockets`).")] = False,
    host: Annotated[str, typer.Option(help="The address to listen on; only this machine's by default.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8888,
) -> None:
    """Serve an editor: the Language Server Protocol on standard input and output."""
    from copyspan_lsp.__main__ import serve as run  # pygls takes a quarter of a second to import

    if tcp and ws:
        raise UsageError("--tcp and --ws exclude each other. Give one of them.")
    run("tcp" if tcp else "ws" if ws else "stdio", host, port)
