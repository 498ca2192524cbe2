"""What the server answers to. Each module registers its part; none holds state."""

from typing import TYPE_CHECKING

from copyspan_lsp.handlers import actions, commands, edits, lifecycle

if TYPE_CHECKING:
    from copyspan_lsp.server import CopyspanServer


def register(server: "CopyspanServer") -> None:
    """Give the server its handlers."""
    for module in (lifecycle, edits, actions, commands):
        module.register(server)
