"""What is counted of a model's programs: right ones, wrong spans, nothing changed, refused."""

import math

import pytest
from train_doubles import Follower, edit_pair

from copyspan.errors import Cancelled
from copyspan.models.tokenizer import ChatTokenizer
from copyspan.testing import ScriptedModel
from copyspan.train.transcripts import Transcriber
from copyspan.train.validate import PairRecord, Summary, Validator, summaries
from tiny_lm import tiny_tokenizer

PAIR = edit_pair("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "change c")
TOKENIZER = ChatTokenizer(tiny_tokenizer())


def program(*ops: str) -> str:
    bodies = (f'<copy lines="{op}"/>\n' if op[0].isdigit() else f"<gen>\n{op}</gen>\n" for op in ops)
    return "<program>\n" + "".join(bodies) + "</program>"


def judged(*ops: str, pair=PAIR, **options) -> PairRecord:
    return Validator.of(ScriptedModel([program(*ops)]), splice=False, **options).record(pair)


@pytest.mark.parametrize("splice", [False, True])
def test_a_model_that_writes_the_oracle_is_exact(splice):
    transcript = Transcriber(TOKENIZER, min(TOKENIZER.end_tokens), 10_000, splice).transcribe(PAIR)
    record = Validator.of(Follower(TOKENIZER, [*transcript.prompt, *transcript.answer]), splice=splice).record(PAIR)
    assert (record.exact, record.well_formed, record.start_right, record.end_right) == (True, True, True, True)
    assert (record.refused, record.unchanged, record.is_edit, record.num_lines) == (None, False, True, 5)
    assert record.num_tokens == transcript.num_learnt - 1


def test_another_program_of_the_same_text_is_exact_too():
    record = judged("1-1", "b\nC\nd\n", "5-5")
    assert (record.exact, record.start_right, record.end_right) == (True, True, False)


@pytest.mark.parametrize(
    ("ops", "exact", "start", "end", "unchanged"),
    [
        (("1-3", "C\n", "4-5"), False, True, False, False),
        (("2-2", "C\n", "4-5"), False, False, True, False),
        (("1-5",), False, True, False, True),
        (("a\nb\nC\nd\ne\n",), True, False, False, False),
    ],
)
def test_what_is_wrong_is_told(ops, exact, start, end, unchanged):
    record = judged(*ops)
    assert (record.exact, record.start_right, record.end_right, record.unchanged) == (exact, start, end, unchanged)
    assert record.well_formed


def test_what_the_engine_refuses_is_counted():
    endless = judged("".join(f"x{i * i}\n" for i in range(200)), max_new_tokens=100)
    assert (endless.refused, endless.well_formed, endless.exact) == ("OutputTruncated", False, False)
    placeholder = judged("1-2", "# ... rest of the code ...\n")
    assert (placeholder.refused, placeholder.well_formed) == ("PlaceholderFound", True)
    shorter = judged("1-2", "4-5", pair=edit_pair("a\nb\nc\nd\ne\n", "a\nb\nd\ne\n", "tidy"))
    assert (shorter.refused, shorter.exact) == ("OddProgram", True)


def test_pairs_without_a_program_are_passed_over():
    validator = Validator.of(ScriptedModel([program("1-5")]), splice=False)
    pairs = [edit_pair("a\n", "b\n", ""), PAIR, edit_pair("a\nb\nc\nd\ne\n", "a\nb\nc\nd\ne\n")]
    none, edit, nothing = validator.records(pairs)
    assert none is None
    assert (edit.exact, edit.unchanged, nothing.exact, nothing.is_edit) == (False, True, True, False)
    with pytest.raises(Cancelled):
        list(validator.records(pairs, lambda: True))


def test_shares_are_of_the_pairs_that_they_concern():
    one = PairRecord(id="a", kind="x", num_lines=9, is_edit=True, exact=True, start_right=True, end_right=False)
    two = PairRecord(id="b", kind="y", num_lines=9, is_edit=False, unchanged=True, refused="OutputRepeats")
    found = summaries([one, two])
    assert list(found) == ["x", "y", "all"]
    everything = found["all"]
    assert (everything.num_pairs, everything.exact, everything.refused) == (2, 0.5, 0.5)
    assert (everything.start_right, everything.end_right, everything.unchanged) == (1.0, 0.0, 0.0)
    assert math.isnan(found["y"].start_right)
    assert math.isnan(Summary.of([]).exact)
