"""The options that name an inference server, for every command that loads a model."""

from typing import Annotated

import typer

_PANEL = "Whose model it is"

ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        envvar="COPYSPAN_SERVER",
        help="An OpenAI-compatible server (vLLM) that runs the model. The text that is edited is sent there, with the "
        "key in COPYSPAN_API_KEY.",
        rich_help_panel=_PANEL,
    ),
]
ServedModelOption = Annotated[
    str | None,
    typer.Option(
        "--served-model", help="What the server calls the model, if not as --model does.", rich_help_panel=_PANEL
    ),
]
PlainHttpOption = Annotated[
    bool,
    typer.Option(
        "--allow-plain-http",
        help="Send text to another machine even without encryption.",
        rich_help_panel=_PANEL,
    ),
]
