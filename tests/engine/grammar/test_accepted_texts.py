"""Texts that pass and texts that fail, token by token against the masks of every vocabulary."""

from collections.abc import Callable

import pytest
from vocabularies import Tokens

from copyspan.edits.program import CopyLines, Gen, Program, escape, format_program, parse_program
from copyspan.errors import ProgramSyntaxError
from copyspan.grammar.automaton import ProgramAutomaton, State

VOCABULARIES = ["bytes", "crossing", "digits", "qwen", "smollm"]
LO, HI = 3, 120


def gen(*lines: str) -> str:
    return "<gen>\n" + "".join(line + "\n" for line in lines) + "</gen>\n"


def copy(i: int, j: int) -> str:
    return f'<copy lines="{i}-{j}"/>\n'


ACCEPTED = [
    "",
    copy(3, 120),
    copy(3, 3) + copy(4, 4) + copy(5, 120),
    copy(9, 12) + copy(13, 99) + copy(100, 101) + copy(110, 119),
    gen(),
    gen(""),
    gen("", "", ""),
    gen() + gen("x") + copy(7, 10) + gen(),
    gen("if a > b:", "    return a->b"),
    gen("ends in >", ">", ">>", "/>"),
    gen("<a></a>", "x></y>", "></", "</"),
    gen("</ge", "</g en>", "</genx>", "</gen ", "</gens>", " <", "<"),
    gen("<\\gen>", "<\\/gen>", "a<\\copy b", "<\\program>", "<\\/program>", "<\\/copy>", "<\\\\\\/gen>"),
    gen("x<\\/gen>", "<<\\/gen>", "<cop y", "<gene>", "<generic>", "<co<gen<prog<", "</copy"),
    gen("\ttabs\x0b\x0c\x85\u2028\u2029", "\ufeffbom", "trailing  "),
    gen(
        "é ü ß \N{EURO SIGN}",
        "中文 日本語 한국어",
        "\U0001d6fc \N{GRINNING FACE} \U0001f469\u200d\U0001f52c 𪚥",
        "\U0010ffff",
    ),
    gen("<|im_end|>", "```python", "12 123 1234567890"),
    gen("a" * 200, " " * 300, "\\" * 9),
]

# The mark ¦ stands before the first byte that no program has there.
REJECTED = [
    "¦text",
    "¦ <program>\n",
    "<program>¦<gen>",
    "<program>¦\r\n",
    "<program>\n¦\n",
    "<program>\n¦text",
    "<program>\n¦ <copy",
    "<program>\n<¦program>\n",
    "<program>\n<¦ copy",
    "<program>\n</¦gen>",
    "<program>\n</program>\n¦\n",
    "<program>\n</program>¦ ",
    "<program>\n</program>\n¦x",
    '<program>\n<copy ¦tokens="1-2"/>',
    "<program>\n<copy lines=¦'3-4'",
    '<program>\n<copy lines="¦-4"',
    '<program>\n<copy lines="¦03-4"/>',
    '<program>\n<copy lines="¦0-4"/>',
    '<program>\n<copy lines="¦ 3-4"/>',
    '<program>\n<copy lines="2¦-4"/>',
    '<program>\n<copy lines="12¦1-122"/>',
    '<program>\n<copy lines="9-1¦"/>',
    '<program>\n<copy lines="5-4¦"/>',
    '<program>\n<copy lines="50-¦4',
    '<program>\n<copy lines="115-11¦4"/>',
    '<program>\n<copy lines="7-12¦1"/>',
    '<program>\n<copy lines="7-120¦0"/>',
    '<program>\n<copy lines="7-¦0',
    '<program>\n<copy lines="7¦"/>',
    '<program>\n<copy lines="7-9"¦ />',
    '<program>\n<copy lines="7-9"/>¦<gen>',
    '<program>\n<copy lines="7-9"/>\n¦\n',
    f'<program>\n{copy(9, 20)}<copy lines="2¦0-30',
    f'<program>\n{copy(9, 20)}<copy lines="3¦-8',
    f"<program>\n{copy(9, 120)}<¦copy",
    f'<program>\n{copy(9, 20)}{gen("a")}<copy lines="9¦-2',
    "<program>\n<gen>¦ \n",
    "<program>\n<gen>¦x\n</gen>\n",
    "<program>\n<gen>\nx</gen¦>\n",
    "<program>\n<gen>\n </gen¦>\n",
    "<program>\n<gen>\n</gen>¦ \n",
    "<program>\n<gen>\n</gen>\n¦\n",
    "<program>\n<gen>\n<gen¦>\n",
    "<program>\n<gen>\na <cop¦y>",
    "<program>\n<gen>\n<cop¦yright>",
    "<program>\n<gen>\n</copy¦>",
    "<program>\n<gen>\n<program¦>",
    "<program>\n<gen>\n</program¦>",
    "<program>\n<gen>\n<<gen¦>\n",
    "<program>\n<gen>\na¦\r\n",
    "<program>\n<gen>\n¦\x00\n",
]

