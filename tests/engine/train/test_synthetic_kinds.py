"""Laws of all kinds of made-up edits, and of the choice among them."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from train_sources import FILES, PYTHON, source_file

from copyspan.edits.align import align_lines
from copyspan.edits.resolve import render
from copyspan.edits.text import Snapshot
from copyspan.errors import UsageError
from copyspan.train.data.synthetic.blocks import dedented
from copyspan.train.data.synthetic.code import is_valid, parse
from copyspan.train.data.synthetic.combined import NOTHING
from copyspan.train.data.synthetic.edit import Edit
from copyspan.train.data.synthetic.lexer import python_tokens
from copyspan.train.data.synthetic.makers import KINDS
from copyspan.train.data.synthetic.synthesize import all_kinds, make_edit, synthesize
from copyspan.train.data.synthetic.variants import excerpt, varied


@pytest.mark.parametrize("name", all_kinds())
def test_every_kind_makes_sound_edits_and_the_same_ones_again(name):
    kind = all_kinds()[name]
    made = 0
    for file in FILES:
        for seed in range(25 if file.lang in kind.langs else 0):
            edit = make_edit(kind, file, Random(seed), is_nothing=name == NOTHING)
            assert edit == make_edit(kind, file.with_text(file.text), Random(seed), is_nothing=name == NOTHING)
            if edit is not None:
                made += 1
                assert (edit.before == edit.after) is (name == NOTHING)
                assert is_valid(edit.before, file.lang)
                assert is_valid(edit.after, file.lang)
                assert edit.instruction.strip() == edit.instruction
                assert "{" not in edit.instruction or "{" in edit.before + edit.after
    assert made


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if "javascript" in kind.langs])
def test_every_kind_of_code_knows_scripts(name):
    # Scripts have no f-strings, and a loop that returns early has braces around it.
    if name not in ("fault-early-return", "swap-parameters"):
        assert any(make_edit(KINDS[name], FILES[1], Random(seed)) for seed in range(60))


def test_repairs_lead_back_to_the_file_and_other_edits_start_from_it():
    for name, kind in KINDS.items():
        for file in FILES:
            for seed in range(10):
                edit = kind.make(file, Random(seed)) if file.lang in kind.langs else None
                if edit is not None:
                    assert (edit.after if name.startswith("fault-") else file.text) == file.text
                    assert file.text in (edit.before, edit.after) or name in ("sort-imports", "sort-entries")


def test_pairs_are_sound_different_and_say_where_they_come_from():
    pairs = list(synthesize(FILES, 150, seed=3))
    assert len(pairs) == 150
    assert len({pair.id for pair in pairs}) == 150
    assert len({(pair.before, pair.after) for pair in pairs}) == 150
    for pair in pairs:
        assert (pair.before == pair.after) is (pair.kind == NOTHING)
        assert (pair.source, pair.license) in {(file.source, "MIT") for file in FILES}
        for text in (pair.before, pair.after):
            plain = dedented(text.replace("\r\n", "\n"))
            assert plain is not None
            assert is_valid(plain, pair.lang)
    assert len({pair.kind for pair in pairs}) > 30


def test_every_pair_is_a_program():
    for pair in synthesize(FILES, 100, seed=4):
        before = Snapshot(pair.before)
        assert render(align_lines(before, pair.after), before) == pair.after


def test_a_smaller_count_is_the_beginning_and_another_seed_is_something_else():
    pairs = list(synthesize(FILES, 30, seed=1))
    assert list(synthesize(FILES, 10, seed=1)) == pairs[:10]
    assert list(synthesize(FILES, 30, seed=2)) != pairs


def test_pairs_do_not_depend_on_the_hashes_of_a_process():
    code = (
        "from train_sources import FILES\n"
        "from copyspan.train.data.synthetic.synthesize import synthesize\n"
        "print([pair.model_dump_json() for pair in synthesize(FILES, 60, seed=5)])\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_kinds_can_be_chosen():
    pairs = list(synthesize(FILES, 12, seed=0, kinds=["fix-typo", "add-guard"]))
    assert {pair.kind for pair in pairs} == {"fix-typo", "add-guard"}
    faults = {pair.kind for pair in synthesize(FILES, 30, seed=0, kinds=["fault-*"])}
    assert len(faults) > 2
    assert all(kind.startswith("fault-") for kind in faults)


def test_files_that_are_used_up_end_the_pairs():
    file = source_file("import sys\nimport re\nimport abc\nimport copy\n\nprint(sys, re, abc, copy)\n")
    assert 0 < len(list(synthesize([file], 5000, seed=0, kinds=["remove-import"]))) < 5000


def test_what_cannot_be_made():
    with pytest.raises(UsageError, match="--kind SECRET: there is no such kind"):
        list(synthesize(FILES, 1, 0, kinds=["SECRET"]))
    for files in ([], FILES[2:], [source_file("x = 1\n")], [source_file(PYTHON.replace("\n", "\r\n"))]):
        with pytest.raises(UsageError, match="Name files of Python"):
            list(synthesize(files, 1, 0, kinds=["add-guard"]))


def test_excerpts_are_parts_of_the_file_that_stand_alone():
    texts = Counter(excerpt(FILES[0], Random(seed)).text for seed in range(200))
    assert texts[PYTHON] > 20
    assert len(texts) > 10
    for text in texts:
        code = parse(text, "python")
        assert code is not None
        assert {token.text for token in code.tokens} <= {token.text for token in python_tokens(PYTHON)}


def test_variants_change_white_space_alone_and_both_texts_alike():
    edit = Edit("Do it.", "def f():\n    return 1\n", "def f():\n    return 2\n")
    variants = {varied(edit, Random(seed)) for seed in range(300)}
    for variant in variants:
        assert variant.instruction == edit.instruction
        assert variant.before.split() == edit.before.split()
        assert variant.after == variant.before.replace("1", "2")
    texts = {variant.before for variant in variants}
    assert texts >= {
        edit.before,
        "def f():\n\treturn 1\n",
        "def f():\r\n    return 1\r\n",
        "def f():\n    return 1",
        "    def f():\n        return 1\n",
    }
