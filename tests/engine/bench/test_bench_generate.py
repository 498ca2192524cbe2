"""Plain decoding and prompt lookup by the library: the tokens of verified copying, and the stop at the fence."""

import pytest
from bench_doubles import case

from copyspan.bench.generate import generate
from copyspan.bench.ways import Options, Workbench
from copyspan.config import EngineSettings
from copyspan.engine import Engine
from copyspan.errors import ContextTooLong
from copyspan.models.transformers import TransformersModel
from tiny_lm import tiny_model

BEFORE = "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n"
AFTER = BEFORE.replace("0", "10")


@pytest.fixture(scope="module")
def model() -> TransformersModel:
    return tiny_model()


def bench(model: TransformersModel, **options) -> Workbench:
    asked = case(BEFORE, AFTER, lang="python", instruction="Start at 10.")
    return Workbench(Engine(model, EngineSettings()), asked, Options(**options))


def test_lookup_gives_the_tokens_of_plain_decoding_in_no_more_forwards(model):
    prompt = bench(model).prompt
    plain = generate(model, prompt.ids, prompt.fence, 60)
    lookup = generate(model, prompt.ids, prompt.fence, 60, lookup=10)
    assert plain.tokens == lookup.tokens
    assert plain.forwards == len(plain.tokens)
    assert lookup.forwards <= plain.forwards
    assert set(plain.seconds) == {"prompt", "decode"}


def test_a_models_own_settings_do_not_count(model, monkeypatch):
    prompt = bench(model).prompt
    plain = generate(model, prompt.ids, prompt.fence, 40).tokens
    with model.as_library() as pretrained:
        config = pretrained.generation_config
    for name, value in (("repetition_penalty", 9.0), ("do_sample", True), ("no_repeat_ngram_size", 1)):
        monkeypatch.setattr(config, name, value)
    assert generate(model, prompt.ids, prompt.fence, 40).tokens == plain


@pytest.mark.parametrize("way", ["plain", "lookup", "verified"])
def test_every_way_writes_the_reference_when_it_is_made_to(model, way):
    outcome = bench(model, is_steered=True).carry_out(way)
    assert outcome.error is None
    assert outcome.is_complete
    assert outcome.found[0].text == AFTER
    assert bytes(b for t in outcome.tokens for b in model.tokenizer.vocabulary[t] or b"").decode() == f"{AFTER}```"
    if way == "plain":
        assert outcome.forwards == outcome.num_tokens == len(outcome.tokens)
    else:
        assert outcome.forwards < outcome.num_tokens / 2


def test_an_answer_ends_with_the_line_that_closes_its_fence(model):
    encode = model.tokenizer.encode
    prompt, text = encode("```py\n"), "a = '```'\n```\nIt is done.\n"
    tokens = generate(model, prompt, "```", 40, target=[*prompt, *encode(text)]).tokens
    assert b"".join(model.tokenizer.vocabulary[t] or b"" for t in tokens).startswith(b"a = '```'\n```\n")
    assert len(tokens) < len(encode(text))


def test_a_full_context_is_refused_before_any_work(model):
    with pytest.raises(ContextTooLong):
        generate(model, [5] * 10, "```", model.context_size)


def test_the_models_own_context_is_left_alone(model):
    model.rollback(0)
    model.extend([5, 6, 7])
    generate(model, [8, 9], "```", 4)
    assert list(model.tokens) == [5, 6, 7]
