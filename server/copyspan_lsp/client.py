"""What a client can do, read once from its `initialize` request, and the ways around what it cannot."""

from dataclasses import dataclass

from lsprotocol import types

_SYNCHRONOUS = {"emacs", "eglot"}
"""Clients whose requests block the editor and fail after ten seconds, by the name that they give."""


@dataclass(frozen=True, slots=True)
class Client:
    """The capabilities that matter here."""

    versioned_edits: bool = False
    """Whether a WorkspaceEdit may name the version that it was made for."""
    resolves_edits: bool = False
    """Whether a code action's edit may come later, by `codeAction/resolve`."""
    counts_units: bool = True
    """Whether it can be trusted with columns beside characters that are not ASCII."""
    shows_progress: bool = False
    """Whether the server may open a progress bar of its own."""
    asks_messages: bool = False
    """Whether a message can carry buttons."""
    pulls_settings: bool = False
    """Whether settings can be asked for."""
    pushes_settings: bool = False
    """Whether the server has to register to be told of changed settings."""
    ask_command: str | None = None
    """The client's own command that asks a person for an instruction."""

    @classmethod
    def of(cls, params: types.InitializeParams) -> "Client":
        capabilities = params.capabilities
        workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
        window = capabilities.window or types.WindowClientCapabilities()
        edits = workspace.workspace_edit or types.WorkspaceEditClientCapabilities()
        encodings = capabilities.general.position_encodings if capabilities.general else None
        dynamic = workspace.did_change_configuration
        return cls(
            # Neovim takes documentChanges, announces only the operations that can come in them, and checks versions.
            versioned_edits=bool(edits.document_changes or edits.resource_operations),
            resolves_edits=_resolves_edits(params),
            # Vim's ALE counts bytes whatever it announces; clients of its kind announce no encodings.
            counts_units=bool(encodings),
            shows_progress=bool(window.work_done_progress),
            asks_messages=window.show_message is not None and window.show_message.message_action_item is not None,
            pulls_settings=bool(workspace.configuration),
            pushes_settings=bool(dynamic and dynamic.dynamic_registration),
            ask_command=_ask_command(params.initialization_options),
        )


def _resolves_edits(params: types.InitializeParams) -> bool:
    name = params.client_info.name.lower() if params.client_info else ""
    document = params.capabilities.text_document
    action = document.code_action if document else None
    support = action.resolve_support if action else None
    if name in _SYNCHRONOUS or action is None or support is None:
        return False
    return "edit" in support.properties and bool(action.data_support)


def _ask_command(options: object) -> str | None:
    """`initializationOptions.askCommand`, by which our own clients say that they can ask."""
    command = options.get("askCommand") if isinstance(options, dict) else None
    return command if isinstance(command, str) else None
