"""What single kinds of edits do, on texts of a few lines."""

import re
from random import Random

import pytest
from train_sources import source_file

from copyspan.train.data.synthetic.makers import KINDS


def edits(kind, text, lang="python", tries=150):
    """The edits that a kind makes of a text, each once."""
    file = source_file(text, lang)
    made = [KINDS[kind].make(file, Random(seed)) for seed in range(tries)]
    return [edit for edit in dict.fromkeys(made) if edit is not None]


def new_text(kind, text, lang="python"):
    """The text after each edit, once each, or the text before it, where the edit leads back to the text."""
    return {edit.after if edit.before == text else edit.before for edit in edits(kind, text, lang)}


def test_renames_keep_to_the_name():
    text = "def get_it(x):\n    '''Use get_it.'''\n    return x.y\n\n\nz = get_it(x=1)  # get_it\nname = 'get_it'\n"
    found = [edit for edit in edits("rename-everywhere", text) if "get_it" not in edit.after]
    assert len(found) > 10
    for edit in found:
        new = edit.after.split("def ")[1].split("(")[0]
        assert edit.after == text.replace("get_it", new)
        assert {"get_it", new} <= set(re.findall(r"\w+", edit.instruction))


def test_renames_that_would_be_ambiguous_are_not_made():
    assert edits("rename-everywhere", "def f_a():\n    return o.f_a\n") == []
    assert edits("rename-everywhere", "def run():\n    '''We run it.'''\n") == []
    assert edits("rename-everywhere", "const a_b = 1;\nf({ a_b });\n", "javascript") == []


def test_renames_in_a_function_leave_keywords_attributes_and_others_alone():
    text = "def f(a):\n    cnt = a.cnt\n    return g(cnt=cnt, b=f'{cnt}')\n\n\ncnt = 1\n"
    found = [edit for edit in edits("rename-in-function", text) if "    cnt = " not in edit.after]
    assert len(found) > 10
    for edit in found:
        new = edit.after.split("\n")[1].split()[0]
        changed = text.replace("    cnt =", f"    {new} =").replace("=cnt", f"={new}").replace("{cnt}", f"{{{new}}}")
        assert edit.after == changed


def test_swapped_parameters_swap_arguments():
    text = "def f(a, b):\n    return a\n\n\nf(1, g(2))\n"
    assert new_text("swap-parameters", text) == {"def f(b, a):\n    return a\n\n\nf(g(2), 1)\n"}
    for untouched in ("def f(a, b):\n    return a\n\n\nf(a=1, b=2)\n", "def f(a, b):\n    return a\n\n\nmap(f, x)\n"):
        assert edits("swap-parameters", untouched) == []


def test_added_parameters():
    results = new_text("add-parameter", "def f(a):\n    return a\n\n\nf(1)\n")
    assert "def f(a, timeout=None):\n    return a\n\n\nf(1)\n" in results
    assert "def f(a, timeout):\n    return a\n\n\nf(1, None)\n" in results
    results = new_text("add-parameter", "def f(\n    a: int,\n):\n    return a\n")
    assert "def f(\n    a: int,\n    strict: bool = True,\n):\n    return a\n" in results
    assert "function f(a, dryRun = false) {\n  g()\n}\n" in new_text(
        "add-parameter", "function f(a) {\n  g()\n}\n", "javascript"
    )


@pytest.mark.parametrize(
    ("kind", "text", "result"),
    [
        ("remove-documentation", 'def f():\n    """D."""\n    g()\n', "def f():\n    g()\n"),
        ("reshape-documentation", 'def f():\n    """D."""\n', 'def f():\n    """\n    D.\n    """\n'),
        ("reshape-documentation", 'def f():\n    """\n    D.\n    """\n', 'def f():\n    """D."""\n'),
        (
            "remove-comments",
            "def f():\n    # a\n    g()  # b\n    h()  # noqa\n",
            "def f():\n    g()\n    h()  # noqa\n",
        ),
        ("add-comment", "def f():\n    # say it\n    g()\n    h()\n", "def f():\n    g()\n    h()\n"),
        ("remove-hints", "def f(a: int, b: str = '') -> None:\n    g()\n", "def f(a, b=''):\n    g()\n"),
        ("add-none-result", "def f(a):\n    g()\n", "def f(a) -> None:\n    g()\n"),
        ("delete-function", "def f():\n    a\n\n\n# c\ndef g():\n    b\n\n\nh()\n", "def f():\n    a\n\n\nh()\n"),
        (
            "delete-function",
            "class C:\n    def f(self):\n        a\n\n    def g(self):\n        b\n\n\nh()\n",
            "class C:\n    def f(self):\n        a\n\n\nh()\n",
        ),
        (
            "move-function",
            "def f():\n    a\n\n\ndef g():\n    b\n\n\nh()\n",
            "def g():\n    b\n\n\ndef f():\n    a\n\n\nh()\n",
        ),
        ("add-import", "import re\nimport sys\n\nre.sub(sys)\n", "import sys\n\nre.sub(sys)\n"),
        ("sort-imports", "import b\nimport c\nimport a\n", "import a\nimport b\nimport c\n"),
        ("spread-brackets", "x = [1, 2]\nif x:\n    y\n", "x = [\n    1,\n    2,\n]\nif x:\n    y\n"),
        ("join-brackets", "x = [\n    1,\n    2,\n]\n", "x = [1, 2]\n"),
        ("sort-entries", "x = [\n    'b',\n    'C',\n    'a',\n]\n", "x = [\n    'a',\n    'b',\n    'C',\n]\n"),
        ("change-constant", "A = 3\nb = 1 + 2\n", "A = 4\nb = 1 + 2\n"),
        (
            "add-guard",
            'def f(a):\n    """D."""\n    g()\n',
            'def f(a):\n    """D."""\n    if a is None:\n        return None\n    g()\n',
        ),
        ("add-log", "def f(a):\n    g()\n", "def f(a):\n    print(a)\n    g()\n"),
        (
            "add-error-handling",
            "def f(a):\n    g(a)\n",
            "def f(a):\n    try:\n        g(a)\n    except OSError:\n        pass\n",
        ),
    ],
)
def test_python(kind, text, result):
    assert result in new_text(kind, text)


