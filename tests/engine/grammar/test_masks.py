"""Law 6: a mask allows a token exactly where the grammar accepts some continuation, checked by brute force.

The oracle knows whole programs only: a regular expression for the tags, Python's UTF-8 decoder for the bodies. A text
can be continued where one of a fixed list of endings makes a program of it; the list holds every end of an operation.
"""

import re
import time
from collections.abc import Callable
from functools import cache

import pytest
from vocabularies import Tokens

from copyspan.grammar import body
from copyspan.grammar.automaton import ProgramAutomaton, State
from copyspan.grammar.vocab import Vocabulary

OPERATION = re.compile(
    rb'<copy lines="(?P<i>[1-9][0-9]*)-(?P<j>[1-9][0-9]*)"/>\n'
    rb"|<gen>\n(?P<body>(?:(?!</gen>)[^\n]*\n)*)</gen>\n"
)
RESERVED = re.compile(rb"<copy|</copy>|<gen>|</gen>|<program>|</program>|\r|\x00")


def is_program(text: bytes, lo: int, hi: int, monotone: bool) -> bool:
    if not text.startswith(b"<program>\n"):
        return False
    position, floor = len(b"<program>\n"), lo
    while match := OPERATION.match(text, position):
        position = match.end()
        if match["body"] is None:
            i, j = int(match["i"]), int(match["j"])
            if not floor <= i <= j <= hi:
                return False
            floor = j + 1 if monotone else lo
        elif not is_body(match["body"]):
            return False
    return text[position:] in (b"</program>", b"</program>\n")


