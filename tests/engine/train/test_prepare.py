"""From a recipe to pairs: the same ones every time, and none both learnt and held out."""

import pytest
from train_doubles import edit_pair

from copyspan.edits.program import CopyLines, format_program
from copyspan.edits.text import LineRange
from copyspan.errors import SourceError
from copyspan.train.oracle import oracle
from copyspan.train.pairs import write_pairs
from copyspan.train.prepare import draw
from copyspan.train.recipe import Recipe


@pytest.fixture
def folder(tmp_path):
    for name in ("a", "b"):  # the same ids in both
        pairs = [edit_pair(f"{name}{i}\n", "x\n", id=str(i), source=f"{name}{i}.py") for i in range(20)]
        write_pairs(tmp_path / f"{name}.jsonl", pairs)
    return tmp_path


def recipe(**fields):
    data = [{"path": "a.jsonl", "weight": 3}, {"path": "b.jsonl"}]
    return Recipe.model_validate({"name": "r", "data": data, "count": 16, **fields})


def test_pairs_are_drawn_by_weight_and_held_out_by_source(folder):
    found = draw(recipe(validation={"count": 4}), folder)
    assert (len(found.train), len(found.validation)) == (16, 4)
    assert sum(pair.id.startswith("1/") for pair in found.train) == 12
    ids = [pair.id for pair in (*found.train, *found.validation)]
    assert len(set(ids)) == 20
    assert not {pair.source for pair in found.train} & {pair.source for pair in found.validation}
    assert draw(recipe(validation={"count": 4}), folder) == found
    assert draw(recipe(validation={"count": 4}, seed=1), folder) != found


def test_pairs_are_held_out_in_a_file_of_their_own(folder):
    wanted = recipe(data=[{"path": "a.jsonl"}], count=100, validation={"path": "b.jsonl", "count": 5})
    found = draw(wanted, folder)
    assert (len(found.train), len(found.validation)) == (20, 5)
    assert {pair.source[0] for pair in found.validation} == {"b"}


def test_nothing_is_held_out_where_none_is_wanted(folder):
    assert draw(recipe(validation={"count": 0}), folder).validation == ()


def test_a_missing_file(folder):
    with pytest.raises(SourceError, match=r"none\.jsonl cannot be read"):
        draw(recipe(data=[{"path": "none.jsonl"}]), folder)


def test_some_pairs_are_numbered_as_in_a_long_file(folder):
    plain, shifted = (draw(recipe(validation={"count": 4}, shifted=share), folder) for share in (0, 0.5))
    assert [pair.id for pair in shifted.train] == [pair.id for pair in plain.train]
    assert shifted.validation == plain.validation
    moved = [(old, new) for old, new in zip(plain.train, shifted.train, strict=True) if old != new]
    assert 0 < len(moved) < len(plain.train)
    for old, new in moved:
        above = len(new.before) - len(old.before)
        assert 10 <= above <= 3000
        assert (new.before, new.after) == ("\n" * above + old.before, "\n" * above + old.after)
        found = oracle(new)
        assert found.scope == LineRange(above, above + 1)
        assert format_program(found.program) == "<program>\n<gen>\nx\n</gen>\n</program>\n"


def test_a_shifted_pair_keeps_its_line_ends(tmp_path):
    pair = edit_pair("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n")
    write_pairs(tmp_path / "a.jsonl", [pair])
    wanted = recipe(data=[{"path": "a.jsonl"}], count=1, shifted=1, validation={"count": 0})
    [shifted] = draw(wanted, tmp_path).train
    above = oracle(shifted).scope.start
    assert above >= 10
    assert shifted.before == "\r\n" * above + pair.before
    assert oracle(shifted).program.ops[0] == CopyLines(above, above + 1)