@pytest.mark.parametrize(
    ("kind", "text", "result"),
    [
        ("remove-documentation", "/** D. */\nfunction f() {\n  g();\n}\n", "function f() {\n  g();\n}\n"),
        (
            "add-guard",
            "function f(a) {\n  g();\n}\n",
            "function f(a) {\n  if (a === null) {\n    return null;\n  }\n  g();\n}\n",
        ),
        ("add-log", "function f(a) {\n  g();\n}\n", 'function f(a) {\n  console.log("f called");\n  g();\n}\n'),
        (
            "delete-function",
            "function f() {\n  a\n}\n\nfunction g() {\n  b\n}\n\nh()\n",
            "function f() {\n  a\n}\n\nh()\n",
        ),
        (
            "add-error-handling",
            "function f(a) {\n  g(a);\n}\n",
            "function f(a) {\n  try {\n    g(a);\n  } catch (error) {\n    return null;\n  }\n}\n",
        ),
        ("remove-import", "const a = require('a');\n", "const fs = require('fs');\nconst a = require('a');\n"),
        ("spread-brackets", "if (a) {\n  f(b, c);\n}\n", "if (a) {\n  f(\n    b,\n    c,\n  );\n}\n"),
        ("join-brackets", "x = {\n  a: 1,\n  b: 2,\n};\n", "x = { a: 1, b: 2 };\n"),
    ],
)
def test_scripts(kind, text, result):
    assert result in new_text(kind, text, "javascript")


@pytest.mark.parametrize(
    ("kind", "text", "result"),
    [
        ("change-heading", "# A\n\ntext\n", "# About A\n\ntext\n"),
        ("swap-term", "An example. Example two.\n", "An sample. Sample two.\n"),
        ("insert-item", "- a\n- b\n- c\n", "- a\n- c\n"),
        ("delete-item", "- a\n- b\n- c\n", "- a\n- c\n"),
        ("sort-items", "* c\n* a\n* B\n", "* a\n* B\n* c\n"),
        ("switch-list", "- a\n- b\n", "1. a\n2. b\n"),
        ("switch-list", "1. a\n2. b\n", "- a\n- b\n"),
        ("change-link", "See [it](http://x.y/z).\n", "See [it](http://x.y/z/latest).\n"),
    ],
)
def test_prose(kind, text, result):
    assert result in new_text(kind, text, "markdown")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("swap-term", "A `file` and the file.\n"),
        ("swap-term", "See http://x.y/file for a file.\n"),
        ("insert-item", "```\n- a\n- b\n- c\n```\n"),
        ("switch-list", "- a\n  more\n- b\n  more\n"),
        ("change-link", "[it](http://x.y) and [it](http://x.z)\n"),
    ],
)
def test_prose_that_is_left_alone(kind, text):
    assert edits(kind, text, "markdown") == []


def test_a_method_that_needs_no_object_becomes_a_function():
    text = "x\n\n\n@d\nclass C:\n    def f(self, a):\n        return a\n\n    def g(self):\n        return self.f(1)\n"
    rest = "class C:\n    def g(self):\n        return f(1)\n"
    function = "def f(a):\n    return a\n"
    assert new_text("hoist-method", text) == {f"x\n\n\n{function}\n\n@d\n{rest}", f"x\n\n\n@d\n{rest}\n\n{function}"}
    assert edits("hoist-method", text.replace("self.f(1)", "C.f(self, 1)")) == []
    assert edits("hoist-method", text.replace("return a", "return self.a")) == []


def test_a_typo_is_one_word_that_stands_nowhere_else():
    text = "Some wonderful words.\n"
    for edit in edits("fix-typo", text):
        wrong = [word for word in edit.before.split() if word not in text.split()]
        assert edit.after == text
        assert len(wrong) == 1


def test_inserted_functions_are_told_in_full_or_by_their_documentation():
    text = 'def f():\n    return 1\n\n\ndef g():\n    """Count all the sheep."""\n    return 2\n\n\nh()\n'
    for edit in edits("insert-function", text):
        assert edit.after == text
        gone = [line for line in text.split("\n") if line and line not in edit.before]
        assert "Count all the sheep." in edit.instruction or all(line in edit.instruction for line in gone)


def test_methods_of_one_name_are_told_apart():
    text = "class A:\n    def f(self, a):\n        g()\n\n\nclass B:\n    def f(self, a):\n        h()\n"
    for edit in edits("add-guard", text):
        owner = "A" if edit.after.endswith(text.split("\n\n\n")[1]) else "B"
        assert f"{owner}.f" in edit.instruction
