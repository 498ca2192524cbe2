"""Instructions written into documents: what counts as one, what "here" is, and what goes away with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.edits.text import LineRange, Snapshot
from copyspan_lsp.comments import InstructionComment, find_instructions, instruction_at, removal
from copyspan_lsp.languages import language


def _find(text: str, id: str = "python") -> tuple[InstructionComment, ...]:
    return find_instructions(Snapshot(text), language(id))


def _texts(text: str, id: str = "python") -> list[str]:
    return [found.text for found in _find(text, id)]


def _without(text: str, id: str = "python") -> str:
    """The text after the removal of its only instruction."""
    (found,) = _find(text, id)
    return removal(found).apply(text)


@pytest.mark.parametrize(
    ("id", "comment"),
    [
        ("python", "# ai: do it"),
        ("python", "#AI:do it"),
        ("python", "## Ai :  do it  "),
        ("go", "// ai: do it"),
        ("rust", "/// ai: do it"),
        ("c", "/* ai: do it */"),
        ("java", "/** AI: do it */"),
        ("sql", "-- ai: do it"),
        ("lua", "--[[ ai: do it ]]"),
        ("haskell", "{- ai: do it -}"),
        ("html", "<!-- ai: do it -->"),
        ("markdown", "<!--AI:do it-->"),
        ("emacs-lisp", ";;; ai: do it"),
        ("erlang", "%% ai: do it"),
        ("latex", "% ai: do it"),
        ("ocaml", "(* ai: do it *)"),
        ("powershell", "<# ai: do it #>"),
        ("vim", '" ai: do it'),
        ("bat", "REM ai: do it"),
        ("restructuredtext", ".. ai: do it"),
        ("jinja-html", "{# ai: do it #}"),
        ("plaintext", "# ai: do it"),
        ("a language of tomorrow", "; ai: do it"),
    ],
)
def test_the_comments_of_a_language_carry_instructions(id: str, comment: str) -> None:
    assert _texts(f"x\n  {comment}\ny\n", id) == ["do it"]


@pytest.mark.parametrize(
    ("id", "text"),
    [
        ("python", "# ai do it"),
        ("python", "# ai:\n"),
        ("python", "# ai:  \t\r\n"),
        ("python", "# main: do it"),
        ("python", "# said: do it"),
        ("python", "// ai: do it"),
        ("markdown", "# ai: a history"),
        ("c", "/* ai: never closed"),
        ("c", "/* ai: */ x"),
        ("bat", "harem ai: do it"),
        ("plaintext", "see http://ai:8080/x"),
        ("python", "x = '# ai: do it'"),
        ("python", 'x = "it\'s \\" # ai: do it"'),
        ("python", 'x = """ # ai: do it'),
        ("javascript", "x = `// ai: do it`"),
        ("vim", 'let x = "ai: do it"'),
        ("markdown", "Write `<!-- ai: do it -->` into it."),
        ("latex", r"50\% ai: do it"),
        ("", ""),
    ],
)
def test_other_text_is_no_instruction(id: str, text: str) -> None:
    assert _texts(text, id) == []


@pytest.mark.parametrize(
    ("id", "line"),
    [
        ("python", "x = 'it' + \"it's\"  # ai: do it"),
        ("python", r"x = 'a\'' # ai: do it"),
        ("rust", "fn f<'a>(x: &'a str) // ai: do it"),
        ("clojure", "(f 'x) ; ai: do it"),
        ("html", "<p>Don't</p> <!-- ai: do it -->"),
        ("unknown", "i--; j % 2; // ai: do it"),
        ("python", "x = y  # old remark # ai: do it"),
        ("javascript", 'x = "http://a" // ai: do it'),
        ("python", "x = '''open\n# ai: do it"),
    ],
)
def test_closed_quotes_before_a_comment_do_not_hide_it(id: str, line: str) -> None:
    assert _texts(line, id) == ["do it"]


def test_comments_on_consecutive_lines_are_one_instruction() -> None:
    first, second, third = _find("a\n  # ai: one\n# ai: two\n\nb\n# ai: three\nc  # ai: four\n")[:3]
    assert (first.text, first.lines, first.anchor) == ("one\ntwo", LineRange(1, 3), 4)
    assert (second.text, second.lines, second.anchor) == ("three", LineRange(5, 6), 6)
    assert (third.text, third.lines, third.anchor) == ("four", LineRange(6, 7), 6)


def test_comments_beside_code_stay_apart() -> None:
    assert _texts("a # ai: one\nb # ai: two\n") == ["one", "two"]
    assert _texts("f(/* ai: one */ a, /* ai: two */ b)\n", "c") == ["one", "two"]


