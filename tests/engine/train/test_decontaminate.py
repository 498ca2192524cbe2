import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.errors import SourceError, UsageError
from copyspan.train.data.decontaminate import RUN, EvaluationIndex, EvaluationSet, check, read_evaluation
from copyspan.train.pairs import EditPair


def pair(before="a\n", after="b\n", id="mine", source="mine"):
    return EditPair(id=id, kind="commit", source=source, instruction="do", before=before, after=after)


def reason(record, *arguments, **fields):
    index = EvaluationIndex()
    index.add(record)
    return index.reason(pair(*arguments, **fields))


def words(prefix, number):
    return " ".join(f"{prefix}{i}" for i in range(number))


@given(st.integers(0, 90), st.integers(0, 90), st.integers(0, 60), st.sampled_from([" ", "\n", "\t\n  "]))
def test_every_shared_run_is_found_wherever_it_is(left, right, head, gap):
    run = words("w", RUN)
    text = gap.join([words("a", left), run.replace(" ", gap), words("b", right)])
    record = {"before": f"{words('c', head)} {run} {words('d', 3)}"}
    assert reason(record, text) == "40 words in a row"
    assert reason(record, "x", text) == "40 words in a row"


@given(st.integers(0, 90), st.integers(0, 90), st.integers(0, 60))
def test_a_shorter_run_of_a_long_text_is_no_reason(left, right, head):
    run = words("w", RUN - 1)
    text = f"{words('a', left)} {run} {words('b', right)}"
    assert reason({"before": f"{words('c', head + 10)} {run} {words('d', 10)}"}, text) is None


@given(st.integers(12, RUN - 1), st.integers(0, 50), st.integers(0, 50))
def test_a_short_text_is_found_inside_of_a_longer_one(length, left, right):
    short = words("w", length)
    held = f"{words('a', left)} {short} {words('b', right)}"
    assert reason({"body_after": short}, held) in ("a whole text", "an equal text")
    assert reason({"body_after": short}, held.replace("w3 ", "other ")) is None


@pytest.mark.parametrize("name", ["before", "after", "before_doc", "after_doc", "body_before", "body_after"])
def test_equal_texts_are_found_in_every_field(name):
    assert reason({name: "\n  x = 1 \r\n  y = 2\n"}, "a", "  x = 1\n  y = 2") == "an equal text"
    assert reason({name: "\n  x = 1\n  y = 2\n"}, "a", "x = 1\n    y = 2") is None


def test_ids_and_sources():
    assert reason({"id": "r@1:a", "before": "x"}, id="r@1:a") == "the same id"
    assert reason({"id": "r@1:a", "before": "x"}, source="r@1:a") == "the same id"
    assert reason({"id": "r@2:a", "before": "x"}, id="r@1:a") is None


def test_empty_texts_equal_nothing():
    assert reason({"before": "", "after": "\n"}, "", "\n") is None


def test_clean_pairs_are_told_from_the_others():
    index = EvaluationIndex()
    index.add({"id": "r", "before": "x = 1\n"})
    pairs = [pair(id="r"), pair(id="s"), pair("x = 1\n", id="t"), pair("x = 1\n", id="u")]
    found = check(pairs, index)
    assert found.clean == (pairs[1],)
    assert found.reasons == {"the same id": 1, "an equal text": 2}


def test_evaluation_sets_are_read(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"id": 3, "before": "x"}) + "\n\n" + json.dumps({"id": "b", "body_after": "y"}) + "\n")
    assert read_evaluation([EvaluationSet(path)]).ids == {"b"}
    for text, message in (
        ('{"id": "SECRET"}', "has none of before, after"),
        ('["SECRET"]', "it is no object"),
        ("SECRET", "line 1 is not JSON"),
    ):
        path.write_text(text)
        with pytest.raises(UsageError, match=message) as caught:
            read_evaluation([EvaluationSet(path)])
        assert "SECRET" not in str(caught.value)
    with pytest.raises(SourceError, match="cannot be read"):
        read_evaluation([EvaluationSet(tmp_path / "none.jsonl")])


def test_a_share_of_a_set_is_read(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps({"id": name, "before": name}) + "\n" for name in "abcdefg"))
    assert read_evaluation([EvaluationSet.parse(f"{path}:1/4"), EvaluationSet.parse(f"{path}:3/4")]).ids == set("bdf")
    assert read_evaluation([EvaluationSet.parse(str(path))]).ids == set("abcdefg")
    with pytest.raises(UsageError, match="R < M"):
        EvaluationSet.parse("set.jsonl:4/4")
