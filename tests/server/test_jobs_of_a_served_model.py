"""A model that a server runs works for several documents at once, and each of them keeps its place in the queue."""

import asyncio

import pytest
import pytest_asyncio
from engine_bench import PATIENCE, Bench, Gate, settings, turns, until

from copyspan.errors import ServerUnreachable
from copyspan_lsp.jobs import SERVED_LANES, Stopped

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(60)]


@pytest_asyncio.fixture
async def bench():
    made = Bench(server="http://localhost:1")
    yield made
    made.close()
    assert await asyncio.to_thread(made.jobs.join, PATIENCE)


async def test_as_many_documents_as_there_are_lanes_are_edited_at_once(bench):
    gates = [Gate(number) for number in range(SERVED_LANES + 1)]
    tasks = [bench.start(str(number), gate) for number, gate in enumerate(gates)]
    await asyncio.gather(*(gate.entered() for gate in gates[:-1]))
    assert (bench.jobs.num_waiting, bench.jobs.is_idle) == (1, False)
    assert not gates[-1]._entered.is_set()

    gates[3].open()  # whoever is done makes room, in whatever order
    assert await asyncio.wait_for(tasks[3], PATIENCE) == 3
    await gates[-1].entered()
    for gate in gates:
        gate.open()
    assert await asyncio.gather(*tasks) == list(range(SERVED_LANES + 1))
    assert bench.jobs.is_idle


async def test_each_lane_has_an_engine_of_its_own_which_is_closed_at_the_end(bench):
    gates = [Gate(), Gate()]
    tasks = [bench.start(key, gate) for key, gate in zip("ab", gates, strict=True)]
    await asyncio.gather(*(gate.entered() for gate in gates))
    assert bench.log == ["load m", "load m"]
    for gate in gates:
        gate.open()
    await asyncio.gather(*tasks)
    await bench.run("c")
    assert bench.log == ["load m", "load m"]
    bench.jobs.close()
    await until(lambda: bench.log.count("close m") == 2)


async def test_the_newest_of_a_document_takes_the_place_of_the_one_before(bench):
    gate = Gate()
    first, second = bench.start("a", gate), bench.start("a", lambda _: 2)
    with pytest.raises(Stopped) as stopped:
        await asyncio.wait_for(first, PATIENCE)
    assert stopped.value.reason == "superseded"
    gate.open()
    assert await asyncio.wait_for(second, PATIENCE) == 2


async def test_stopping_one_document_leaves_the_others_at_work(bench):
    gates = [Gate("a"), Gate("b")]
    tasks = [bench.start(key, gate) for key, gate in zip("ab", gates, strict=True)]
    await asyncio.gather(*(gate.entered() for gate in gates))
    assert bench.jobs.stop("changed", "a") == 1
    for gate in gates:
        gate.open()
    with pytest.raises(Stopped):
        await asyncio.wait_for(tasks[0], PATIENCE)
    assert await asyncio.wait_for(tasks[1], PATIENCE) == "b"


async def test_a_server_that_fails_in_one_lane_is_told_and_the_next_job_tries_again(bench):
    bench.loading.failures.append(ServerUnreachable("gone"))
    with pytest.raises(ServerUnreachable):
        await bench.run("a")
    await turns()
    assert (bench.jobs.state.phase, bench.jobs.state.message) == ("failed", "gone")
    assert await bench.run("a") == "m"
    await turns()
    assert bench.jobs.state.phase == "ready"


async def test_a_model_in_this_process_afterwards_has_one_lane_again(bench):
    gates = [Gate(), Gate()]
    tasks = [bench.start(key, gate) for key, gate in zip("ab", gates, strict=True)]
    await asyncio.gather(*(gate.entered() for gate in gates))
    for gate in gates:
        gate.open()
    await asyncio.gather(*tasks)

    bench.jobs.configure(settings("n"))
    await until(lambda: bench.log.count("close m") == 1)
    gate = Gate()
    running, waiting = bench.start("a", gate), bench.start("b", lambda engine: engine.name)
    await gate.entered()
    assert bench.jobs.num_waiting == 1
    gate.open()
    await running
    assert await asyncio.wait_for(waiting, PATIENCE) == "n"
    assert bench.log.count("close m") == 2
    assert bench.log.count("load n") == 1


async def test_all_engines_go_when_nobody_edits(bench):
    gates = [Gate(), Gate()]
    tasks = [bench.start(key, gate) for key, gate in zip("ab", gates, strict=True)]
    await asyncio.gather(*(gate.entered() for gate in gates))
    for gate in gates:
        gate.open()
    await asyncio.gather(*tasks)
    bench.jobs.unload_after = 0.01
    await until(lambda: bench.log.count("close m") == 2)
    assert await bench.run("a") == "m"
