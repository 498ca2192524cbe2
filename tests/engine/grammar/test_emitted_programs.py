"""Whatever the masks let through is a program that parses and resolves, and its copies are announced one by one."""

from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest
from vocabularies import Tokens

from copyspan.edits.program import CopyLines, Gen, parse_program
from copyspan.edits.resolve import render, resolve
from copyspan.edits.text import LineRange, Snapshot
from copyspan.errors import ProgramSyntaxError
from copyspan.grammar.automaton import ProgramAutomaton, State
from copyspan.grammar.vocab import Vocabulary
from copyspan.tokens import TokenSet

WAYS_ON = [
    b'<copy lines="',
    *(rest + b"\n</gen>\n" for rest in (b"", b"\x80", b"\x80\x80", b"\x80\x80\x80", b"\xa0\x80", b"\x90\x80\x80")),
]
WAYS_OUT = [b"</program>", *WAYS_ON[1:]]
BODY_BYTES = b'<>/\\\n gencopyrgram"-0123456789x\xc3\xe2\xf0\x9f\x80\xa0\x90\xbf'


class Walker:
    """Writes programs by choosing tokens at random, mostly those that could lead astray."""

    def __init__(self, vocabulary: Vocabulary, random: Random) -> None:
        self.vocabulary, self.random = vocabulary, random
        self.likely = [t for t, data in enumerate(vocabulary.token_bytes) if data and set(data) <= set(BODY_BYTES)]

    def choose(self, allowed: TokenSet) -> int:
        if not allowed.complement and self.random.random() < 0.9:
            return self.random.choice(allowed.ids)
        while True:
            among = self.likely if self.random.random() < 0.9 else range(len(self.vocabulary))
            if (token := self.random.choice(among)) in allowed:
                return token

    def write(self, automaton: ProgramAutomaton, length: int) -> tuple[bytes, list[CopyLines]]:
        """A program of at least `length` choices, ended soon after them, and the copies as they were announced."""
        written, copies, state = b"", list[CopyLines](), automaton.start
        while not automaton.is_final(state):
            data = automaton.forced(state) if self.random.random() < 0.5 else b""
            if not data and self.random.random() < (0.4 if length > 0 else 1):
                ways = WAYS_ON if length > 0 and self.random.random() < 0.7 else WAYS_OUT
                data = next((data for data in ways if leads_on(automaton, state, data)), b"")
            if data:
                state = automaton.advance_bytes(state, data)
            else:
                token = self.choose(automaton.allowed(state))
                data = self.vocabulary.token_bytes[token] or b""
                state = automaton.advance(state, token)
            written, length = written + data, length - 1
            copies += state.copies
        return written, copies


def leads_on(automaton: ProgramAutomaton, state: State, data: bytes) -> bool:
    try:
        automaton.advance_bytes(state, data)
    except ProgramSyntaxError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "count"), [("bytes", 60), ("crossing", 100), ("digits", 60), ("qwen", 30), ("smollm", 30)]
)
def test_every_emitted_program_parses_and_resolves(tokens_of: Callable[[str], Tokens], name: str, count: int) -> None:
    vocabulary, random = tokens_of(name).vocabulary, Random(name)
    walker, num_copies, num_lines_written = Walker(vocabulary, random), 0, 0
    for _ in range(count):
        snapshot = Snapshot("".join(f"line {i}\r\n" for i in range(random.choice([0, 1, 12, 130, 130]))))
        start = random.randint(0, snapshot.num_lines // 2)
        scope = LineRange(start, random.randint(start, snapshot.num_lines))
        monotone = random.random() < 0.7
        automaton = ProgramAutomaton(vocabulary, scope.start + 1, scope.stop, monotone)

        written, announced = walker.write(automaton, length=random.randrange(90))

        program = parse_program(written.decode(), num_lines=snapshot.num_lines)
        copies = [op for op in program.ops if isinstance(op, CopyLines)]
        assert copies == announced
        assert all(scope.contains(LineRange(op.start, op.stop)) for op in copies)
        assert not monotone or all(before.stop <= after.start for before, after in pairwise(copies))
        texts = [op.text for op in program.ops if isinstance(op, Gen)]
        assert all(text.endswith("\n") or not text for text in texts)
        assert not any(character in text for text in texts for character in "\r\x00")
        assert resolve(program, snapshot, scope).edits.apply(snapshot.text) == render(program, snapshot, scope)
        num_copies, num_lines_written = num_copies + len(copies), num_lines_written + "".join(texts).count("\n")
    assert num_copies > count // 5
    assert num_lines_written > count // 5


def test_one_token_may_complete_more_than_one_copy(tokens_of: Callable[[str], Tokens]) -> None:
    vocabulary = Vocabulary([*tokens_of("bytes").vocabulary.token_bytes, b'-4"/>\n<copy lines="6-9"/>\n<copy lines="1'])
    automaton = ProgramAutomaton(vocabulary, 1, 12)
    state = automaton.advance_bytes(automaton.start, b'<program>\n<copy lines="2')
    assert len(vocabulary) - 1 in automaton.allowed(state)
    state = automaton.advance(state, len(vocabulary) - 1)
    assert state.copies == (CopyLines(1, 4), CopyLines(5, 9))
    assert automaton.advance_bytes(state, b"0").copies == ()


def test_a_decoding_loop(tokens_of: Callable[[str], Tokens]) -> None:
    """As short as a decoder can be: it learns copies, bodies and the end from states alone."""
    tokens = tokens_of("crossing")
    automaton = ProgramAutomaton(tokens.vocabulary, 1, 9)
    wanted = '<program>\n<copy lines="1-4"/>\n<gen>\nnew\n</gen>\n<copy lines="9-9"/>\n</program>'
    written, fed, state = b"", list[bytes | CopyLines](), automaton.start
    while not automaton.is_final(state):
        data = automaton.forced(state)
        if data:
            state = automaton.advance_bytes(state, data)
        else:
            token = tokens.encode(wanted[len(written.decode()) :])[0]
            assert token in automaton.allowed(state)
            data = tokens.vocabulary.token_bytes[token] or b""
            state = automaton.advance(state, token)
        written += data
        fed += [data, *state.copies]
    assert written.decode() == wanted
    assert [item for item in fed if isinstance(item, CopyLines)] == [CopyLines(0, 4), CopyLines(8, 9)]
    before = b"".join(item for item in fed[: fed.index(CopyLines(0, 4))] if isinstance(item, bytes))
    assert before.endswith(b'<copy lines="1-4"/>\n')