def is_body(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return not RESERVED.search(text)


def endings(lo: int, hi: int) -> list[bytes]:
    copies = [b'<copy lines="%d-%d"/>\n</program>' % (i, j) for i in range(lo, hi + 1) for j in range(i, hi + 1)]
    wholes = [b"<program>\n</program>", b"<gen>\n</gen>\n</program>", *copies]
    ends = {whole[start:] for whole in wholes for start in range(len(whole) + 1)}
    parts = (b"\x80", b"\x80\x80", b"\x80\x80\x80", b"\xa0\x80", b"\x90\x80\x80")
    return sorted(ends | {part + b"\n</gen>\n</program>" for part in parts}, key=len)


def continuation_oracle(lo: int, hi: int, monotone: bool) -> Callable[[bytes], bool]:
    every_ending = endings(lo, hi)

    @cache
    def can_go_on(text: bytes) -> bool:
        if text and not can_go_on(text[:-1]):
            return False
        return any(is_program(text + ending, lo, hi, monotone) for ending in every_ending)

    return can_go_on


def witnesses(automaton: ProgramAutomaton, vocabulary: Vocabulary, limit: int) -> dict[object, tuple[bytes, State]]:
    """One text for every state that the tokens lead to, breadth first, at most `limit` of them."""
    found = {automaton.start.at: (b"", automaton.start)}
    waiting = [automaton.start]
    for state in waiting:
        text, _ = found[state.at]
        for token, data in enumerate(vocabulary.token_bytes):
            if data and token in automaton.allowed(state) and len(found) < limit:
                after = automaton.advance(state, token)
                if after.at not in found:
                    found[after.at] = (text + data, after)
                    waiting.append(after)
    return found


@pytest.mark.parametrize(("lo", "hi", "monotone"), [(1, 0, True), (1, 2, True), (2, 3, False), (9, 10, True)])
def test_masks_equal_brute_force(tokens_of: Callable[[str], Tokens], lo: int, hi: int, monotone: bool) -> None:
    vocabulary = small(tokens_of("crossing").vocabulary)
    automaton = ProgramAutomaton(vocabulary, lo, hi, monotone)
    can_go_on = continuation_oracle(lo, hi, monotone)
    for text, state in witnesses(automaton, vocabulary, limit=10_000).values():
        allowed = automaton.allowed(state)
        for token, data in enumerate(vocabulary.token_bytes):
            expected = bool(data) and can_go_on(text + (data or b""))
            assert (token in allowed) == expected, (text, data)


def small(vocabulary: Vocabulary) -> Vocabulary:
    """Without the single bytes that no tag needs, but for one of each kind."""
    kept = b'<program>\n<copy lines="0129-"/>\n\\a\r\x00\x80\x90\xa0\xc0\xc3\xe0\xed\xf0\xf4\xf5'
    digits = b"345678"  # needed in every vocabulary
    return Vocabulary(
        [data for data in vocabulary.token_bytes if data is None or len(data) != 1 or data[0] in kept + digits]
    )


BODIES = [
    "",
    "\n",
    "a\n",
    "<\n",
    "</gen\n",
    "<a></a>\n",
    "</ge\n\n",
    "x></y>\n",
    "<\\gen>\n",
    "<\\/gen>\n",
    "<<\\\\copy\n",
    "é€\n",
]


def test_every_prefix_of_every_short_program_can_go_on(tokens_of: Callable[[str], Tokens]) -> None:
    """All programs of up to two operations over two lines: bytes first, then each split into the tokens that fit."""
    vocabulary = tokens_of("crossing").vocabulary
    automaton = ProgramAutomaton(vocabulary, 1, 2)
    copies = [(i, j, f'<copy lines="{i}-{j}"/>\n') for i, j in [(1, 1), (1, 2), (2, 2)]]
    ops = [*copies, *((3, 0, f"<gen>\n{text}</gen>\n") for text in BODIES)]
    programs = ["", *(op for _, _, op in ops), *(a + b for _, end, a in ops for start, _, b in ops if start > end)]
    assert len(programs) > 200
    for whole in (f"<program>\n{ops}</program>\n".encode() for ops in programs):
        for start in range(len(whole)):
            state = automaton.advance_bytes(automaton.start, whole[:start])
            allowed = automaton.allowed(state)
            for token, data in enumerate(vocabulary.token_bytes):
                if data and whole.startswith(data, start):
                    assert token in allowed, (whole[:start], data)


def test_masks_over_a_real_vocabulary_are_quick_and_kept(tokens_of: Callable[[str], Tokens]) -> None:
    vocabulary = tokens_of("qwen").vocabulary
    for text in (b"", b"<program>\n", b"<program>\n<", b'<program>\n<copy lines="1', b'<program>\n<copy lines="12-1'):
        seconds = min(seconds_for_first_mask(ProgramAutomaton(vocabulary, 1, 2000), text) for _ in range(3))
        assert seconds < 0.02, text


def test_masks_of_bodies_are_kept_with_the_vocabulary(tokens_of: Callable[[str], Tokens]) -> None:
    vocabulary = tokens_of("qwen").vocabulary
    first, second = ProgramAutomaton(vocabulary, 1, 2000), ProgramAutomaton(vocabulary, 7, 8)
    for written in (b"", b"a", b"<", b"x\n</ge", b"\xe4\xb8"):
        mask = first.allowed(first.advance_bytes(first.start, b"<program>\n<gen>\n" + written))
        text = b'<program>\n<copy lines="7-7"/>\n<gen>\n' + written
        assert mask is second.allowed(second.advance_bytes(second.start, text))
        assert len(mask.ids) < 5000
        assert min(seconds_for_first_mask(ProgramAutomaton(vocabulary, 1, 9), text) for _ in range(3)) < 0.01


def test_most_tokens_of_a_body_are_allowed_without_a_look(tokens_of: Callable[[str], Tokens]) -> None:
    trie, num_steps = tokens_of("qwen").vocabulary.trie, 0

    def counting(tail: bytes, byte: int) -> bytes | None:
        nonlocal num_steps
        num_steps += 1
        return body.step(tail, byte)

    trie.walk(trie.root, body.START, counting, takes_plain=body.is_open, stops=lambda tail: tail == body.CLOSED)
    assert num_steps < len(trie.strings) / 3


def seconds_for_first_mask(automaton: ProgramAutomaton, text: bytes) -> float:
    state = automaton.advance_bytes(automaton.start, text)
    start = time.perf_counter()
    automaton.allowed(state)
    return time.perf_counter() - start
