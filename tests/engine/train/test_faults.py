from random import Random

import pytest
from train_sources import FILES, source_file

from copyspan.train.data.synthetic.faults.faulty import FAULTS, fault_maker


def faulty_bodies(kind, lines, lang="python"):
    """The bodies that a kind of fault leaves behind in a function of these statements."""
    head, tail, indent = ("def f(a, b):\n", "", "    ") if lang == "python" else ("function f(a, b) {\n", "}\n", "  ")
    text = head + "".join(f"{indent}{line}\n" for line in lines.split("\n")) + tail
    file = source_file(text, lang)
    made = [fault_maker(kind)(file, Random(seed)) for seed in range(60)]
    assert all(edit is None or edit.after == text for edit in made)
    bodies = {edit.before.removeprefix(head).removesuffix(tail) for edit in made if edit is not None}
    return {"\n".join(line.removeprefix(indent) for line in body.split("\n")[:-1]) for body in bodies}


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("operator", "return a < b", {"return a <= b", "return a > b"}),
        ("operator", "return a and b", {"return a or b"}),
        ("operator", "return 'x' + a", set()),
        ("operator", "return -a", set()),
        ("negated-condition", "if a:\n    return b", {"if not a:\n    return b"}),
        ("negated-condition", "if a and b:\n    return b", set()),
        ("missing-not", "return not a", {"return a"}),
        ("missing-not", "return a not in b", {"return a in b"}),
        ("missing-not", "return a is not b", {"return a is b"}),
        ("off-by-one", "return a[0]", {"return a[1]"}),
        ("off-by-one", "return a - 1", {"return a"}),
        ("wrong-variable", "return a.x(b)", {"return a.x(a)"}),
        ("wrong-constant", "return True", {"return False"}),
        ("swapped-arguments", "return g(a, 1)", {"return g(1, a)"}),
        ("swapped-arguments", "return g(a=a, b=1)", set()),
        ("wrong-method", "return max(a)", {"return min(a)"}),
        ("wrong-order", "return a - b", {"return b - a"}),
        ("missing-return", "return a", {"a"}),
        ("missing-return", "g()\nreturn a", {"g()\na", "g()"}),
        ("missing-line", "a += 1\nreturn a", {"return a"}),
        ("early-return", "for x in a:\n    g(x)\nreturn b", {"for x in a:\n    g(x)\n    return b"}),
        ("repeated-line", "a += 1\nreturn a", {"a += 1\na += 1\nreturn a"}),
        ("swapped-lines", "a += 1\na *= 2\nreturn a", {"a *= 2\na += 1\nreturn a"}),
    ],
)
def test_python(kind, right, wrong):
    assert faulty_bodies(kind, right) == wrong


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("operator", "g();\nreturn a === b;", {"g();\nreturn a !== b;"}),
        ("negated-condition", "if (a) {\n  g();\n}", {"if (!a) {\n  g();\n}"}),
        ("negated-condition", "if (a > b) {\n  g();\n}", {"if (!(a > b)) {\n  g();\n}"}),
        ("missing-not", "g();\nreturn !a;", {"g();\nreturn a;"}),
        ("wrong-method", "g();\na.push(b);", {"g();\na.unshift(b);"}),
        ("missing-return", "g();\nreturn a;", {"g();\na;", "g();"}),
        ("swapped-arguments", "h();\nreturn g(a, b);", {"h();\nreturn g(b, a);"}),
    ],
)
def test_scripts(kind, right, wrong):
    assert faulty_bodies(kind, right, "javascript") == wrong


def test_a_fault_in_a_long_text_is_told_by_function_or_line():
    for file in FILES[:2]:
        long = source_file(file.text + "\n".join(f"x{i} = {i}" for i in range(60)) + "\n", file.lang)
        names = {function.name for function in long.functions}
        for kind in FAULTS:
            for seed in range(15):
                edit = fault_maker(kind)(long, Random(seed))
                if edit is not None:
                    lines = {line.strip() for line in edit.before.split("\n") if line.strip()}
                    assert any(told in edit.instruction for told in names | lines)


def test_a_fault_in_a_short_text_is_sometimes_not_told_at_all():
    file = source_file("def f(a):\n    return a + 1\n")
    told = [fault_maker("operator")(file, Random(seed)).instruction for seed in range(60)]
    assert any("f" not in text.replace("fix", "").replace("Find", "").split() and "bug" in text for text in told)
    assert len(set(told)) > 15
