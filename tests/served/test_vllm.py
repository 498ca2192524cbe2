"""A real vLLM server, from strategies to editors: the same edits as in this process, some cancelled, one killed."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from vllm_server import KEY, VllmServer

from copyspan.bench.load import Load, load_table
from copyspan.config import StrategyName
from copyspan.edits.text import Snapshot
from copyspan.engine import EditRequest, Engine
from copyspan.errors import Cancelled, OutputRejected, ServerUnreachable
from copyspan.grammar.automaton import ProgramAutomaton
from copyspan.grammar.vocab import Vocabulary
from copyspan.models.prompt import numbered_prompt, rewrite_prompt, shown
from copyspan.models.served import ServedModel
from copyspan.strategies.context import Meter, Run
from copyspan.strategies.program_decoder import ProgramDecoder, WrittenProgram
from copyspan.strategies.rewrite import Rewriter
from real_model import REAL_MODEL

pytestmark = pytest.mark.timeout(900)

NEAR_TIE = 0.5
"""Two tokens whose log-probabilities differ by less are equally likely in bfloat16, as far as anybody can say."""

BILL = '''\
def total(items):
    result = 0
    for item in items:
        if item.price is None:
            continue
        result += item.price * item.count
    return result


def discount(price, percent):
    """The price after a discount."""
    return price - price * percent / 100


def describe(items):
    lines = []
    for item in items:
        lines.append(f"{item.name}: {item.price}")
    return "\\n".join(lines)
'''
PROSE = """\
# Shopping

Bring milk, bread and butter. Do not forget the the milk.
The shop opens at 9 and closes at 18.

## Prices

Milk costs 2 euros. Bread costs 3 euros.
"""
EDITS = [
    ("bill.py", BILL, "Rename the function discount to rebate."),
    ("bill.py", BILL, "Rename the variable result to amount."),
    ("bill.py", BILL, "Raise a ValueError in discount if percent is negative."),
    ("bill.py", BILL, "Add a docstring to describe."),
    ("bill.py", BILL, "Add type hints to discount."),
    ("shop.md", PROSE, "Remove the repeated word."),
    ("shop.md", PROSE, "The shop closes at 20."),
    ("shop.md", PROSE, "Write dollars instead of euros."),
]


def request(number: int, strategy: StrategyName = "verified", candidates: int = 1) -> EditRequest:
    name, text, instruction = EDITS[number]
    return EditRequest(Snapshot(text), instruction, name=name, strategy=strategy, candidates=candidates)


def texts(engine: Engine, wanted: EditRequest) -> list[str]:
    """The candidates' texts; what is refused has none."""
    try:
        return [candidate.text for candidate in engine.edit(wanted).candidates]
    except OutputRejected as error:
        return [type(error).__name__]


def test_what_it_can_do(served: Engine) -> None:
    model = served.model
    assert isinstance(model, ServedModel)
    assert model.abilities.server.startswith("vLLM")
    assert model.abilities.context_size == 4096
    assert (model.abilities.scores_prompts, model.abilities.obeys_allowed, model.abilities.keeps_prefixes) == (
        True,
        True,
        True,
    )


@dataclass(frozen=True)
class Tokens:
    """A greedy answer."""

    prompt: Sequence[int]
    written: Sequence[int]


def answer(engine: Engine, number: int) -> Tokens:
    """The model's own answer, token by token."""
    name, text, instruction = EDITS[number]
    snapshot = Snapshot(text)
    run = Run(engine.model, lambda: False, lambda _: None, Meter(), 2048)
    prompt = rewrite_prompt(engine.model.tokenizer, snapshot, snapshot.all_lines, instruction, name)
    transcript = Rewriter(run, snapshot, snapshot.all_lines, instruction, prompt).first().transcript
    return Tokens(prompt.ids, [step.token for step in transcript.steps])


