"""A served model edits as the same model in this process, with few requests, and fails in words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Thread
from time import monotonic, sleep

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from copyspan.edits.text import Snapshot
from copyspan.engine import EditRequest, EditResult, Engine
from copyspan.errors import (
    Cancelled,
    ContextTooLong,
    NotScored,
    RequestRefused,
    ServerError,
    ServerMisfit,
    ServerOverloaded,
    ServerRefused,
    ServerUnreachable,
    UsageError,
)
from copyspan.models.adapter_card import AdapterCard, Shape, prompt_version
from copyspan.models.protocol import Adapter
from copyspan.models.served import Link, Patience, ServedModel, check_address, connect
from copyspan.testing import ByteTokenizer, ScriptedModel, fenced
from fake_server import FakeServer, Fault, broken, fine, hung, replied, status

HASTE = Patience(connect=5.0, answer=20.0, attempts=3, pause=0.01, longest_pause=0.05)
LINES = [f"line {i} of the document\n" for i in range(120)]
DOCUMENT = "".join(LINES)
CHANGED = "".join([*LINES[:50], "another line 50\n", *LINES[51:]])
ANSWER = fenced(CHANGED, "py")
REQUEST = EditRequest(Snapshot(DOCUMENT), "Change line 50.", name="a.py")


def served(server: FakeServer, key: str | None = None, patience: Patience = HASTE, **wanted: object) -> ServedModel:
    link = Link(check_address(server.url), key, patience)
    return connect(link, server.model, server.tokenizer, context_size=100_000, **wanted)  # type: ignore[arg-type]


def texts(result: EditResult) -> list[str]:
    return [candidate.text for candidate in result.candidates]


def edited(server: FakeServer, request: EditRequest = REQUEST) -> EditResult:
    model = served(server)
    try:
        return Engine(model).edit(request)
    finally:
        model.close()


@pytest.mark.parametrize("scores_prompts", [True, False])
@pytest.mark.parametrize("counts_end", [True, False])
def test_an_edit_is_that_of_the_same_model_in_this_process(scores_prompts: bool, counts_end: bool) -> None:
    script = [ANSWER]
    with FakeServer(script, scores_prompts=scores_prompts, counts_end=counts_end) as server:
        there = edited(server)
    here = Engine(ScriptedModel(script)).edit(REQUEST)

    assert texts(there) == texts(here) == [CHANGED]
    assert there.best.copied_lines == here.best.copied_lines == 119
    assert there.best.log_likelihood == pytest.approx(here.best.log_likelihood, abs=0.11)  # the end is sure


_WORDS = st.sampled_from(["a = 1\n", "b = 2\n", "    return x\n", "\n", "}\n", "total += price\n", "x\n"])
_TEXTS = st.lists(_WORDS, min_size=1, max_size=30).map(lambda lines: "".join(lines) + "end\n")


@given(
    before=_TEXTS, answers=st.lists(_TEXTS, min_size=1, max_size=3), candidates=st.integers(1, 3), scores=st.booleans()
)
@example(before="a = 1\n" * 10 + "end\n", answers=["a = 1\nend\n", "a = 1\n" * 2 + "end\n"], candidates=1, scores=False)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_edit_is_that_of_the_model_in_this_process(
    before: str, answers: list[str], candidates: int, scores: bool
) -> None:
    script = [fenced(answer, "py") for answer in answers]
    # Without scores nothing tells where to depart from an answer that changed something.
    wanted = candidates if scores else 1
    request = EditRequest(Snapshot(before), "Do it.", name="a.py", candidates=wanted)
    here = _outcome(Engine(ScriptedModel(script)), request)
    with FakeServer(script, scores_prompts=scores) as server:
        model = served(server)
        there = _outcome(Engine(model), request)
        model.close()

    if not scores and there == "SweepingDeletion":
        # The model's own answer is refused, and only with scores can others be searched for.
        here = _outcome(Engine(ScriptedModel(script[:1])), request)
    assert there == here


@given(before=_TEXTS, salt=st.integers(0, 5), candidates=st.integers(1, 3))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_program_is_that_of_the_model_in_this_process(before: str, salt: int, candidates: int) -> None:
    last = before.count("\n")
    script = [
        f'<program>\n<copy lines="1-{max(1, last - salt)}"/>\n<gen>\nnew {salt}\n</gen>\n</program>\n',
        f'<program>\n<copy lines="1-{last}"/>\n</program>\n',
        "no program at all",
    ][salt % 3 :]
    request = EditRequest(Snapshot(before), "Delete and write.", name="a.py", strategy="program", candidates=candidates)
    here = _outcome(Engine(ScriptedModel(script)), request)
    with FakeServer(script) as server:
        model = served(server)
        there = _outcome(Engine(model), request)
        model.close()

    assert there == here


def _outcome(engine: Engine, request: EditRequest) -> object:
    try:
        return texts(engine.edit(request))
    except Exception as error:
        return type(error).__name__


def test_what_stays_costs_few_requests() -> None:
    with FakeServer([ANSWER]) as server:
        model = served(server)
        asked = len(server.bodies)
        result = Engine(model).edit(REQUEST)

    requests = len(server.bodies) - asked
    assert requests == result.cost.forwards == model.traffic.requests
    assert requests <= 10  # 2,880 bytes are 2,880 tokens here, and 2,048 of them fit in one request
    assert result.cost.plain_forwards > 2800


def test_what_is_new_comes_some_tokens_at_a_time() -> None:
    new = "".join(f"quite another line {i}\n" for i in range(40))
    with FakeServer([fenced(new, "py")]) as server:
        model = served(server)
        result = Engine(model).edit(replace(REQUEST, snapshot=Snapshot("x\ny\n"), instruction="Delete all, write new."))

    assert result.best.text == new
    assert model.traffic.requests < len(new) / 16


def test_the_server_is_told_to_be_greedy_and_to_name_tokens_by_their_ids() -> None:
    with FakeServer([ANSWER]) as server:
        edited(server)

    for body in server.bodies:
        assert body["temperature"] == 0
        assert body["return_token_ids"] is True
        assert body["add_special_tokens"] is False


def test_a_document_is_sent_as_the_beginning_of_every_prompt_so_that_the_server_can_keep_it() -> None:
    with FakeServer([ANSWER]) as server:
        model = served(server)
        asked = len(server.bodies)
        Engine(model).edit(REQUEST)
        prompts = server.prompts[asked:]

    shortest = min(prompts, key=len)
    assert all(prompt[: len(shortest)] == shortest for prompt in prompts)
    assert model.traffic.cached_tokens > len(shortest) // 2


def test_a_server_that_names_tokens_by_their_text_writes_and_searches_nothing() -> None:
    """As SGLang does: it tells the ids of what it wrote, and of nothing else."""
    with FakeServer([ANSWER, fenced(DOCUMENT, "py")], scores_prompts=False, names_by_ids=False) as server:
        assert texts(edited(server, replace(REQUEST, candidates=3))) == [CHANGED]
    with FakeServer([fenced(DOCUMENT, "py"), ANSWER], scores_prompts=False, names_by_ids=False) as server:
        result = edited(server)
    assert (texts(result), result.searched) == ([DOCUMENT], 0)


def test_without_scores_there_are_no_further_candidates_and_a_search_says_why() -> None:
    with FakeServer([ANSWER, fenced(DOCUMENT, "py")], scores_prompts=False) as server:
        model = served(server)
        engine = Engine(model)
        result = engine.edit(replace(REQUEST, candidates=3))
        assert texts(result) == [CHANGED]
        with pytest.raises(NotScored, match="no other answers"):
            engine.search(REQUEST, result)


def test_the_context_is_the_servers_where_that_is_shorter() -> None:
    with FakeServer([ANSWER], context_size=500) as server:
        model = served(server)
        asked = len(server.bodies)
        with pytest.raises(ContextTooLong):
            Engine(model).edit(REQUEST)

    assert len(server.bodies) == asked


# Connecting


def test_what_a_server_can_do_is_found_out_when_it_is_connected() -> None:
    with FakeServer([""], context_size=4096) as server:
        abilities = served(server).abilities

    assert abilities.server == "vLLM 0.32.0"
    assert abilities.context_size == 4096
    assert (abilities.scores_prompts, abilities.obeys_allowed, abilities.keeps_prefixes) == (True, True, True)


def test_what_a_server_cannot_do_is_found_out_as_well() -> None:
    with FakeServer([""], context_size=None, scores_prompts=False, obeys_allowed=False, tells_cached=False) as server:
        abilities = served(server).abilities

    assert abilities.context_size == 100_000
    assert (abilities.scores_prompts, abilities.obeys_allowed, abilities.keeps_prefixes) == (False, False, None)
    assert "writes everything" in abilities.way


@pytest.mark.parametrize("name", ["scripted", "Scripted", "org/scripted"])
def test_a_model_is_found_by_its_name_or_by_the_last_part_of_it(name: str) -> None:
    with FakeServer([""], model="team/scripted") as server:
        assert (
            connect(Link(check_address(server.url)), name, ByteTokenizer(), context_size=1000).name == "team/scripted"
        )


def test_a_model_is_found_by_where_the_server_has_it_from() -> None:
    with FakeServer([""], model="coder", root="/models/Qwen2.5-Coder") as server:
        model = connect(Link(check_address(server.url)), "Qwen/Qwen2.5-Coder", ByteTokenizer(), context_size=1000)
        assert model.name == "coder"


def test_a_model_that_is_not_served_is_refused_with_those_that_are() -> None:
    with FakeServer([""], model="coder") as server, pytest.raises(ServerRefused, match="serves coder"):
        connect(Link(check_address(server.url)), "other", ByteTokenizer(), context_size=1000)


def test_a_server_with_other_tokens_is_refused() -> None:
    class Shifted(ByteTokenizer):
        def encode(self, text: str) -> list[int]:
            return [(token + 1) % 256 for token in super().encode(text)]

    with FakeServer([""], tokenizer=Shifted()) as server, pytest.raises(ServerMisfit, match="other tokens"):
        connect(Link(check_address(server.url)), "scripted", ByteTokenizer(), context_size=1000)


def test_a_server_that_sends_no_ids_is_refused() -> None:
    with FakeServer([ANSWER], tells_ids=False) as server:
        assert served(server).name == "scripted"  # the names of the tokens tell their ids


def test_an_adapter_that_the_server_has_is_used_for_programs_alone() -> None:
    card = AdapterCard(
        name="spans-scripted",
        base="scripted",
        shape=Shape(hidden_size=1, num_layers=1, vocabulary=1),
        splice=False,
        prompt=prompt_version(),
        recipe="",
        num_steps=1,
        num_pairs=1,
        date="2026-01-01",
    )
    with FakeServer(
        ['<program>\n<copy lines="1-120"/>\n<gen>\nx\n</gen>\n</program>\n'], adapters=("spans-scripted",)
    ) as server:
        model = served(server, adapters=(card,))
        assert model.adapter == Adapter("spans-scripted", splice=False)
        asked = len(server.bodies)
        Engine(model).edit(replace(REQUEST, strategy="program", instruction="Add x."))

    assert {body["model"] for body in server.bodies[:asked]} == {"scripted"}
    assert {body["model"] for body in server.bodies[asked:]} == {"spans-scripted"}


def test_the_key_is_sent_and_never_told() -> None:
    with FakeServer([ANSWER], key="SECRET") as server:
        assert texts(Engine(served(server, key="SECRET")).edit(REQUEST)) == [CHANGED]
        with pytest.raises(ServerRefused, match="COPYSPAN_API_KEY") as caught:
            served(server, key="WRONG")

    assert "WRONG" not in str(caught.value)


# Faults


def test_nobody_there() -> None:
    with FakeServer([""]) as server:
        link = Link(check_address(server.url), None, HASTE)
    with pytest.raises(ServerUnreachable, match="Start the server"):
        connect(link, "scripted", ByteTokenizer(), context_size=1000)


def test_a_certificate_that_nobody_trusts(tls_server: str) -> None:
    with pytest.raises(ServerUnreachable, match="certificate"):
        connect(Link(check_address(tls_server), None, HASTE), "scripted", ByteTokenizer(), context_size=1000)


def test_encryption_to_a_server_that_has_none() -> None:
    with FakeServer([""]) as server:
        link = Link(check_address(server.url.replace("http:", "https:")), None, HASTE)
        with pytest.raises(ServerUnreachable):
            connect(link, "scripted", ByteTokenizer(), context_size=1000)


@dataclass(frozen=True)
class Failure:
    """Faults in a row, and how they end."""

    faults: Sequence[Fault]
    error: type[ServerError]
    said: str


FAILURES = {
    "the key is no longer good": Failure([status(401)], ServerRefused, "COPYSPAN_API_KEY"),
    "the key may not do this": Failure([status(403)], ServerRefused, "COPYSPAN_API_KEY"),
    "the model is gone": Failure([status(404, "no such model")], ServerRefused, "no such model"),
    "a request that it does not understand": Failure([status(400, "bad [1, 2]")], RequestRefused, r"bad \[\]"),
    "a redirect": Failure([status(307)], ServerRefused, "elsewhere"),
    "too many requests, again and again": Failure([status(429)] * 3, ServerOverloaded, "3 times in a row"),
    "failing, again and again": Failure([status(500), status(502), status(503)], ServerOverloaded, "HTTP 503"),
    "a broken connection": Failure([broken], ServerUnreachable, "broke off"),
    "a page instead of an answer": Failure([replied(b"<html></html>")], ServerMisfit, "OpenAI-compatible"),
    "another kind of answer": Failure([replied({"choices": [{"text": "SECRET"}]})], ServerError, "."),
    "an answer that was given up": Failure(
        [replied({"choices": [{"finish_reason": "abort", "token_ids": []}]})], ServerError, "."
    ),
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("after", [0, 2])
def test_a_fault_ends_the_edit_in_words_and_the_next_one_works(name: str, after: int) -> None:
    failure = FAILURES[name]
    with FakeServer([ANSWER]) as server:
        model = served(server)
        engine = Engine(model)
        server.faults = [fine] * after + list(failure.faults)
        with pytest.raises(failure.error, match=failure.said) as caught:
            engine.edit(REQUEST)
        assert "SECRET" not in str(caught.value)
        assert "line 50" not in str(caught.value)
        server.faults = []

        assert texts(engine.edit(REQUEST)) == [CHANGED]


@pytest.mark.parametrize("faults", [[status(429, retry_after="1")], [status(500), status(503)]])
def test_a_busy_server_is_asked_again(faults: list[Fault]) -> None:
    with FakeServer([ANSWER]) as server:
        engine = Engine(served(server))
        server.faults = faults

        assert texts(engine.edit(REQUEST)) == [CHANGED]


def test_a_server_that_does_not_answer() -> None:
    with FakeServer([ANSWER]) as server:
        engine = Engine(served(server, patience=replace(HASTE, answer=0.3)))
        server.faults = [hung]
        with pytest.raises(ServerUnreachable, match="in time"):
            engine.edit(REQUEST)


def test_a_server_that_is_killed_in_mid_edit_and_comes_back() -> None:
    with FakeServer([ANSWER]) as server:
        engine = Engine(served(server))
        server.faults = [fine, broken]
        with pytest.raises(ServerUnreachable):
            engine.edit(REQUEST)
    with pytest.raises(ServerUnreachable):
        engine.edit(REQUEST)
    with FakeServer([ANSWER], port=server.port):
        assert texts(engine.edit(REQUEST)) == [CHANGED]


@pytest.mark.parametrize("other", [{"root": "org/other"}, {"context_size": 2048}, {"model": "other"}])
def test_a_server_that_comes_back_with_another_model(other: dict[str, object]) -> None:
    with FakeServer([ANSWER]) as server:
        engine = Engine(served(server))
        server.faults = [broken]
        with pytest.raises(ServerUnreachable):
            engine.edit(REQUEST)
    with (
        FakeServer([ANSWER], port=server.port, **other),  # type: ignore[arg-type]
        pytest.raises(ServerMisfit, match="another model"),
    ):
        engine.edit(REQUEST)


def test_a_cancelled_edit_is_given_up_at_the_server_as_well() -> None:
    with FakeServer([ANSWER]) as server:
        model = served(server, patience=replace(HASTE, answer=60.0))
        engine = Engine(model)
        server.faults = [fine, hung]
        with pytest.raises(Cancelled):
            engine.edit(REQUEST, lambda: not server.faults)
        until = monotonic() + 20
        while not server.aborted and monotonic() < until:
            sleep(0.01)

        assert server.aborted == 1
        assert texts(engine.edit(REQUEST)) == [CHANGED]


def test_a_pause_before_the_next_try_can_be_cancelled() -> None:
    with FakeServer([ANSWER]) as server:
        model = served(server, patience=replace(HASTE, pause=60.0, longest_pause=60.0))
        server.faults = [status(503)] * 3
        flag: list[bool] = []
        Thread(target=lambda: (sleep(0.2), flag.append(True)), daemon=True).start()
        with pytest.raises(Cancelled):
            Engine(model).edit(REQUEST, lambda: bool(flag))


def test_an_unsafe_address_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(UsageError, match="not encrypted"):
        check_address("http://example.org/v1")
