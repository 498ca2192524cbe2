"""Law 4: the surface form is exact."""

import pytest
from documents import program, snapshots, texts, token_programs
from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.edits.program import CopyLines, CopyTokens, Gen, Program, escape, format_program, parse_program, unescape
from copyspan.edits.resolve import render
from copyspan.errors import ProgramRangeError, ProgramSyntaxError

TAGS = ["<copy", "</copy>", "<gen>", "</gen>", "<program>", "</program>"]
tagged_texts = st.lists(st.sampled_from([*TAGS, "<", "\\", "/gen>", "copy", "\n", "\r\n", "x"])).map("".join)
FORM = '<program>\n<copy lines="1-3"/>\n<gen>\nnew\n</gen>\n<copy tokens="5-9"/>\n</program>\n'


def form(*ops: str) -> str:
    return "".join(("<program>\n", *ops, "</program>\n"))


def test_the_form_of_a_program():
    assert format_program(program("1-3 +new\n t5-9")) == FORM
    assert parse_program(FORM, num_lines=3, num_tokens=9) == program("1-3 +new\n t5-9")
    assert parse_program(FORM.removesuffix("\n"), num_lines=3, num_tokens=9) == program("1-3 +new\n t5-9")
    assert format_program(Program()) == "<program>\n</program>\n"


@given(st.data())
@settings(deadline=None)
def test_parse_is_the_inverse_of_format(data):
    snapshot = data.draw(snapshots)
    written, borders = data.draw(token_programs(snapshot, snapshot.all_lines))
    ops = data.draw(st.permutations([*written.ops, *data.draw(st.lists(tagged_texts.map(Gen), max_size=2))]))
    written = Program(tuple(ops))
    read = parse_program(format_program(written), num_lines=snapshot.num_lines, num_tokens=len(borders) - 1)
    assert read == written
    assert render(read, snapshot, None, borders) == render(written, snapshot, None, borders)


@given(tagged_texts | texts)
@settings(deadline=None, max_examples=100)
def test_unescape_is_the_inverse_of_escape(text):
    assert unescape(escape(text)) == text
    assert not any(tag in escape(text) for tag in TAGS)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("</gen>", "<\\/gen>"),
        ("<\\/gen>", "<\\\\/gen>"),
        ("<<copy", "<<\\copy"),
        ("<copyright>", "<\\copyright>"),
        ("<generic>", "<generic>"),
        ("<\\x", "<\\x"),
        ("<|im_end|>\n```", "<|im_end|>\n```"),
    ],
)
def test_escape(text, escaped):
    assert escape(text) == escaped


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("", ""),
        ("\n", "\n"),
        ("\n\n", "\n\n"),
        ("foo", "foo"),
        ("a\r\nb\r", "a\r\nb\r"),
        ("x>\n", "x>\n"),
        ("a></b>\n", "a></b>\n"),
        ("<", "<"),
        ("<\\", "<\\"),
        ("<\\/gen>\n", "</gen>\n"),
        ("</ge\n", "</ge\n"),
    ],
)
def test_a_body_is_exactly_its_text(body, text):
    surface = form(f"<gen>\n{body}</gen>\n")
    assert parse_program(surface, num_lines=0) == Program((Gen(text),))
    assert format_program(Program((Gen(text),))) == surface


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", 0),
        ("<program>", 0),
        (" <program>\n</program>", 0),
        ("<program>\r\n</program>", 0),
        ("<program>\n", 10),
        ("<program>\n</program>\n\n", 20),
        ("<program>\n</program> ", 20),
        (form('<copy lines="1-2">\n'), 10),
        (form('<copy lines="1-2"/>'), 10),
        (form('<copy lines="1-2"/>\r\n'), 10),
        (form('<copy lines="01-2"/>\n'), 10),
        (form('<copy lines="1"/>\n'), 10),
        (form('<copy lines="1-\u0662"/>\n'), 10),
        (form('<copy lines="-1-2"/>\n'), 10),
        (form(f'<copy lines="1-{"9" * 5000}"/>\n'), 10),
        (form('<copy words="1-2"/>\n'), 10),
        (form("<gen>x</gen>\n"), 10),
        (form("<gen>\nx</gen>"), 23),
        (form("new line\n"), 10),
        (form("\n"), 10),
        ("<program>\n<gen>\nx\n", 18),
        (form("<gen>\na<copy\n</gen>\n"), 17),
        (form("<gen>\n<gen>\n</gen>\n"), 16),
        (form("<gen>\n</program>\n</gen>\n"), 16),
    ],
)
def test_other_text_is_refused_with_its_place(text, place):
    with pytest.raises(ProgramSyntaxError, match=rf"at character {place}\."):
        parse_program(text, num_lines=5)


@pytest.mark.parametrize(
    ("op", "clipped"),
    [
        ('<copy lines="4-6"/>\n', "4-5"),
        ('<copy lines="0-2"/>\n', "1-2"),
        ('<copy lines="6-9"/>\n', ""),
        ('<copy lines="3-2"/>\n', ""),
        ('<copy lines="0-0"/>\n', ""),
        ('<copy tokens="3-8"/>\n', "t3-4"),
        ('<copy tokens="5-5"/>\n', ""),
    ],
)
def test_ranges_that_do_not_exist_are_refused_or_clipped(op, clipped):
    with pytest.raises(ProgramRangeError, match="document has"):
        parse_program(form(op), num_lines=5, num_tokens=4)
    assert parse_program(form(op), num_lines=5, num_tokens=4, clip=True) == program(clipped)


def test_ranges_that_exist_are_not_clipped():
    surface = format_program(program("1-5 +x t1-4"))
    assert parse_program(surface, num_lines=5, num_tokens=4, clip=True) == program("1-5 +x t1-4")


@pytest.mark.parametrize("kind", [CopyLines, CopyTokens])
def test_a_copy_is_not_empty(kind):
    for start, stop in [(2, 2), (3, 2), (-1, 2)]:
        with pytest.raises(ProgramRangeError, match=f"{start} and {stop}"):
            kind(start, stop)
