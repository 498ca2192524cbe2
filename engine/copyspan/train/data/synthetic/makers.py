"""Every kind of edit by name: its maker, the languages it is for, and how often it is drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from copyspan.train.data.synthetic import (
    constants,
    documentation,
    functions,
    hints,
    hoist,
    imports,
    layout,
    parameters,
    prose,
    rename,
    statements,
)
from copyspan.train.data.synthetic.edit import Maker
from copyspan.train.data.synthetic.faults.faulty import FAULTS, fault_maker

_CODE = frozenset({"python", "javascript", "typescript"})
_PYTHON = frozenset({"python"})
_PROSE = frozenset({"markdown", "rst", "text"})
_MARKDOWN = frozenset({"markdown"})


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of edit."""

    make: Maker
    langs: frozenset[str]
    weight: float = 1.0
    can_repeat: bool = False
    """Whether the instruction asks for nothing more once it is carried out."""


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "rename-everywhere": Kind(rename.rename_everywhere, _CODE, 2, can_repeat=True),
        "rename-in-function": Kind(rename.rename_in_function, _CODE, 2, can_repeat=True),
        "add-parameter": Kind(parameters.add_parameter, _CODE),
        "remove-parameter": Kind(parameters.remove_parameter, _CODE),
        "swap-parameters": Kind(parameters.swap_parameters, _CODE, 0.5),
        "change-constant": Kind(constants.change_constant, _CODE, 2, can_repeat=True),
        "write-documentation": Kind(documentation.write_documentation, _CODE, 1.5),
        "remove-documentation": Kind(documentation.remove_documentation, _CODE, 0.7, can_repeat=True),
        "reshape-documentation": Kind(documentation.reshape_documentation, _PYTHON, 0.7),
        "add-comment": Kind(documentation.add_comment, _CODE, 0.7),
        "remove-comments": Kind(documentation.remove_comments, _CODE, 0.7, can_repeat=True),
        "add-hints": Kind(hints.add_hints, _PYTHON, 1),
        "remove-hints": Kind(hints.remove_hints, _PYTHON, 0.5, can_repeat=True),
        "add-none-result": Kind(hints.add_none_result, _PYTHON, 0.5),
        "add-guard": Kind(statements.add_guard, _CODE, 2),
        "add-log": Kind(statements.add_log, _CODE),
        "add-error-handling": Kind(statements.add_error_handling, _CODE, 1.5),
        "delete-function": Kind(functions.delete_function, _CODE, 1.5, can_repeat=True),
        "insert-function": Kind(functions.insert_function, _CODE, 2),
        "move-function": Kind(functions.move_function, _CODE, 1.5),
        "hoist-method": Kind(hoist.hoist_method, _PYTHON),
        "add-import": Kind(imports.add_import, _CODE),
        "remove-import": Kind(imports.remove_import, _CODE, 0.7, can_repeat=True),
        "sort-imports": Kind(imports.sort_imports, _CODE, 0.7, can_repeat=True),
        "spread-brackets": Kind(layout.spread_brackets, _CODE),
        "join-brackets": Kind(layout.join_brackets, _CODE, 0.7),
        "sort-entries": Kind(layout.sort_entries, _CODE, 0.7, can_repeat=True),
        "change-heading": Kind(prose.change_heading, _MARKDOWN, can_repeat=True),
        "swap-term": Kind(prose.swap_term, _PROSE, 1.5, can_repeat=True),
        "fix-typo": Kind(prose.fix_typo, _PROSE, 2),
        "insert-item": Kind(prose.insert_item, _PROSE),
        "delete-item": Kind(prose.delete_item, _PROSE, can_repeat=True),
        "sort-items": Kind(prose.sort_items, _PROSE, 0.7),
        "switch-list": Kind(prose.switch_list, _PROSE, 0.7),
        "change-link": Kind(prose.change_link, _MARKDOWN),
        **{f"fault-{name}": Kind(fault_maker(name), _CODE) for name in FAULTS},
    }
)
