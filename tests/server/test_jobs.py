import asyncio
import gc

import pytest
import pytest_asyncio
from engine_bench import PATIENCE, Bench, Gate, settings, turns, until

from copyspan.errors import Cancelled, ModelMissing, ModelUnusable, OutOfMemory, OutputRejected
from copyspan_lsp.holder import ModelState
from copyspan_lsp.jobs import Stopped, Ticket

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(60)]


@pytest_asyncio.fixture
async def bench():
    made = Bench()
    yield made
    made.close()
    assert await asyncio.to_thread(made.jobs.join, PATIENCE)


async def reason(task) -> str:
    with pytest.raises(Stopped) as stopped:
        await asyncio.wait_for(task, PATIENCE)
    return stopped.value.reason


async def test_first_come_first_served_and_one_at_a_time(bench):
    gate, order = Gate("a"), []
    tasks = [bench.start("a", gate), *(bench.start(key, lambda _, key=key: order.append(key)) for key in "bcd")]
    await gate.entered()
    assert (bench.jobs.current, bench.jobs.num_waiting, bench.jobs.is_idle) == ("a", 3, False)
    assert order == []
    gate.open()
    assert await asyncio.gather(*tasks) == ["a", None, None, None]
    assert order == ["b", "c", "d"]
    assert (bench.jobs.current, bench.jobs.num_waiting, bench.jobs.is_idle) == (None, 0, True)


async def test_the_newest_of_a_key_takes_the_place_of_those_before(bench):
    gate = Gate()
    running, other = bench.start("a", gate), bench.start("b", lambda _: "b")
    await gate.entered()
    waiting, newest = bench.start("a", lambda _: 2), bench.start("a", lambda _: 3)
    assert await reason(running) == await reason(waiting) == "superseded"
    assert not newest.done()
    gate.open()
    assert await other == "b"
    assert await newest == 3


async def test_a_stopped_job_frees_the_queue_at_once(bench):
    gate = Gate()
    stopped, after = bench.start("a", gate), bench.start("b", lambda _: "b")
    await gate.entered()
    assert bench.jobs.stop("changed", "a") == 1
    await turns()
    assert stopped.done()
    assert (bench.jobs.current, bench.jobs.num_waiting) == ("b", 0)
    assert not after.done()  # the worker is not free yet
    gate.open()
    assert await after == "b"
    assert await reason(stopped) == "changed"


async def test_what_a_stopped_job_comes_to_is_dropped(bench):
    for result in ("late", ValueError("late"), OutOfMemory("late")):
        gate = Gate(result)
        task = bench.start("a", gate)
        await gate.entered()
        bench.tickets[-1].stop("cancelled")
        gate.open()
        assert await reason(task) == "cancelled"
        assert await bench.run("a") == "m"


async def test_the_first_reason_holds(bench):
    gate = Gate()
    task = bench.start("a", gate)
    await gate.entered()
    bench.tickets[0].stop("closed")
    bench.tickets[0].stop("cancelled")
    assert await reason(task) == "closed"
    gate.open()


async def test_all_jobs_or_those_of_a_key_are_stopped(bench):
    gate = Gate()
    tasks = [bench.start("a", gate), *(bench.start(key, lambda _: None) for key in "bcd")]
    await gate.entered()
    assert bench.jobs.stop("cancelled", "c") == 1
    assert bench.jobs.stop("cancelled", "x") == 0
    await turns()
    assert bench.jobs.num_waiting == 2
    assert bench.jobs.stop("changed") == 3
    assert [await reason(task) for task in tasks] == ["changed", "changed", "cancelled", "changed"]
    gate.open()


async def test_a_ticket_that_is_stopped_already_does_nothing(bench):
    ticket = Ticket("a")
    ticket.stop("closed")
    assert await reason(bench.jobs.run(ticket, lambda _: pytest.fail("it ran"), None)) == "closed"
    assert bench.jobs.is_idle


@pytest.mark.parametrize("is_running", [True, False])
async def test_a_cancelled_task_stops_its_ticket_and_gives_its_place_up(bench, is_running):
    gate, order = Gate(), []
    first = bench.start("a", gate)
    second = bench.start("b", lambda _: order.append("b"))
    await gate.entered()
    cancelled = first if is_running else second
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    ticket = bench.tickets[0 if is_running else 1]
    assert ticket.reason == "cancelled"
    gate.open()
    await (second if is_running else first)
    assert order == (["b"] if is_running else [])
    assert bench.jobs.is_idle


