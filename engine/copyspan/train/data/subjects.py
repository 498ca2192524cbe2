"""Instructions from the subjects of commits: without what only a version control or a tracker understands."""

import re

_PREFIX = re.compile(
    r"(?:feat|feature|fix|fixes|bugfix|docs?|style|refactor|perf|tests?|build|ci|chore|types?|deps?|misc|copy|cosmetic)"
    r"(?:\([^)]*\))?!?:\s+",
    re.IGNORECASE,
)
_EMOJI = re.compile(r"(?::[a-z0-9_+-]+:|[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?)\s*")
_TICKET = re.compile(r"\[?[A-Z]{2,10}-\d+\]?:?\s+|\[[^\]]{1,20}\]\s+")
_NUMBER = re.compile(
    r"\s*[([]?(?:(?:closes?|fixe?[sd]?|resolves?|refs?|see|issues?|pr|gh)[\s:-]*)*(?:[\w./-]*#\d+|gh-\d+)[)\]]?",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"(?:merge|revert|bump|release|version|wip|squash|fixup|initial|init|update (?:changelog|version|deps|dependenc)"
    r"|prepare|tag|v?\d+\.\d+|set version|\[(?:bot|ci)|auto|sync|apply suggestions|address review|cleanup$|clean up$)",
    re.IGNORECASE,
)
_LEAST_WORDS, _LEAST_CHARACTERS = 2, 10


def instruction_of(subject: str) -> str | None:
    """The subject as an instruction; None where it says nothing that could be carried out.

    `fix(api): Return early, closes #12` becomes `Return early`.
    """
    text = subject.strip()
    for pattern in (_EMOJI, _TICKET, _PREFIX, _EMOJI):
        match = pattern.match(text)
        text = text[match.end() :] if match else text
    text = _NUMBER.sub("", text).strip(" \t-:;,")
    if text.endswith(("...", "…")) or _EMPTY.match(text) or _EMPTY.match(subject.strip()):
        return None
    is_short = len(text) < _LEAST_CHARACTERS or len(text.split()) < _LEAST_WORDS
    return None if is_short else text