def test_a_block_comment_may_span_lines() -> None:
    text = "a;\n/*\n * ai: one\n */\n/* ai:\n * one\r\n *\n * two *x*\n */\nb;\n"
    (found,) = _find(text, "c")
    assert (found.text, found.lines, found.anchor) == ("one\n\ntwo *x*", LineRange(4, 9), 9)
    assert _without(text, "c") == "a;\n/*\n * ai: one\n */\nb;\n"


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("a # ai: x\nb", 0),
        ("# ai: x\n\n  \nb", 3),
        ("a\n# ai: x\n\n", None),
        ("# ai: x", None),
    ],
)
def test_here_is_the_code_beside_or_below(text: str, anchor: int | None) -> None:
    assert [found.anchor for found in _find(text)] == [anchor]


def test_here_is_the_code_that_a_long_comment_touches() -> None:
    assert [found.anchor for found in _find("a /* ai: x\ny */\nb", "c")] == [0]
    assert [found.anchor for found in _find("/* ai: x\ny */ a\nb", "c")] == [1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\n# ai: x\nb\n", "a\nb\n"),
        ("a\r\n  # ai: x\r\n  # ai: y\r\nb", "a\r\nb"),
        ("a\r# ai: x\rb\r", "a\rb\r"),
        ("a\n# ai: x\n", "a\n"),
        ("a\n# ai: x", "a"),
        ("a\r\n# ai: x", "a"),
        ("a\n\n# ai: x", "a"),
        ("a\n  \n# ai: x", "a\n  "),
        ("\n\n# ai: x", ""),
        ("# ai: x", ""),
        ("# ai: x\n", ""),
        ("a\n\n# ai: x\n", "a\n\n"),
        ("a  # ai: x  \nb", "a\nb"),
        ("a\t# ai: x", "a"),
        ("a# ai: x\n", "a\n"),
    ],
)
def test_a_removed_comment_leaves_the_rest_as_it_was(before: str, after: str) -> None:
    assert _without(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a /* ai: x */ + b;", "a + b;"),
        ("    /* ai: x */ a;\n", "    a;\n"),
        ("a; /* ai: x */  \nb", "a;\nb"),
        ("a; /* ai: x\ny */\nb", "a;\nb"),
        ("  /* ai: x\ny */ a;\n", "  a;\n"),
        ("a /* ai: x\ny */ b\n", "a b\n"),
        ("  /* ai: x */  ", ""),
    ],
)
def test_a_removed_block_comment_leaves_the_code_around_it(before: str, after: str) -> None:
    assert _without(before, "c") == after


def test_the_instruction_at_some_lines_is_the_first_that_touches_them() -> None:
    snapshot, python = Snapshot("a\n# ai: one\n# ai: two\nb\nc # ai: three\n"), language("python")

    def at(start: int, stop: int) -> str | None:
        found = instruction_at(snapshot, python, LineRange(start, stop))
        return found and found.text

    assert (at(0, 1), at(3, 4), at(5, 5)) == (None, None, None)
    assert (at(1, 2), at(2, 3), at(0, 5), at(2, 2)) == ("one\ntwo",) * 4
    assert (at(3, 5), at(4, 4)) == ("three", "three")


_LINES = st.lists(st.sampled_from(["", "  ", "x = 1", "f('a')", 's = "#"']))
_MARK = "# ai: do it"


@given(_LINES, _LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.sampled_from(["", "  "]))
def test_removing_a_line_leaves_the_other_lines(
    above: list[str], below: list[str], newline: str, is_closed: bool, indent: str
) -> None:
    text = newline.join([*above, indent + _MARK, *below]) + newline * is_closed
    rest = newline.join([*above, *below]) + newline * (is_closed and bool(above or below))
    if not is_closed and not below:
        rest = rest.rstrip("\r\n")
    assert _without(text) == rest


@given(_LINES, st.sampled_from(["x", "  f('a')"]), _LINES, st.sampled_from(["", " ", "\t "]))
def test_removing_a_comment_beside_code_leaves_the_code(
    above: list[str], code: str, below: list[str], blanks: str
) -> None:
    text = "\n".join([*above, code + blanks + _MARK, *below])
    assert _without(text) == "\n".join([*above, code, *below])


@given(st.text(alphabet="aAiI:#/*-\"'`\\ x\n\r", max_size=60), st.sampled_from(["python", "c", "markdown", "odd"]))
def test_any_text_has_instructions_in_order_that_can_be_removed(text: str, id: str) -> None:
    end = 0
    for found in _find(text, id):
        assert end <= found.lines.start < found.lines.stop
        assert found.text == found.text.strip() != ""
        assert found.anchor is None or found.anchor not in found.lines or not _is_alone(text, found)
        assert len(removal(found).apply(text)) == len(text) - (found.stop - found.start)
        end = found.lines.start


def _is_alone(text: str, found: InstructionComment) -> bool:
    return Snapshot(text).span(found.lines) == (found.start, found.stop)
