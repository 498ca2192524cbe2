"""Transcripts are what a decoder's context holds when a model writes the oracle program."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from train_doubles import Follower, edit_pair

from copyspan.edits.program import format_program
from copyspan.grammar.automaton import ProgramAutomaton
from copyspan.grammar.vocab import Vocabulary
from copyspan.models.prompt import numbered_prompt
from copyspan.models.tokenizer import ChatTokenizer
from copyspan.strategies.context import Meter, Run
from copyspan.strategies.program_decoder import ProgramDecoder
from copyspan.testing import END, ByteTokenizer
from copyspan.train.oracle import oracle
from copyspan.train.transcripts import Transcriber
from tiny_lm import tiny_tokenizer

TINY, BYTES = ChatTokenizer(tiny_tokenizer()), ByteTokenizer()
VOCABULARIES = {id(tokenizer): Vocabulary(tokenizer.vocabulary) for tokenizer in (TINY, BYTES)}
EDITED = edit_pair("a\nb = 1\nc\n", "a\nb = 2\nc\n", "set b to 2")


def transcriber(tokenizer, splice=False, max_tokens=100_000):
    return Transcriber(tokenizer, min(tokenizer.end_tokens), max_tokens, splice)


def text_of(tokenizer, ids):
    return b"".join(tokenizer.vocabulary[i] for i in ids).decode()


lines = st.lists(
    st.sampled_from(["def total(items):", "  return x</gen>", "", "<gen>", "😀ü", "</", "\t"]), max_size=12
)


@settings(max_examples=60, deadline=None)
@given(lines, lines, st.sampled_from(["", "\n"]), st.booleans(), st.sampled_from([TINY, BYTES]))
def test_a_decoder_whose_model_chooses_the_program_sees_exactly_these_ids(olds, news, edge, splice, tokenizer):
    before, after = (edge + "".join(f"{line}\n" for line in ["x = 1", *part, "y = 2"]) for part in (olds, news))
    pair = edit_pair(before, after)
    found, wanted = transcriber(tokenizer, splice).transcribe(pair), oracle(pair)
    scope = wanted.scope
    model = Follower(tokenizer, [*found.prompt, *found.answer])
    prompt = numbered_prompt(tokenizer, wanted.snapshot, scope, pair.instruction, pair.name)
    automaton = ProgramAutomaton(VOCABULARIES[id(tokenizer)], scope.start + 1, scope.stop)
    run = Run(model, lambda: False, lambda _: None, Meter(), 10_000)
    written = ProgramDecoder(run, prompt, automaton, scope.start, splice).greedy()
    assert written.text.decode() + "\n" == format_program(wanted.program)
    # The text that ends a program is forced, and needs no forward any more.
    *rest, end = [*found.prompt, *found.answer][len(model.tokens) :]
    assert "</program>".endswith(text_of(tokenizer, rest))
    assert end in tokenizer.end_tokens


@pytest.mark.parametrize("tokenizer", [TINY, BYTES])
def test_spliced_lines_follow_their_copy_and_are_not_learnt(tokenizer):
    plain, spliced = (transcriber(tokenizer, splice).transcribe(EDITED) for splice in (False, True))
    assert plain.prompt == spliced.prompt
    assert plain.num_learnt == spliced.num_learnt == len(plain.answer)
    assert text_of(tokenizer, spliced.answer[:-1]) == (
        '<program>\n<copy lines="1-1"/>\na\n<gen>\nb = 2\n</gen>\n<copy lines="3-3"/>\nc\n</program>'
    )
    copied = [i for i, is_learnt in zip(spliced.answer, spliced.is_learnt, strict=True) if not is_learnt]
    assert text_of(tokenizer, copied) == "a\nc\n"


def test_pairs_are_left_out_with_a_reason():
    limit = len(transcriber(BYTES).transcribe(EDITED))
    pairs = [EDITED, edit_pair("a\n", "b" * 300 + "\n"), edit_pair("a\n", "b\n", ""), edit_pair("a\n", "b\n", "")]
    seen = []
    found = transcriber(BYTES, max_tokens=limit).all(pairs, lambda: seen.append(1))
    assert [item.id for item in found.items] == ["a"]
    assert found.skipped == {"too long": 1, "no instruction": 2}
    assert len(seen) == 4
    assert transcriber(BYTES, max_tokens=limit - 1).all([EDITED]).skipped == {"too long": 1}


def test_the_answer_ends_with_the_end_token():
    assert transcriber(BYTES).transcribe(EDITED).answer[-1] == END
