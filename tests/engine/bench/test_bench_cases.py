import pytest
from bench_doubles import case, write_set

from copyspan.bench.cases import read_cases, read_sets
from copyspan.errors import SourceError, UsageError
from copyspan.jsonlines import Numbers

RECORD = {"id": "a", "before": "x\n", "after": "y\n", "instruction": "do", "lang": "py", "entry_point": "f"}


def test_a_record_becomes_a_case(tmp_path):
    found = read_cases(write_set(tmp_path / "mine.jsonl", RECORD))[0]
    assert (found.set, found.id, found.before, found.after, found.instruction) == ("mine", "a", "x\n", "y\n", "do")
    assert (found.tests, found.extra) == (None, {"entry_point": "f"})


def test_a_record_without_an_id_is_known_by_its_number(tmp_path):
    path = write_set(tmp_path / "mine.jsonl", {"before": "a", "after": "b"}, {"before": "\u2028", "after": "\x0c"})
    assert [(found.id, found.before) for found in read_cases(path)] == [("0", "a"), ("1", "\u2028")]


@pytest.mark.parametrize(
    ("framing", "texts"),
    [("plain", ("x\n", "y\n")), ("doc", ("d\nx\n", "d\ny\n")), ("body", ("x\n\n", "y\n"))],
)
def test_framings(tmp_path, framing, texts):
    fields = {"before_doc": "d\nx\n", "after_doc": "d\ny\n", "body_before": "x\n", "body_after": "y"}
    found = read_cases(write_set(tmp_path / "mine.jsonl", RECORD | fields), framing)[0]
    assert (found.before, found.after, found.framing) == (*texts, framing)


def test_numbers(tmp_path):
    records = [RECORD | {"id": str(i)} for i in range(10)]
    path = write_set(tmp_path / "mine.jsonl", *records)
    assert [found.id for found in read_cases(path, numbers=Numbers.parse("1/4"))] == ["1", "5", "9"]


@pytest.mark.parametrize("text", ["4/4", "1", "-1/4", "a/b", "1/", ""])
def test_wrong_numbers(text):
    with pytest.raises(UsageError, match="such as 1/4"):
        Numbers.parse(text)


@pytest.mark.parametrize(
    ("records", "framing", "words"),
    [
        ([{"before": "SECRET"}], "plain", "line 1 is no record of an edit: after: field required"),
        ([{"before": "SECRET", "after": 3}], "plain", "after: input should be a valid string"),
        ([["SECRET"]], "plain", "line 1 is no record"),
        ([RECORD, RECORD], "plain", "the id 'a' occurs twice"),
        ([RECORD], "body", "no text 'body_before' for the framing body. It has: plain"),
        ([RECORD | {"body_before": "SECRET\r\n", "body_after": ""}], "body", "holds a CR"),
        ([], "plain", "holds no case"),
    ],
)
def test_wrong_records_are_told_without_their_text(tmp_path, records, framing, words):
    with pytest.raises(UsageError) as caught:
        read_cases(write_set(tmp_path / "mine.jsonl", *records), framing)
    assert words in str(caught.value)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("data", [b"not json\n", b'{"before": "\xff"}\n', b"[" * 100_000])
def test_what_is_not_json(tmp_path, data):
    path = tmp_path / "mine.jsonl"
    path.write_bytes(data)
    with pytest.raises(UsageError, match="line 1 is no record of an edit: not JSON"):
        read_cases(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        read_cases(tmp_path / "none.jsonl")


def test_two_sets_of_one_name(tmp_path):
    (tmp_path / "b").mkdir()
    paths = [write_set(tmp_path / "mine.jsonl", RECORD), write_set(tmp_path / "b" / "mine.jsonl", RECORD)]
    assert [found.set for found in read_sets(paths[:1], "plain")] == ["mine"]
    with pytest.raises(UsageError, match="called mine"):
        read_sets(paths, "plain")


@pytest.mark.parametrize(
    ("framing", "text", "is_gold"),
    [("plain", "y\n", True), ("plain", "y\n\n", False), ("body", "y\n\n\n", True), ("body", "\ny\n", False)],
)
def test_what_counts_as_gold(framing, text, is_gold):
    assert case("x\n", "y\n", framing=framing).is_gold(text) is is_gold
