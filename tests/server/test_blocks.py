"""Blocks around a line: by grammar, by indentation, by headings. A cursor is drawn as | in front of its line."""

import sys
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.edits.text import Snapshot
from copyspan_lsp.blocks import enclosing_blocks
from copyspan_lsp.languages import language


def _blocks(drawn: str, id: str, newline: str = "\n") -> list[tuple[int, int, str]]:
    """First and last line, from 1, and title of the blocks around the line that starts with |."""
    lines = drawn.split("\n")
    cursor = next(i for i, line in enumerate(lines) if line.startswith("|"))
    lines[cursor] = lines[cursor][1:]
    found = enclosing_blocks(Snapshot(newline.join(lines)), language(id), cursor)
    return [(block.lines.start + 1, block.lines.stop, block.title) for block in found]


@pytest.fixture
def no_tree_sitter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)  # its import fails


_PYTHON = '''\
class Cart:

    @cached
    @app.route("/")
    async def total(
        self,
    ):
        text = """
not deeper
"""
|        return text

    def other(self): pass
x = 1'''


def test_python_by_grammar() -> None:
    assert _blocks(_PYTHON, "python") == [(3, 11, "async def total"), (1, 13, "class Cart")]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_lines_are_counted_alike_whatever_ends_them(newline: str) -> None:
    assert _blocks(_PYTHON, "python", newline) == _blocks(_PYTHON, "python")


@pytest.mark.parametrize(
    "drawn",
    [
        "x\n@a\n|@b\ndef f():\n    pass",
        "x\n|@a\n# why\n@b\ndef f():\n    pass",
        "@a\n@b\n|def f():\n    pass",
        "é = 'é'\n@a\ndef f():\n    x = 'é'\n|    pass\n",
    ],
)
def test_decorators_belong_to_their_function(drawn: str) -> None:
    lines = drawn.rstrip("\n").split("\n")
    first = next(i for i, line in enumerate(lines, 1) if line.lstrip("|").startswith("@"))
    assert _blocks(drawn, "python") == [(first, len(lines), "def f")]


@pytest.mark.parametrize(
    ("id", "drawn", "expected"),
    [
        ("javascript", "export const f = async (x) => {\n| g()\n}\ny", [(1, 3, "export const f")]),
        ("javascript", "y\nfunction f() {\n  function* g() {\n|  }\n}", [(3, 4, "function* g"), (2, 5, "function f")]),
        ("javascriptreact", "const A = () => (\n|  <b/>\n)", [(1, 3, "const A")]),
        ("typescript", "@D()\nexport class B {\n  @d\n|  foo() {\n  }\n}", [(3, 5, "foo"), (1, 6, "export class B")]),
        ("typescript", "class B {\n  private x = () => {\n|    1\n  }\n}", [(2, 4, "private x"), (1, 5, "class B")]),
        ("typescript", "namespace N {\n  enum E {\n|    A,\n  }\n}", [(2, 4, "enum E"), (1, 5, "namespace N")]),
        ("typescript", "interface I {\n|  a: <T>(x: T) => T\n}", [(1, 3, "interface I")]),
        ("typescriptreact", "function A() {\n|  return <b/>\n}", [(1, 3, "function A")]),
        ("javascript", "export default function () {\n|  1\n}", [(1, 3, "export default function")]),
    ],
)
def test_javascript_and_its_relatives_by_grammar(id: str, drawn: str, expected: list[tuple[int, int, str]]) -> None:
    assert _blocks(drawn, id) == expected


def test_indentation_tells_blocks_inside_and_outside_of_definitions() -> None:
    inside = "def f():\n    a\n    for x in y:\n|        b\n    c"
    assert _blocks(inside, "python") == [(3, 4, "for x in y"), (1, 5, "def f")]
    assert _blocks("if a:\n|    b\nelse:\n    c\nd", "python") == [(1, 4, "if a")]


def test_code_that_does_not_parse_has_blocks() -> None:
    assert _blocks("x = (\ndef f(:\n|    a\n", "python")[-1][:2] == (2, 3)


def test_half_a_character_does_not_stop_the_grammar() -> None:
    assert _blocks("def f():\n|    x = '\ud800'\n", "python") == [(1, 2, "def f")]


def test_a_binding_that_does_not_fit_leaves_indentation(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pointer: object) -> None:
        raise ValueError("incompatible version")

    monkeypatch.setitem(sys.modules, "tree_sitter", SimpleNamespace(Language=refuse))
    assert _blocks("@a\ndef f(b):\n|    c", "python") == [(1, 3, "def f")]


def test_python_without_the_grammar(no_tree_sitter: None) -> None:
    drawn = '@app.route("/")\ndef f(\n    a,\n):\n# remark\n    if a:\n        b\n\n|    else:\n        c\n\nd'
    assert _blocks(drawn, "python") == [(6, 10, "if a"), (1, 10, "def f")]


