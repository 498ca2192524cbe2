import pytest
from bench_doubles import WordTokens, case

from copyspan.bench.ceiling import bound_table, coverage_table, histogram_table, measure
from copyspan.bench.speedup import PAPER


@pytest.mark.parametrize(
    ("before", "after", "framing", "spans", "copied_lines", "num_lines", "num_tokens"),
    [
        ("a b\nc\nd\n", "a b\nx\nd\n", "plain", [4, 2], 2, 3, 8),
        ("a b\nc\nd\n\n", "a b\nx\nd\n\n", "body", [3, 2], 3, 4, 8),  # split: "a b" and "d", "", joined by a newline
        ("a\nb\n\n", "a\nc\n\n", "body", [1, 0], 2, 3, 4),
        ("a\n", "b\n", "plain", [], 0, 1, 2),
        ("a\n", "", "plain", [], 0, 0, 0),
    ],
)
def test_copies_of_lines(before, after, framing, spans, copied_lines, num_lines, num_tokens):
    found = measure(case(before, after, framing=framing), WordTokens())
    assert (found.spans, found.copied_lines) == (spans, copied_lines)
    assert (found.num_lines, found.num_tokens) == (num_lines, num_tokens)


def test_copies_of_tokens():
    found = measure(case("a b c d\n", "x b c d\n"), WordTokens(), min_span=3)
    assert (found.spans, found.token_spans, found.min_span) == ([], [7], 3)
    assert measure(case("a b c d\n", "x b c d\n"), WordTokens(), min_span=8).token_spans == []


def rows(table) -> list[dict[str, str]]:
    return [dict(zip(table.headings, row, strict=True)) for row in table.rows]


def test_tables():
    cases = [case("a b\nc\n", "a b\nx\n", "0"), case("a\n", "a\n", "1")]
    records = [measure(it, WordTokens()) for it in cases]
    (row,) = rows(coverage_table(records, 0))
    assert (row["n"], row["T"], row["copied"], row["generated"], row["K"]) == ("2", "8", "6", "2", "2")
    assert row["copied of T %"].startswith("75.0 [")
    assert (row["lines copied %"], row["mean span"]) == ("66.7", "3")
    assert histogram_table(records).rows == (("some (plain)", "0", "0", "1", "1"),)
    assert histogram_table(records).headings == ("set (framing)", "0", "1", "2-3", "4-7")
    assert [row["s(N)"] for row in rows(bound_table(records, PAPER, 0))] == ["paper-1.5b", "paper-7b"]


def test_several_sets_are_pooled_too():
    record = measure(case("a\n", "a\n"), WordTokens())
    records = [record, record.model_copy(update={"set": "other"})]
    assert [row["n"] for row in rows(coverage_table(records, 0))] == ["1", "1", "2"]
    assert [row[0] for row in bound_table(records, PAPER[:1], 0).rows] == ["some (plain)", "other (plain)", "pooled"]


def test_sets_without_copies_have_no_spans():
    (row,) = rows(coverage_table([measure(case("a\n", "b\n"), WordTokens())], 0))
    assert (row["K"], row["mean span"], row["p95"]) == ("0", "-", "-")
