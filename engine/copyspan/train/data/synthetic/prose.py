"""Edits of Markdown and of other prose. Code blocks and what is indented stay out of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from copyspan.train.data.synthetic.edit import Edit, SourceFile
from copyspan.train.data.synthetic.wording import Name, word

_HEADING = (
    "Rename the heading {old} to {new}",
    "Change the heading {old} to {new}",
    "The section {old} should be called {new}",
    "Retitle the section {old}: {new}",
)
_TERM = (
    "Replace {old} by {new} everywhere",
    "Say {new} instead of {old}, throughout the text",
    "Use the word {new} for {old} in the whole document",
    "{old} -> {new} everywhere",
    "Change every {old} to {new}",
)
_TYPO = (
    "Fix the typo",
    "There is a spelling mistake, fix it",
    "Correct the spelling of {wrong}",
    "Fix the typo {wrong}",
    "fix typo",
    "{wrong} is misspelt, it should be {right}",
    "{wrong} -> {right}",
)
_INSERT = (
    "Add {item} to the list, after {other}",
    "Insert a list item after {other}: {item}",
    "Add the list item {item} below {other}",
)
_DELETE = (
    "Remove the list item {item}",
    "Delete {item} from the list",
    "Drop the list item that says {item}",
)
_SORT = (
    "Sort the list that starts with {first} alphabetically",
    "Put the items of the list from {first} on into alphabetical order",
)
_ORDERED = (
    "Turn the list that starts with {first} into a numbered one",
    "Number the items of the list that starts with {first}",
)
_BULLETS = (
    "Turn the numbered list that starts with {first} into bullets",
    "Use dashes instead of numbers in the list that starts with {first}",
)
_LINK_TEXT = (
    "Change the text of the link to {url} to {new}",
    "Let the link {old} read {new}",
    "The link text {old} should be {new}",
)
_LINK_URL = (
    "Let the link {old} point to {new}",
    "Change the address of the link {old} to {new}",
    "Update the url of {old}: {new}",
)
_SYNONYMS = {
    "use": "utilise",
    "library": "package",
    "function": "routine",
    "example": "sample",
    "documentation": "docs",
    "support": "handle",
    "method": "procedure",
    "option": "setting",
    "error": "failure",
    "file": "document",
    "directory": "folder",
    "repository": "project",
    "install": "set up",
    "request": "call",
    "server": "host",
    "user": "person",
    "version": "release",
    "application": "app",
    "parameter": "argument",
    "release": "version",
    "code": "source",
    "model": "engine",
    "command": "instruction",
    "change": "modification",
    "feature": "capability",
}
_TITLES = ("Overview", "Getting started", "Usage", "Setup", "Details", "Notes", "Background", "How it works", "FAQ")
_HEADING_LINE = re.compile(r"(#{1,6} )(\S.*?)\s*\Z")
_ITEM = re.compile(r"([*+-]|\d+\.) (\S.*)\Z")
_LINK = re.compile(r"\[([^\[\]\n]{2,60})\]\(((?:https?://)?[^()\s]{3,120})\)")
_WORD = re.compile(r"(?<![\w`/.:#@<-])[a-z]{5,14}(?![\w`/:@>-])")


@dataclass(frozen=True, slots=True)
class _Item:
    line: int
    mark: str
    text: str


def change_heading(file: SourceFile, rng: Random) -> Edit | None:
    lines = file.text.split("\n")
    headings = [(i, match) for i in _prose(lines) if (match := _HEADING_LINE.match(lines[i]))]
    if not headings:
        return None
    i, match = rng.choice(headings)
    old = match[2]
    new = rng.choice([_TITLES[rng.randrange(len(_TITLES))], f"{old} in detail", f"About {old}", f"More on {old}"])
    if new == old or sum(other[2] == old for _, other in headings) > 1:
        return None
    after = _with(lines, {i: f"{match[1]}{new}"})
    return Edit(word(rng, _HEADING, old=Name(old), new=Name(new)), file.text, after)


def swap_term(file: SourceFile, rng: Random) -> Edit | None:
    """One word for another, wherever it stands as a word, with its capital where it has one."""
    terms = [term for term in _SYNONYMS if re.search(rf"\b{term}\b", file.text)]
    if not terms:
        return None
    old = rng.choice(terms)
    new = _SYNONYMS[old]
    pattern = re.compile(rf"\b{old}\b", re.IGNORECASE)
    if re.search(rf"[-\w./=@#_`]{old}\b|\b{old}[-/=@#_`(]|\b{old}\.\w", file.text, re.IGNORECASE):
        return None  # it is a part of a name or an address somewhere
    found = [match[0] for match in pattern.finditer(file.text)]
    if len(found) > 25 or any(text not in (old, old.capitalize()) for text in found):
        return None
    after = pattern.sub(lambda match: new if match[0] == old else new.capitalize(), file.text)
    return Edit(word(rng, _TERM, old=Name(old), new=Name(new)), file.text, after)


def fix_typo(file: SourceFile, rng: Random) -> Edit | None:
    """The way back from letters that were swapped, left out or doubled."""
    lines = file.text.split("\n")
    places = [(i, match) for i in _prose(lines) for match in _WORD.finditer(lines[i])]
    if not places:
        return None
    i, match = rng.choice(places)
    right, at = match[0], rng.randrange(1, len(match[0]) - 1)
    wrong = rng.choice(
        [
            right[:at] + right[at + 1] + right[at] + right[at + 2 :],
            right[:at] + right[at + 1 :],
            right[:at] + right[at] + right[at:],
        ]
    )
    if wrong == right or re.search(rf"\b{wrong}\b", file.text):
        return None
    before = _with(lines, {i: lines[i][: match.start()] + wrong + lines[i][match.end() :]})
    # Nobody finds one letter in a long text without a word about it.
    templates = _TYPO if len(lines) <= 80 else [template for template in _TYPO if "{" in template]
    return Edit(word(rng, templates, wrong=Name(wrong), right=Name(right)), before, file.text)


def insert_item(file: SourceFile, rng: Random) -> Edit | None:
    """The way back from an item that was taken out."""
    lines, items = file.text.split("\n"), _list(file, rng)
    if len(items) < 3 or items[0].mark[0].isdigit():
        return None
    at = rng.randrange(1, len(items))
    item, other = items[at], items[at - 1]
    before = "\n".join(lines[: item.line] + lines[item.line + 1 :])
    if len(item.text) > 200:
        return None
    return Edit(word(rng, _INSERT, item=Name(item.text), other=Name(_short(other.text))), before, file.text)


def delete_item(file: SourceFile, rng: Random) -> Edit | None:
    lines, items = file.text.split("\n"), _list(file, rng)
    if len(items) < 3 or items[0].mark[0].isdigit():
        return None
    item = rng.choice(items)
    if file.text.count(_short(item.text)) > 1:
        return None
    after = "\n".join(lines[: item.line] + lines[item.line + 1 :])
    return Edit(word(rng, _DELETE, item=Name(_short(item.text))), file.text, after)


def sort_items(file: SourceFile, rng: Random) -> Edit | None:
    lines, items = file.text.split("\n"), _list(file, rng)
    if len(items) < 3 or items[0].mark[0].isdigit():
        return None
    ordered = sorted(items, key=lambda item: re.sub(r"\W", "", item.text).lower())
    if ordered == items:
        return None
    after = _with(lines, {place.line: lines[item.line] for place, item in zip(items, ordered, strict=True)})
    return Edit(word(rng, _SORT, first=Name(_short(items[0].text))), file.text, after)


def switch_list(file: SourceFile, rng: Random) -> Edit | None:
    """Bullets to numbers, and back."""
    lines, items = file.text.split("\n"), _list(file, rng)
    if len(items) < 2:
        return None
    is_numbered = items[0].mark[0].isdigit()
    marks = ["-"] * len(items) if is_numbered else [f"{number}." for number in range(1, len(items) + 1)]
    after = _with(lines, {item.line: f"{mark} {item.text}" for item, mark in zip(items, marks, strict=True)})
    templates = _BULLETS if is_numbered else _ORDERED
    return Edit(word(rng, templates, first=Name(_short(items[0].text))), file.text, after)


def change_link(file: SourceFile, rng: Random) -> Edit | None:
    lines = file.text.split("\n")
    places = [(i, match) for i in _prose(lines) for match in _LINK.finditer(lines[i])]
    if not places:
        return None
    i, match = rng.choice(places)
    text, url = match[1], match[2]
    if file.text.count(f"[{text}]") > 1 or file.text.count(url) > 1:
        return None
    if rng.random() < 0.5:
        new = rng.choice([f"{text} (more)", f"the page on {text}", text.upper(), text.title(), "here"])
        templates, link = _LINK_TEXT, f"[{new}]({url})"
    else:
        new = rng.choice([url.rstrip("/") + "/latest", url.rstrip("/") + "#usage", url + "?v=2", "docs/index.md"])
        templates, link = _LINK_URL, f"[{text}]({new})"
    after = _with(lines, {i: lines[i][: match.start()] + link + lines[i][match.end() :]})
    return Edit(word(rng, templates, old=Name(text), new=Name(new), url=url), file.text, after)


def _prose(lines: Sequence[str]) -> list[int]:
    """The numbers of the lines that are no code: not fenced, not indented, no front matter."""
    found, fence = [], ""
    for i, line in enumerate(lines):
        mark = line.lstrip()[:3]
        if fence:
            fence = "" if mark == fence else fence
        elif mark in ("```", "~~~") or (i == 0 and line == "---"):
            fence = mark
        elif not line.startswith(("    ", "\t", "<", ".. ")):
            found.append(i)
    return found


def _list(file: SourceFile, rng: Random) -> list[_Item]:
    """The items of a list whose items have one line each, at the left margin."""
    lines = file.text.split("\n")
    lists: list[list[_Item]] = []
    for i in _prose(lines):
        match = _ITEM.match(lines[i])
        if match is None:
            continue
        item = _Item(i, match[1], match[2])
        if lists and lists[-1][-1].line == i - 1 and lists[-1][-1].mark[-1] == item.mark[-1]:
            lists[-1].append(item)
        else:
            lists.append([item])
    whole = [found for found in lists if len(found) > 1 and not _goes_on(lines, found[-1].line + 1)]
    return rng.choice(whole) if whole else []


def _goes_on(lines: Sequence[str], after: int) -> bool:
    """Whether the last item has more lines."""
    return after < len(lines) and bool(lines[after].strip())


def _short(text: str) -> str:
    """The beginning of an item, by which it is known."""
    link = _LINK.match(text)
    if link:
        return link[1]
    return text if len(text) <= 50 else text[:40].rsplit(" ", 1)[0]


def _with(lines: Sequence[str], changes: dict[int, str]) -> str:
    return "\n".join(changes.get(i, line) for i, line in enumerate(lines))
