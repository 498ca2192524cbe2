"""Edits of imports: added, removed where nothing uses them, sorted."""

import re
from random import Random

from copyspan.train.data.synthetic.code import Line, replaced
from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.wording import Name, word

_ADD = (
    "Add the missing import of {name}",
    "Import {name}",
    "{name} is used and not imported, add the import",
    "Add {line} to the imports",
    "Fix the missing import of {name}",
)
_REMOVE = (
    "Remove the unused import of {name}",
    "Remove unused imports",
    "Delete the import of {name}, nothing uses it",
    "{name} is imported and not used",
    "Clean up the unused import",
)
_SORT = (
    "Sort the imports",
    "Sort the imports alphabetically",
    "Put the imports into alphabetical order",
    "imports should be sorted",
)
_SORT_BLOCK = (
    "Sort the block of imports that starts with {first}",
    "Order the imports alphabetically, from the line {first} to the end of its block",
)
_PYTHON_MODULES = ("os", "sys", "json", "re", "time", "copy", "math", "random", "shutil", "string", "textwrap", "uuid")
_SCRIPT_MODULES = ("fs", "path", "util", "assert", "crypto", "events", "stream", "zlib", "readline")
_IMPORT = re.compile(r"import [\w.]+(?: as \w+)?|from [\w.]+ import \w+(?: as \w+)?(?:, \w+(?: as \w+)?)*")
_REQUIRE = re.compile(r"(?:const|var|let) \w+ = require\(['\"][^'\"]+['\"]\);?|import \w+ from ['\"][^'\"]+['\"];?")


def add_import(file: SourceFile, rng: Random) -> Edit | None:
    """The way back from an import that was taken out although it is used."""
    imports = [(line, _bound(line.text)) for line in _imports(file)]
    used = [(line, names[0]) for line, names in imports if len(names) == 1 and _num_uses(file, names[0]) > 1]
    if not used:
        return None
    line, name = rng.choice(used)
    before = replaced(file.text, [(line.start, line.stop, "")])
    return Edit(word(rng, _ADD, name=Name(name), line=Name(line.content)), before, file.text)


def remove_import(file: SourceFile, rng: Random) -> Edit | None:
    """The way back from an import that nothing uses."""
    code, lines = file.code, _imports(file)
    if code is None or not lines or "*" in "".join(line.text for line in lines):
        return None
    modules = _PYTHON_MODULES if code.is_python else _SCRIPT_MODULES
    name = rng.choice([module for module in modules if module not in code.names] or [""])
    if not name:
        return None
    place = rng.choice(lines)
    new = f"import {name}\n"
    if not code.is_python:
        sample = place.text
        quote = "'" if "'" in sample else '"'
        end = ";" if sample.endswith(";") else ""
        keyword = sample.split()[0]
        new = f"{keyword} {name} = require({quote}{name}{quote}){end}\n"
        if keyword == "import":
            new = f"import {name} from {quote}{name}{quote}{end}\n"
    before = replaced(file.text, [(place.start, place.start, new)])
    return Edit(word(rng, _REMOVE, name=Name(name)), before, file.text)


def sort_imports(file: SourceFile, rng: Random) -> Edit | None:
    """Sort the lines of one block: those that follow each other."""
    lines = _imports(file)
    blocks: list[list[Line]] = []
    for line in lines:
        if blocks and blocks[-1][-1].stop == line.start:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    blocks = [block for block in blocks if len(block) > 2]
    if not blocks:
        return None
    block = rng.choice(blocks)
    texts = [line.text for line in block]
    ordered = sorted(texts, key=str.lower)
    shuffled = rng.sample(texts, len(texts)) if rng.random() < 0.6 else texts
    if len({text.split()[0] for text in texts}) > 1 or shuffled == ordered:
        return None  # import before from, or among it: nothing to rely on
    start, stop = block[0].start, block[-1].stop
    versions = ["".join(f"{text}\n" for text in order) for order in (shuffled, ordered)]
    before, after = (replaced(file.text, [(start, stop, version)]) for version in versions)
    templates = _SORT if len(block) == len(lines) else _SORT_BLOCK
    return Edit(word(rng, templates, first=Name(shuffled[0])), before, after)


def _imports(file: SourceFile) -> list[Line]:
    """Imports at the left margin, on one line each."""
    if file.code is None:
        return []
    pattern = _IMPORT if file.code.is_python else _REQUIRE
    return [line for line in file.code.lines if line.is_whole and pattern.fullmatch(line.text)]


def _bound(line: str) -> list[str]:
    """The names that an import makes known."""
    if line.startswith(("const", "var", "let")) or " from " in line:
        return [line.split()[1]]
    names = line.removeprefix("import ").split(" import ")[-1].split(", ")
    return [name.split(" as ")[-1].split(".")[0] for name in names]


def _num_uses(file: SourceFile, name: str) -> int:
    assert file.code is not None
    return sum(token.text == name and token.kind == "name" for token in file.code.tokens)
