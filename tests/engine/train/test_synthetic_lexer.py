import pytest
from hypothesis import given
from hypothesis import strategies as st
from train_sources import PYTHON, SCRIPT

from copyspan.train.data.synthetic.code import is_valid, parse
from copyspan.train.data.synthetic.edit import SourceFile
from copyspan.train.data.synthetic.lexer import LexError, python_tokens, script_tokens


def assert_covers(text, tokens):
    """Tokens are in order, are where they say, and leave out white space alone."""
    at = 0
    for token in tokens:
        assert text[at : token.start].replace("\\\n", "").strip() == ""
        assert text[token.start : token.stop] == token.text
        at = token.stop
    assert text[at:].strip() == ""


pieces = st.lists(
    st.sampled_from(
        [
            "x",
            " ",
            "\n",
            "'a b'",
            '"""d\n"""',
            "1.5e3",
            "if",
            "(",
            ")",
            "f'{x}'",
            "f'{x!r:>{w}} {{}}'",
            "# c\n",
            "->",
            "é",
            "0x1F",
        ]
    )
).map(" ".join)
script_pieces = st.lists(
    st.sampled_from(
        ["x", "\n", "'a b'", "`a ${x + `b`} c`", "/* c\n*/", "// c\n", "= /[/]+/g", "=>", "(", ")", "$el", "?.", "5n"]
    )
).map(" ".join)


@given(pieces)
def test_python_tokens_cover_the_text(text):
    assert_covers(text, python_tokens(text))


@given(script_pieces)
def test_script_tokens_cover_the_text(text):
    assert_covers(text, script_tokens(text))


def test_real_files():
    assert_covers(PYTHON, python_tokens(PYTHON))
    assert_covers(SCRIPT, script_tokens(SCRIPT))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("f'{a}b'", ["string f'{", "name a", "string }b'"]),
        ("f'{a[\"k\"]:>{w}}'", ["string f'{", "name a", "operator [", 'string "k"', "operator ]", "string :>{w}}'"]),
        ("f'{{a}}'", ["string f'{{a}}'"]),
        ("f'{a != b}'", ["string f'{", "name a", "operator !=", "name b", "string }'"]),
        ("rb'\\''", ["string rb'\\''"]),
        ("x if y", ["name x", "keyword if", "name y"]),
    ],
)
def test_python(text, kinds):
    assert [f"{token.kind} {token.text}" for token in python_tokens(text)] == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a / b / c", ["name a", "operator /", "name b", "operator /", "name c"]),
        ("return /b/g", ["keyword return", "regex /b/g"]),
        ("(a) / 2", ["operator (", "name a", "operator )", "operator /", "number 2"]),
        ("`a${b}`", ["string `a${", "name b", "string }`"]),
        (
            "`${{a: 1}.a}`",
            [
                "string `${",
                "operator {",
                "name a",
                "operator :",
                "number 1",
                "operator }",
                "operator .",
                "name a",
                "string }`",
            ],
        ),
        ("a ??= b?.c", ["name a", "operator ??=", "name b", "operator ?.", "name c"]),
    ],
)
def test_scripts(text, kinds):
    assert [f"{token.kind} {token.text}" for token in script_tokens(text)] == kinds


@pytest.mark.parametrize("text", ["'open", "`open", "`${ open", '"a\nb"'])
def test_what_is_no_script(text):
    with pytest.raises(LexError):
        script_tokens(text)


@pytest.mark.parametrize(
    ("text", "lang", "valid"),
    [
        ("x = (1,\n", "python", False),
        ("x = (1)\n", "python", True),
        ("x = 1\r\n", "python", True),
        ("f(1]\n", "javascript", False),
        ("f(')')\r\n", "javascript", True),
        ("{]", "json", False),
        ("anything (", "markdown", True),
    ],
)
def test_validity(text, lang, valid):
    assert is_valid(text, lang) is valid


def test_lines_that_are_whole_statements():
    code = parse("a = (1,\n  2)\nb = '''\n'''\nc = 1\nd = 1 + \\\n  2\n", "python")
    assert code is not None
    assert [line.text for line in code.lines if line.is_whole] == ["c = 1"]
    code = parse("var a = 1\n  , b = 2\nif (a) {\n  f();\n}\nx\n  .y()\nlet o = {\n  k: 1\n}\n", "javascript")
    assert code is not None
    assert [line.text for line in code.lines if line.is_whole] == ["if (a) {", "  f();", "}"]


def test_functions():
    def functions(text, lang):
        return [(f.owner, f.name, text[f.code : f.last]) for f in SourceFile("s", "n", lang, text).functions]

    text = '@a\ndef f(x):\n    """D."""\n    return x\n\n\nclass C:\n    async def g(\n        a\n    ):\n        b\n'
    assert functions(text, "python") == [("", "f", "    return x\n"), ("C", "g", "        b\n")]
    text = "function f(a) {\n  b()\n}\nconst g = async (a) => {\n  c()\n};\n"
    text += "class C {\n  h(a) {\n    d()\n  }\n}\nif (a) {\n  e()\n}\n"
    assert functions(text, "javascript") == [("", "f", "  b()\n"), ("", "g", "  c()\n"), ("C", "h", "    d()\n")]