UNFINISHED = [
    "",
    "<program>",
    "<program>\n",
    "<program>\n" + copy(3, 9),
    "<program>\n" + gen("a"),
    "<program>\n<gen>\n</program>"[:-1],
    "<program>\n</program",
    '<program>\n<copy lines="7-9',
]  # fmt: skip


def read(automaton: ProgramAutomaton, ids: list[int]) -> State:
    state = automaton.start
    for position, token in enumerate(ids):
        assert token in automaton.allowed(state), (position, ids)
        state = automaton.advance(state, token)
    return state


@pytest.mark.parametrize("name", VOCABULARIES)
def test_texts_that_pass(tokens_of: Callable[[str], Tokens], name: str) -> None:
    tokens = tokens_of(name)
    automaton = ProgramAutomaton(tokens.vocabulary, LO, HI)
    for ops in ACCEPTED:
        for text in (f"<program>\n{ops}</program>", f"<program>\n{ops}</program>\n"):
            state = read(automaton, tokens.encode(text))
            assert automaton.is_final(state), text
            parse_program(text, num_lines=HI)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_texts_that_fail(tokens_of: Callable[[str], Tokens], name: str) -> None:
    """Everything up to the mark is allowed; the token that holds the first wrong byte is not, nor can it be fed."""
    tokens = tokens_of(name)
    automaton = ProgramAutomaton(tokens.vocabulary, LO, HI)
    for marked in REJECTED:
        good, _, bad = marked.partition("¦")
        state, read_bytes, ids = automaton.start, b"", tokens.encode(good + bad)
        while len(read_bytes + tokens.vocabulary.token_bytes[ids[0]]) <= len(good.encode()):
            token = ids.pop(0)
            assert token in automaton.allowed(state), marked
            state = automaton.advance(state, token)
            read_bytes += tokens.vocabulary.token_bytes[token]
        assert ids[0] not in automaton.allowed(state), marked
        with pytest.raises(ProgramSyntaxError):
            automaton.advance(state, ids[0])


@pytest.mark.parametrize("name", VOCABULARIES)
def test_texts_without_an_end(tokens_of: Callable[[str], Tokens], name: str) -> None:
    tokens = tokens_of(name)
    automaton = ProgramAutomaton(tokens.vocabulary, LO, HI)
    for text in UNFINISHED:
        assert not automaton.is_final(read(automaton, tokens.encode(text)))


@pytest.mark.parametrize("name", VOCABULARIES)
def test_what_the_formatter_writes_passes(tokens_of: Callable[[str], Tokens], name: str) -> None:
    """Every reserved literal, escaped or not, with up to two backslashes, at the start of a line and inside it."""
    literals = ("<copy", "</copy>", "<gen>", "</gen>", "<program>", "</program>", "<gen", "</gen")
    lines = [
        before + literal[:1] + "\\" * n + literal[1:] for literal in literals for n in range(3) for before in ("", "<")
    ]
    program = Program((CopyLines(2, 5), Gen("\n".join(lines) + "\n"), CopyLines(5, 120), Gen("")))
    tokens = tokens_of(name)
    automaton = ProgramAutomaton(tokens.vocabulary, LO, HI)
    text = format_program(program)
    assert automaton.is_final(read(automaton, tokens.encode(text)))
    assert parse_program(text, num_lines=HI) == program
    assert escape("\n".join(lines)) in text


def test_any_order_where_copies_need_not_be_monotone(tokens_of: Callable[[str], Tokens]) -> None:
    tokens = tokens_of("crossing")
    text = f"<program>\n{copy(100, 120)}{copy(3, 50)}{copy(100, 100)}{copy(3, 50)}</program>"
    assert read(ProgramAutomaton(tokens.vocabulary, LO, HI, monotone=False), tokens.encode(text))
    with pytest.raises(AssertionError):
        read(ProgramAutomaton(tokens.vocabulary, LO, HI), tokens.encode(text))


def test_lines_that_cannot_be_told_apart_by_their_bytes_alone(tokens_of: Callable[[str], Tokens]) -> None:
    """Tokens that hold parts of characters: bytes in, whole characters out."""
    tokens = tokens_of("crossing")
    vocabulary = tokens.vocabulary
    automaton = ProgramAutomaton(vocabulary, LO, HI)
    state = automaton.advance_bytes(automaton.start, b"<program>\n<gen>\n")
    for data in (b"\xe2\x82", b"\xac\n</gen>\n", b"</"):
        token = vocabulary.token_bytes.index(data)
        assert token in automaton.allowed(state)
        state = automaton.advance(state, token)
    inside = automaton.advance_bytes(automaton.start, b"<program>\n<gen>\n\xe2\x82")
    for data in (b"\n", b"a", b"<", b"\xe2\x82", b"\x82\xac", b"\x80\r"):
        assert vocabulary.token_bytes.index(data) not in automaton.allowed(inside)