def gap(here: Engine, prompt: Sequence[int], first: Sequence[int], second: Sequence[int]) -> float:
    """Where two answers part: by how much this process's model finds one token likelier than the other."""
    place = next(i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    model = here.model
    context = [*prompt, *first[:place]]
    found = []
    for token in (first[place], second[place]):
        model.rollback(0)
        found.append(model.extend(context, named=[token]).named_logprob[0])
    return abs(found[0] - found[1])


def test_answers_are_those_of_the_same_weights_here_but_for_near_ties(served: Engine, here: Engine) -> None:
    flips = []
    for number in range(len(EDITS)):
        there, ours = answer(served, number), answer(here, number)
        assert there.prompt == ours.prompt
        if list(there.written) != list(ours.written):
            flips.append(gap(here, ours.prompt, ours.written, there.written))
    print(f"{len(flips)} of {len(EDITS)} answers part at a near tie: {flips}")
    assert max(flips, default=0.0) < NEAR_TIE
    assert len(flips) <= len(EDITS) // 2


def program(engine: Engine, number: int) -> WrittenProgram:
    """What the model writes under the grammar's mask, as far as it comes in 200 tokens: it was not trained for it."""
    name, text, instruction = EDITS[number]
    snapshot, model = Snapshot(text), engine.model
    prompt = numbered_prompt(model.tokenizer, snapshot, snapshot.all_lines, instruction, name)
    vocabulary = Vocabulary(model.tokenizer.vocabulary)
    run = Run(model, lambda: False, lambda _: None, Meter(), 200)
    decoder = ProgramDecoder(run, prompt, ProgramAutomaton(vocabulary, 1, snapshot.num_lines), 0, splice=True)
    with suppress(OutputRejected):
        decoder.greedy()
    return decoder._program


def test_programs_are_those_of_the_same_weights_here_but_for_near_ties(served: Engine, here: Engine) -> None:
    flips = []
    for number in range(len(EDITS)):
        there, ours = program(served, number).chosen, program(here, number)
        place = next((i for i, (a, b) in enumerate(zip(ours.chosen, there, strict=False)) if a != b), None)
        if place is not None:
            length = ours.choices[place].context_length
            flips.append(gap(here, here.model.tokens[:length], [ours.chosen[place]], [there[place]]))
    print(f"{len(flips)} of {len(EDITS)} programs part at a near tie: {flips}")
    assert max(flips, default=0.0) < NEAR_TIE
    assert len(flips) <= len(EDITS) // 2


@pytest.mark.parametrize("strategy", ["verified", "program"])
def test_edits_are_those_of_the_same_weights_here(served: Engine, here: Engine, strategy: StrategyName) -> None:
    """Most of them: a search tries the likeliest alternatives, many of which tie."""
    same = [texts(served, request(i, strategy)) == texts(here, request(i, strategy)) for i in range(len(EDITS))]
    print(f"{strategy}: {sum(same)} of {len(same)} edits are the same")
    assert sum(same) >= len(same) // 2


def test_a_search_finds_other_candidates(served: Engine) -> None:
    result = served.edit(request(2, candidates=4))
    assert len(result.candidates) > 1
    assert len({candidate.text for candidate in result.candidates}) == len(result.candidates)


def test_an_edit_takes_fewer_requests_than_plain_decoding_takes_forwards(served: Engine) -> None:
    cost = served.edit(request(0)).cost
    assert cost.forwards * 5 < cost.plain_forwards


def test_programs_are_prompted_as_here(served: Engine, here: Engine) -> None:
    snapshot = Snapshot(BILL)
    ours, theirs = (
        numbered_prompt(engine.model.tokenizer, snapshot, snapshot.all_lines, "x", "a.py").ids
        for engine in (here, served)
    )
    assert ours == theirs
    assert shown(snapshot, snapshot.all_lines) == BILL


def test_a_cancelled_edit_frees_the_server_at_once(served: Engine) -> None:
    flag: list[bool] = []
    Thread(target=lambda: (time.sleep(1.0), flag.append(True)), daemon=True).start()
    long = EditRequest(Snapshot(BILL * 6), "Rename the variable item to entry everywhere.", name="bill.py")
    with pytest.raises(Cancelled):
        served.edit(long, lambda: bool(flag))
    assert served.edit(request(0)).best.changed


def test_the_command_line(vllm: VllmServer, example: Path) -> None:
    program = "from copyspan.cli.app import main; main()"
    command = [sys.executable, "-c", program, "edit", str(example), "-i", "Rename the function discount to rebate."]
    done = subprocess.run(
        [*command, "--json", "--server", vllm.url, "--model", REAL_MODEL], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert "def rebate(" in "".join(hunk["new"] for hunk in report["candidates"][0]["hunks"])
    assert report["device"] == f"127.0.0.1:{vllm.port}"
    assert KEY not in done.stdout + done.stderr


async def _session(url: str) -> LanguageClient:
    client = LanguageClient("test", "1")
    await client.start_io(sys.executable, "-m", "copyspan_lsp")
    options = {"copyspan": {"model": REAL_MODEL, "serverUrl": url}}
    await client.initialize_async(types.InitializeParams(types.ClientCapabilities(), initialization_options=options))
    client.initialized(types.InitializedParams())
    for name in ("a.py", "b.py"):
        item = types.TextDocumentItem(f"file:///{name}", "python", 1, BILL)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return client


def _wanted(name: str, instruction: str) -> dict[str, object]:
    return {"textDocument": {"uri": f"file:///{name}", "version": 1}, "instruction": instruction}


def _new_text(result: Any) -> str:
    assert result.hunks
    return "".join(hunk.newText for hunk in result.hunks)


def test_an_editor_edits_two_documents_at_once_and_takes_one_back(vllm: VllmServer) -> None:
    async def play() -> None:
        client = await _session(vllm.url)
        send = client.protocol.send_request_async
        one, two = await asyncio.gather(
            send("copyspan/edit", _wanted("a.py", "Rename the function discount to rebate.")),
            send("copyspan/edit", _wanted("b.py", "Rename the function describe to report.")),
        )
        # What the model makes of it is its business; that each document gets its own answer is ours.
        assert "describe" not in _new_text(one)
        assert "discount" not in _new_text(two)
        taken = send("copyspan/edit", _wanted("a.py", "Rewrite everything in a functional style."), msg_id="taken")
        await asyncio.sleep(1.0)
        client.protocol.notify(types.CANCEL_REQUEST, types.CancelParams("taken"))
        with pytest.raises(JsonRpcException):
            await asyncio.wait_for(taken, 20)
        status = await send("copyspan/status", {})
        assert status.server == f"127.0.0.1:{vllm.port}"
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    asyncio.run(play())


def test_sixteen_editors_lose_nothing_and_mix_nothing_up(vllm: VllmServer) -> None:
    told = {"model": REAL_MODEL, "serverUrl": vllm.url}
    records = Load((sys.executable, "-m", "copyspan_lsp"), told, seconds=60.0).measure(16)
    print(load_table(records).markdown())
    assert sum(record.lost + record.crossed for record in records) == 0
    assert not [record.refused for record in records if record.refused]
    assert sum(len(record.edits) for record in records) > 16


def test_a_server_that_is_killed_in_mid_edit_and_started_again(vllm: VllmServer, served: Engine) -> None:
    """The last test: what follows finds a fresh server."""
    long = EditRequest(Snapshot(BILL * 6), "Rename the variable item to entry everywhere.", name="bill.py")
    Thread(target=lambda: (time.sleep(1.0), vllm.kill()), daemon=True).start()
    with pytest.raises(ServerUnreachable):
        served.edit(long)
    with pytest.raises(ServerUnreachable):
        served.edit(request(0))
    vllm.start()
    assert served.edit(request(0)).best.changed
