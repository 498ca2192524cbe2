import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyspan.errors import SourceError, UsageError
from copyspan.train.pairs import EditPair, read_pairs, write_pairs


def pair(id: str = "a", before: str = "x\n", after: str = "y\n") -> EditPair:
    return EditPair(id=id, kind="commit", source="r@1:f.py", instruction="do", before=before, after=after)


texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(before=texts, after=texts)
def test_pairs_come_back_as_they_were(tmp_path_factory, before, after):
    for name in ("f.jsonl", "f.jsonl.gz"):
        path = tmp_path_factory.getbasetemp() / name
        pairs = (pair("a", before, after), pair("b", after, before))
        assert write_pairs(path, pairs) == 2
        assert read_pairs(path) == pairs


def test_equal_pairs_are_equal_bytes(tmp_path):
    one, two = tmp_path / "one.jsonl.gz", tmp_path / "new" / "two.jsonl.gz"
    write_pairs(one, [pair()])
    write_pairs(two, [pair()])
    assert one.read_bytes() == two.read_bytes()


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path):
    path = tmp_path / "f.jsonl"
    write_pairs(path, [pair("old")])
    with pytest.raises(UsageError, match="the id 'a' occurs twice"):
        write_pairs(path, [pair(), pair()])
    assert [found.id for found in read_pairs(path)] == ["old"]
    assert [found.name for found in tmp_path.iterdir()] == ["f.jsonl"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"id": "a"}', "line 1 is no edit pair: kind: field required"),
        (pair().model_dump_json().replace('"before"', '"SECRET"'), "before: field required"),
        (pair().model_dump_json() + "\n" + pair().model_dump_json(), "the id 'a' occurs twice"),
        ("SECRET", "line 1 is no edit pair: it: invalid json"),
        ("\n", "holds no pairs"),
    ],
)
def test_wrong_lines_are_told_without_their_text(tmp_path, text, words):
    path = tmp_path / "f.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_pairs(path)
    assert words in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        read_pairs(tmp_path / "none.jsonl")
    path = tmp_path / "f.jsonl.gz"
    path.write_bytes(b"plain")
    with pytest.raises(SourceError, match="not compressed"):
        read_pairs(path)
    path.write_bytes(gzip.compress(b"something longer")[:-6])
    with pytest.raises(SourceError, match="its end is missing"):
        read_pairs(path)


def test_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "f").write_text("")
    with pytest.raises(SourceError, match="--out FILE"):
        write_pairs(tmp_path / "f" / "g.jsonl", [pair()])
