from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.errors import UsageError
from copyspan.train.data.mix import Part, file_of, mix
from copyspan.train.pairs import EditPair


def pairs(name, number, lines=1, per_file=1):
    return [
        EditPair(
            id=f"{name}{i}",
            kind=name,
            source=f"r@{i:012x}:{name}{i // per_file}.py",
            instruction="do",
            before="a\n" * lines,
            after="b\n",
        )
        for i in range(number)
    ]


def kinds(found):
    return Counter(pair.kind for pair in found)


@given(
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=3),
    count=st.integers(0, 60),
    validation=st.integers(0, 20),
    per_file=st.integers(1, 6),
    seed=st.integers(0, 5),
)
def test_laws(sizes, count, validation, per_file, seed):
    parts = [Part(pairs("abc"[i], size, per_file=per_file), i + 1) for i, size in enumerate(sizes)]
    found = mix(parts, count, seed, validation=validation)
    assert found == mix(parts, count, seed, validation=validation)
    assert len(found.train) <= count
    assert len(found.validation) == min(validation, sum(sizes))
    assert not {file_of(pair) for pair in found.train} & {file_of(pair) for pair in found.validation}
    ids = [pair.id for pair in (*found.train, *found.validation)]
    assert len(ids) == len(set(ids))
    assert len(found.train) >= min(count, sum(sizes) - validation - len(sizes) * per_file * validation)


def test_weights_are_shares():
    parts = [Part(pairs("a", 100), 3), Part(pairs("b", 100), 1)]
    found = mix(parts, 80, 0, validation=8)
    assert kinds(found.train) == {"a": 60, "b": 20}
    assert kinds(found.validation) == {"a": 6, "b": 2}


def test_a_part_that_is_used_up_is_filled_up_by_the_others():
    parts = [Part(pairs("a", 10), 5), Part(pairs("b", 100), 2), Part(pairs("c", 100), 1)]
    assert kinds(mix(parts, 70, 0).train) == {"a": 10, "b": 40, "c": 20}


def test_another_seed_draws_others_in_another_order():
    part = Part(pairs("a", 100))
    draws = [[pair.id for pair in mix([part], 20, seed).train] for seed in (0, 1)]
    assert draws[0] != draws[1]
    assert draws[0] != sorted(draws[0])


def test_long_pairs_are_left_out():
    parts = [Part(pairs("a", 5, lines=10)), Part(pairs("b", 5, lines=11))]
    assert kinds(mix(parts, 10, 0, max_lines=10).train) == {"a": 5}
    with pytest.raises(UsageError, match="at most 9 lines"):
        mix(parts, 10, 0, max_lines=9)


def test_wrong_parts():
    for parts in ([], [Part(pairs("a", 1), 0)], [Part(pairs("a", 1)), Part(pairs("b", 1), -1)]):
        with pytest.raises(UsageError, match="weights above 0"):
            mix(parts, 1, 0)


def test_versions_of_a_file_are_one_file():
    one, two = pairs("a", 2, per_file=2)
    assert one.source != two.source
    assert file_of(one) == file_of(two) == "r:a0.py"
    assert file_of(one.model_copy(update={"source": "a@b.py"})) == "a@b.py"
