"""The values that makers take and give: a source file and an edit."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from random import Random

from copyspan.train.data.synthetic.code import Code, Function, parse
from copyspan.train.data.synthetic.functions_of import python_functions, script_functions


@dataclass(frozen=True)
class SourceFile:
    """A text that edits are made of, with LF line ends."""

    source: str
    """Where it comes from, as in `EditPair.source`."""
    name: str
    """Its base name."""
    lang: str
    text: str
    license: str = ""

    @cached_property
    def code(self) -> Code | None:
        """The text as code; None for prose, and where it is not understood."""
        return parse(self.text, self.lang)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """The functions of the code; none where it is not understood."""
        if self.code is None:
            return ()
        return tuple(python_functions(self.code) if self.code.is_python else script_functions(self.code))

    def called(self, function: Function) -> str:
        """The function's name, with that of its class where another function has the same one."""
        is_shared = sum(function.name == other.name for other in self.functions) > 1
        return f"{function.owner}.{function.name}" if is_shared and function.owner else function.name

    def with_text(self, text: str) -> "SourceFile":
        return replace(self, text=text)


@dataclass(frozen=True, slots=True)
class Edit:
    """What is asked, and the texts before and after. One of them is that of the file; for faults it is `after`."""

    instruction: str
    before: str
    after: str


Maker = Callable[[SourceFile, Random], Edit | None]

LANGUAGES = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".md": "markdown",
    ".markdown": "markdown",
    ".rst": "rst",
    ".txt": "text",
    ".json": "json",
    ".yml": "yaml",
    ".yaml": "yaml",
    ".toml": "toml",
    ".css": "css",
    ".html": "html",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".rb": "ruby",
    ".sh": "shell",
    ".c": "c",
    ".h": "c",
    ".cpp": "cpp",
    ".lua": "lua",
}


def language_of(name: str) -> str:
    """The language of a file by the ending of its name; "" for others."""
    return LANGUAGES.get(PurePath(name).suffix.lower(), "")