async def test_an_engine_that_sees_the_flag_first_is_stopped_all_the_same(bench):
    task = bench.start("a", Gate(Cancelled("seen")))
    bench.tickets[0].stop("changed")
    assert await reason(task) == "changed"
    gate = Gate(Cancelled("by itself"))
    gate.open()
    assert await reason(bench.start("a", gate)) == "cancelled"


async def test_what_work_raises_is_raised_and_the_engine_stays(bench):
    for error, raised in (
        (OutputRejected("no"), OutputRejected),
        (ZeroDivisionError(), ZeroDivisionError),
        (StopIteration(), RuntimeError),
        (SystemExit(), RuntimeError),
    ):
        gate = Gate(error)
        gate.open()
        with pytest.raises(raised):
            await bench.run("a", gate)
    assert await bench.run("a") == "m"
    assert bench.log == ["load m"]


async def test_nothing_is_left_for_asyncio_to_complain_about(bench):
    complaints = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context["message"]))
    ticket, future = Ticket("a"), loop.create_future()
    task = asyncio.ensure_future(ticket.unless_stopped(future))
    await turns(1)
    ticket.stop("changed")
    future.set_exception(ValueError())
    assert await reason(task) == "changed"
    del future, task
    gc.collect()
    assert complaints == []


# Loading


async def test_the_model_is_loaded_once_and_said_to_be(bench):
    assert bench.jobs.state == ModelState("unloaded")
    assert await bench.run("a") == await bench.run("b") == "m"
    await turns()
    assert bench.states == [ModelState(), ModelState("loading"), ModelState("ready", "cpu", "float32")]
    assert bench.log == ["load m"]


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (ModelMissing("fetch it"), ModelState("missing", message="fetch it")),
        (ModelUnusable("no model"), ModelState("failed", message="no model")),
        (ZeroDivisionError("a secret"), ModelState("failed")),
    ],
)
async def test_a_load_that_fails_is_said_and_tried_again(bench, error, state):
    bench.loading.failures.append(error)
    with pytest.raises(type(error)):
        await bench.run("a")
    await turns()
    assert bench.jobs.state == state
    assert bench.jobs.is_idle
    assert await bench.run("a") == "m"
    assert bench.states[-1].phase == "ready"


async def test_a_stop_while_loading_is_heeded_and_the_engine_kept(bench):
    gate = Gate()
    bench.jobs._lanes.first.holder._load = lambda settings, progress: (gate(), bench.loading(settings, progress))[1]
    task = bench.start("a", lambda _: pytest.fail("it ran"))
    await gate.entered()
    bench.tickets[0].stop("cancelled")
    assert await reason(task) == "cancelled"
    gate.open()
    assert await bench.run("b") == "m"
    assert bench.log == ["load m"]


async def test_other_settings_load_another_model_from_the_next_job_on(bench):
    gate = Gate()
    task = bench.start("a", lambda engine: (gate(), engine.name)[1])
    await gate.entered()
    bench.jobs.configure(settings("n"))
    gate.open()
    assert await task == "m"
    assert await bench.run("a") == "n"
    bench.jobs.configure(settings("n"))
    assert await bench.run("a") == "n"
    assert bench.log == ["load m", "close m", "load n"]


async def test_what_was_missing_is_forgotten_with_other_settings(bench):
    bench.loading.failures.append(ModelMissing("fetch it"))
    with pytest.raises(ModelMissing):
        await bench.run("a")
    await turns()
    bench.jobs.configure(settings("m"))
    assert bench.jobs.state.phase == "missing"
    bench.jobs.configure(settings("n"))
    assert bench.jobs.state == ModelState()


async def test_what_is_said_from_outside_holds_until_the_next_job(bench):
    await bench.run("a")
    bench.jobs.note(ModelState("downloading"))
    assert bench.jobs.state == ModelState("downloading")
    await bench.run("a")
    await turns()
    assert bench.jobs.state == ModelState("ready", "cpu", "float32")
    assert bench.log == ["load m"]


async def test_an_engine_out_of_memory_is_dropped(bench):
    gate = Gate(OutOfMemory("full"))
    gate.open()
    with pytest.raises(OutOfMemory):
        await bench.run("a", gate)
    await turns()
    assert bench.jobs.state == ModelState()
    assert await bench.run("a") == "m"
    assert bench.log == ["load m", "close m", "load m"]


