"""One edit in the ways that need no library model, from a script."""

import pytest
from bench_doubles import case
from bench_models import scripted

from copyspan.bench import ways
from copyspan.bench.generate import Decoding
from copyspan.bench.ways import Options, Workbench, file_name
from copyspan.config import EngineSettings
from copyspan.engine import Engine
from copyspan.models.protocol import Adapter
from copyspan.testing import END, ScriptedModel, fenced

BEFORE = "".join(f"line {i}\n" for i in range(20))
AFTER = BEFORE.replace("line 7\n", "line seven\n")


def bench(*bodies: str, **fields) -> Workbench:
    return Workbench(scripted(*bodies), case(BEFORE, AFTER, lang="python", instruction="Spell 7.", **fields), Options())


def test_verified_copying_is_counted_and_its_tokens_told():
    outcome = bench(AFTER).carry_out("verified")
    assert [found.text for found in outcome.found] == [AFTER]
    assert outcome.num_tokens == len(outcome.tokens) == len(AFTER) + 4  # the fence and the end
    assert outcome.forwards < outcome.num_tokens / 3
    assert set(outcome.phases) == {"prompt", "decode"}
    assert outcome.seconds == pytest.approx(sum(outcome.phases.values()))


def test_tokens_that_were_decoded_elsewhere_have_no_likelihood(monkeypatch):
    told = bench(AFTER)
    tokens = [*told.prompt.source_text.decode().replace("line 7\n", "line seven\n").encode(), END]
    monkeypatch.setattr(ways, "TransformersModel", ScriptedModel)
    monkeypatch.setattr(ways, "generate", lambda *_, **__: Decoding(tokens, 5, {}))
    plain, verified = told.carry_out("plain"), told.carry_out("verified")
    assert [found.text for found in plain.found] == [AFTER]
    assert plain.found[0].log_likelihood is None
    assert verified.found[0].log_likelihood is not None


def test_a_search_gives_several_candidates():
    outcome = bench(BEFORE, AFTER).carry_out("search")
    assert [(found.origin, found.text) for found in outcome.found] == [("departure", AFTER), ("greedy", BEFORE)]
    assert "search" in outcome.phases


def test_a_refused_answer_is_complete_and_one_without_an_end_is_not():
    refused = bench("# ... existing code ...\n" + BEFORE[7:]).carry_out("verified")
    assert (refused.error, refused.is_complete, refused.found, refused.tokens) == ("PlaceholderFound", True, (), ())
    assert refused.num_tokens > 0
    engine = Engine(ScriptedModel(["```py\nline 0\nline"]), EngineSettings())
    cut = Workbench(engine, case(BEFORE, AFTER, lang="python", instruction="Spell 7."), Options()).carry_out("verified")
    assert (cut.error, cut.is_complete) == ("OutputTruncated", False)
    assert cut.forwards > 0


def test_an_answer_that_was_made_to_go_on_is_not_compared_token_by_token():
    outcome = bench("".join(f"line {i}\n" for i in range(10)), BEFORE).carry_out("verified")
    assert outcome.found[0].origin == "completed"
    assert outcome.tokens == ()


def test_a_program_is_decoded():
    head, tail = BEFORE.split("line 7\n")
    written = f'<copy lines="1-7"/>\n{head}<gen>\nline seven\n</gen>\n<copy lines="9-20"/>\n{tail}'
    model = ScriptedModel([f"<program>\n{written}</program>"])
    asked = case(BEFORE, AFTER, lang="python", instruction="Spell 7.")
    outcome = Workbench(Engine(model, EngineSettings()), asked, Options()).carry_out("program")
    assert (outcome.error, outcome.found[0].text) == (None, AFTER)
    assert outcome.program is not None
    assert (outcome.program.copies, outcome.program.difference, outcome.fallback) == (2, "none", None)


def test_a_program_that_is_of_no_use_leaves_its_reason():
    model = ScriptedModel(["<program>\n</program>", fenced(AFTER, "py")])
    asked = case(BEFORE, AFTER, lang="python", instruction="Spell 7.")
    outcome = Workbench(Engine(model, EngineSettings()), asked, Options()).carry_out("program")
    assert (outcome.error, outcome.found[0].text) == (None, AFTER)
    assert outcome.program is not None
    assert outcome.program.difference == "fallback"
    assert outcome.fallback


def test_departures_from_a_program_are_further_candidates():
    texts = [AFTER, BEFORE.replace("line 9\n", "line nine\n")]
    programs = [
        f'<program>\n<copy lines="1-{n}"/>\n<gen>\nline {word}\n</gen>\n<copy lines="{n + 2}-20"/>\n</program>'
        for n, word in ((7, "seven"), (9, "nine"))
    ]
    model = ScriptedModel(programs, adapter=Adapter("spans", splice=False))
    asked = case(BEFORE, AFTER, lang="python", instruction="Spell 7.")
    work = Workbench(Engine(model, EngineSettings()), asked, Options())
    assert [found.text for found in work.carry_out("program-search").found] == texts
    assert [found.text for found in work.carry_out("program").found] == texts[:1]


def test_the_adapter_is_on_for_what_wants_it_alone():
    written = '<program>\n<copy lines="1-7"/>\n<gen>\nline seven\n</gen>\n<copy lines="9-20"/>\n</program>'
    model = ScriptedModel(
        lambda prompt: [written if "1|line 0" in prompt else fenced(AFTER, "py")], adapter=Adapter("spans", False)
    )
    seen = []
    extend = model.extend
    model.extend = lambda *args, **kwargs: (seen.append(model.is_adapted), extend(*args, **kwargs))[1]
    asked = case(BEFORE, AFTER, lang="python", instruction="Spell 7.")
    work = Workbench(Engine(model, EngineSettings()), asked, Options())
    ways = {
        "program": {True},
        "verified": {False},
        "adapted": {True},
        "search": {False},
        "program-search": {True},
        "ensemble": {False},
    }
    for way, states in ways.items():
        assert work.carry_out(way).found[0].text == AFTER
        assert set(seen) == states
        seen.clear()


def test_every_way_starts_from_an_empty_context():
    engine = scripted(AFTER)
    work = Workbench(engine, case(BEFORE, AFTER, lang="python", instruction="Spell 7."), Options())
    first, second = (work.carry_out("verified") for _ in range(2))
    assert first.forwards == second.forwards


def test_an_engine_that_refuses_is_an_outcome():
    engine = Engine(ScriptedModel([fenced(AFTER, "py")], context_size=100), EngineSettings())
    work = Workbench(engine, case(BEFORE, AFTER, lang="python", instruction="Spell 7."), Options())
    for way in ("verified", "search"):
        outcome = work.carry_out(way)
        assert (outcome.error, outcome.is_complete, outcome.found) == ("ContextTooLong", False, ())


@pytest.mark.parametrize(
    ("id", "lang", "name"),
    [
        ("org/repo@1a2b:lib/axios.js", "js", "axios.js"),
        ("org/repo@1a2b:Makefile", "make", "main.make"),
        ("Python/3", "python", "main.py"),
        ("JavaScript/3", "javascript", "main.js"),
        ("7", "", None),
    ],
)
def test_the_model_is_told_a_file_name(id, lang, name):
    assert file_name(case("a\n", "b\n", id, lang=lang)) == name
