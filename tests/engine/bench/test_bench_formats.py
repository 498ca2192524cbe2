import pytest
from bench_doubles import WordTokens, case
from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.bench.answer_forms import apply_search_replace, apply_unified, write_search_replace, write_unified
from copyspan.bench.formats import FORMS, format_table, measure
from copyspan.errors import ProgramRangeError, ProgramSyntaxError

LINES = ["a", "b", "- c", "\\ No newline at end of file", "\r", "", "", " é"]
texts = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


@given(texts, texts, st.integers(0, 3))
@settings(deadline=None)
def test_a_unified_diff_brings_the_text_back(before, after, context):
    assert apply_unified(before, write_unified(before, after, context)) == after


@given(st.integers(0, 3), st.data())
@settings(deadline=None)
def test_search_replace_brings_the_text_back_where_all_lines_differ(context, data):
    olds = [f"line {i}" for i in range(12)]
    news = []
    for old in olds:
        news += data.draw(st.sampled_from([[old], [old], [], [f"new {old}"], [old, f"more {old}"]]))
    before, after = "\n".join(olds), "\n".join(news)
    assert apply_search_replace(before, write_search_replace(before, after, context)) == (after, False)


def test_a_unified_diff():
    assert write_unified("a\nb\nc\n", "a\nx\nc") == (
        "--- a\n+++ b\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+x\n+c\n\\ No newline at end of file\n"
    )
    assert write_unified("a\n", "a\nb\n", 0) == "--- a\n+++ b\n@@ -1,0 +2,1 @@\n+b\n"
    assert write_unified("a\n", "a\n") == ""


def test_search_replace():
    blocks = "<<<<<<< SEARCH\nb\n=======\nx\n>>>>>>> REPLACE\n"
    assert write_search_replace("a\nb\nc\n", "a\nx\nc\n", 0) == blocks
    assert apply_search_replace("a\nab\nb\nb", blocks) == ("a\nab\nx\nb", True)


@pytest.mark.parametrize(
    ("before", "after", "block"),
    [
        ("a\nb\n", "a\nx\nb\n", "a\n=======\na\nx\n"),
        ("a\n", "x\na\n", "a\n=======\nx\na\n"),
        ("a\nb\n", "b\n", "a\n=======\n"),
        ("a\n", "a", "\n=======\n"),
    ],
)
def test_what_is_searched_for(before, after, block):
    written = write_search_replace(before, after, 0)
    assert written == f"<<<<<<< SEARCH\n{block}>>>>>>> REPLACE\n"
    assert apply_search_replace(before, written) == (after, False)


@pytest.mark.parametrize(
    ("apply", "answer", "error"),
    [
        (apply_search_replace, "<<<<<<< SEARCH\nz\n=======\n>>>>>>> REPLACE\n", ProgramRangeError),
        (apply_search_replace, "b\n", ProgramSyntaxError),
        (apply_search_replace, "<<<<<<< SEARCH\na\n=======\nb\n", ProgramSyntaxError),
        (apply_unified, "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-z\n+a\n", ProgramRangeError),
        (apply_unified, "--- a\n+++ b\nnonsense\n", ProgramSyntaxError),
    ],
)
def test_answers_that_cannot_be_applied(apply, answer, error):
    with pytest.raises(error):
        apply("a\n", answer)


def failures(before: str, after: str) -> dict[str, str]:
    found = measure(case(before, after), WordTokens())
    return {record.form: record.failure for record in found if record.failure}


@pytest.mark.parametrize(
    ("before", "after", "failing"),
    [
        ("a\nb\nc\n", "a\nx\nc\n", {}),
        ("c\nx\ny\nz\nc\n", "c\nx\ny\nz\nd\n", {"search-replace, context 0": "ambiguous"}),
        (
            "a\n=======\nb\n",
            "a\n=======\nc\n",
            {f"search-replace, context {i}": why for i, why in ((1, "not readable"), (3, "other text"))},
        ),
        ("a\n<<<<<<< SEARCH\n", "b\n", {}),
        ("b\n", ">>>>>>> REPLACE\n", {f"search-replace, context {i}": "not readable" for i in (0, 1, 3)}),
    ],
)
def test_failing_round_trips(before, after, failing):
    assert failures(before, after) == failing


def test_tokens_and_table():
    records = list(measure(case("a\nb\nc\n", "a\nx\nc\n"), WordTokens()))
    tokens = {record.form: record.num_tokens for record in records}
    assert list(tokens) == [form.name for form in FORMS]
    assert tokens["full text"] == 6
    assert tokens["unified diff"] == len(WordTokens().ids(write_unified("a\nb\nc\n", "a\nx\nc\n")))
    (full, *_) = format_table(records, seed=0).rows
    assert full[:5] == ("some (plain)", "full text", "1", "6.0 [6.0, 6.0]", "100")


def test_the_joint_of_the_body_framing_is_not_counted():
    first = next(measure(case("a\n", "b\n", framing="body"), WordTokens()))
    assert (first.form, first.num_tokens, first.failure) == ("full text", 1, None)