def test_braces_of_javascript_without_the_grammar(no_tree_sitter: None) -> None:
    drawn = 'describe("a", () => {\n  it("b", () => {\n|    c({\n      d: "}",\n    })\n  })\n})\ne'
    assert _blocks(drawn, "javascript") == [
        (3, 5, "c"),
        (2, 6, 'it("b", () =>'),
        (1, 7, 'describe("a", () =>'),
    ]


@pytest.mark.parametrize(
    ("id", "drawn", "expected"),
    [
        ("c", "int main(void)\n{\n#ifdef A\n|    a();\n#endif\nout:\n    b();\n}\nint x;", [(1, 8, "int main")]),
        ("go", "func f() {\n\tswitch x {\n\tcase 1:\n|\t\ta()\n\tcase 2:\n\t}\n}\n", [
            (3, 4, "case 1"), (2, 6, "switch x"), (1, 7, "func f"),
        ]),
        ("cpp", "namespace n {\nint f() {\n|  a;\n}\nint g() {\n}\n}\nb", [(2, 4, "int f"), (1, 7, "namespace n")]),
        ("java", "class A {\n  @Override\n  int f() {\n    if (x) {\n      a\n    } else {\n|      b\n    }\n  }\n}", [
            (4, 8, "if (x)"), (2, 9, "int f"), (1, 10, "class A"),
        ]),
        ("rust", "#[test]\nfn f<'a>() {\n|    let c = '{';\n}\nfn g() {\n}", [(1, 4, "fn f<'a>")]),
        ("csharp", "class A\n{\n  [Test]\n  void F()\n  {\n|    a;\n  }\n}", [(3, 7, "void F"), (1, 8, "class A")]),
        ("ruby", "class A\n  def b\n|    c = 1\n  end\nend\nd", [(2, 4, "def b"), (1, 5, "class A")]),
        ("shellscript", "a\nif b; then\n|  c\nfi\nd", [(2, 4, "if b; then")]),
        ("html", "<ul>\n  <li>\n|    a\n  </li>\n</ul>\nb", [(2, 4, "<li>"), (1, 5, "<ul>")]),
        ("json", '{\n  "a": {\n|    "b": 1\n  },\n  "c": 2\n}', [(2, 4, '"a"'), (1, 6, "block")]),
        ("yaml", "a:\n\tb:\n|        - c\nd:", [(1, 3, "a")]),
        ("clojure", "(defn f [x]\n|  (g x))\n(h)", [(1, 2, "(defn f [x]")]),
        ("plaintext", "a\n|b\nc", []),
        ("plaintext", "a\n  b\n|\nc", []),
        ("plaintext", "a\n  b\n|\n  c", [(1, 4, "a")]),
        ("plaintext", "|" + "word " * 20 + "\n  b", [(1, 2, ("word " * 20)[:59] + "…")]),
    ],
)  # fmt: skip
def test_blocks_by_indentation(id: str, drawn: str, expected: list[tuple[int, int, str]]) -> None:
    assert _blocks(drawn, id) == expected


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ("# A\na\n## B\n|b\n### C\nc\n## D\nd", [(3, 6, "B"), (1, 8, "A")]),
        ("# A #\n```\n# x\n~~~\n|````\n# B", [(1, 5, "A")]),
        ("A\n===\na\n\nB b\n---\n|b\n\nC\n=\n", [(5, 8, "B b"), (1, 8, "A")]),
        ("# A\n\n---\n|a", [(1, 4, "A")]),
        ("#hashtag\n|a", []),
        ("##\n|a", [(1, 2, "block")]),
    ],
)
def test_markdown_has_sections(drawn: str, expected: list[tuple[int, int, str]]) -> None:
    assert _blocks(drawn, "markdown") == expected


_CODE_LINES = st.lists(
    st.builds(
        str.__add__,
        st.sampled_from(["", " ", "  ", "    ", "\t"]),
        st.sampled_from(["", "a", "f(x) {", "{", "}", "} else {", "else:", "end", "@b", "[c]", "#d", "'}", "def g():"]),
    ),
    min_size=1,
    max_size=20,
)


@given(_CODE_LINES, st.sampled_from(["python", "csharp", "typescript", "ruby", "markdown"]), st.data())
def test_blocks_hold_the_line_and_lie_inside_each_other(lines: list[str], id: str, data: st.DataObject) -> None:
    snapshot = Snapshot("\n".join(lines) + "\n")
    line = data.draw(st.integers(0, snapshot.num_lines - 1))
    blocks = enclosing_blocks(snapshot, language(id), line)
    assert all(line in block.lines and snapshot.all_lines.contains(block.lines) and block.title for block in blocks)
    for inner, outer in pairwise(blocks):
        assert outer.lines.contains(inner.lines)