async def test_an_idle_engine_is_unloaded_and_comes_back(bench):
    bench.jobs.unload_after = 0.001
    assert await bench.run("a") == "m"
    await until(lambda: bench.jobs.state == ModelState())
    assert bench.log == ["load m", "close m"]
    bench.jobs.unload_after = 0
    assert await bench.run("a") == "m"
    await asyncio.sleep(0.01)
    assert bench.log == ["load m", "close m", "load m"]


async def test_an_engine_at_work_is_not_unloaded(bench):
    bench.jobs.unload_after = 0.001
    await bench.run("a")
    gate = Gate()
    task = bench.start("a", gate)
    await gate.entered()
    await asyncio.sleep(0.02)  # the time is over while the job runs
    bench.jobs.unload_after = 0
    loaded = list(bench.log)
    gate.open()
    await task
    await bench.run("a")
    assert bench.log == loaded


async def test_settings_that_are_on_their_way_are_waited_for(bench):
    arrived = asyncio.Event()
    bench.jobs.prepare = arrived.wait
    stopped = bench.start("a", lambda engine: engine.name)
    waiting = bench.start("b", lambda engine: engine.name)
    await turns()
    bench.tickets[0].stop("closed")
    assert await reason(stopped) == "closed"
    bench.jobs.configure(settings("n"))
    arrived.set()
    assert await waiting == "n"


# Reading ahead


async def test_nothing_is_read_ahead_where_no_model_is_loaded_or_a_job_runs(bench):
    seen = []
    bench.jobs.warm("a", lambda engine, cancelled: seen.append("unloaded"))
    gate = Gate()
    await bench.run("a")
    task = bench.start("a", gate)
    await gate.entered()
    bench.jobs.warm("a", lambda engine, cancelled: seen.append("busy"))
    gate.open()
    await task
    bench.jobs.warm("a", lambda engine, cancelled: seen.append(engine.name))
    await until(lambda: seen == ["m"])


async def test_reading_ahead_gives_way_to_a_job_at_once(bench):
    await bench.run("a")
    gates, flags = Gate(), []
    bench.jobs.warm("a", lambda engine, cancelled: (flags.append(cancelled), gates())[1])
    await gates.entered()
    assert not flags[0]()
    task = bench.start("b", lambda _: "b")
    await turns()
    assert flags[0]()
    assert bench.jobs.current == "b"
    gates.open()
    assert await task == "b"


async def test_a_newer_reading_replaces_one_that_waits_and_a_change_stops_its_own(bench):
    await bench.run("a")
    gate, flags, read = Gate(), [], []
    bench.jobs.warm("a", lambda engine, cancelled: (flags.append(cancelled), gate())[1])
    await gate.entered()
    bench.jobs.warm("b", lambda engine, cancelled: read.append("b"))
    assert flags[0]()
    bench.jobs.stop_warming("x")
    bench.jobs.warm("c", lambda engine, cancelled: read.append("c"))
    bench.jobs.stop_warming("c")
    bench.jobs.warm("d", lambda engine, cancelled: read.append("d"))
    bench.jobs.stop_warming("x")
    gate.open()
    await until(lambda: read == ["d"])


async def test_a_reading_that_fails_harms_nobody(bench):
    await bench.run("a")
    gate = Gate(ModelUnusable("no"))
    gate.open()
    bench.jobs.warm("a", gate)
    assert await bench.run("a") == "m"
    bench.jobs.configure(settings("n"))
    bench.jobs.warm("a", lambda engine, cancelled: pytest.fail("with another model"))
    assert await bench.run("a") == "n"


# The end


async def test_close_stops_everything_and_gives_the_memory_back():
    bench = Bench()
    await bench.run("a")
    gate = Gate()
    running, waiting = bench.start("a", gate), bench.start("b", lambda _: None)
    await gate.entered()
    bench.jobs.close()
    assert await reason(running) == await reason(waiting) == "shutdown"
    assert not bench.jobs.join(0.01)
    gate.open()
    assert await asyncio.to_thread(bench.jobs.join, PATIENCE)
    assert bench.log == ["load m", "close m"]
    assert await reason(bench.start("a", lambda _: pytest.fail("it ran"))) == "shutdown"


async def test_jobs_that_never_ran_close():
    bench = Bench()
    bench.jobs.close()
    assert await asyncio.to_thread(bench.jobs.join, PATIENCE)
    assert bench.log == []
