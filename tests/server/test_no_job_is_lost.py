"""No job is lost: whatever comes in between, every run ends, in order, and the next one works."""

import asyncio
import time

from engine_bench import PATIENCE, Bench, settings
from hypothesis import given
from hypothesis import settings as laws
from hypothesis import strategies as st

from copyspan.errors import Cancelled, OutOfMemory
from copyspan_lsp.jobs import Stopped

steps = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["return", "raise", "flag", "memory", "wait for the stop"]),
        st.sampled_from(["nothing", "cancel", "stop", "stop all", "configure", "wait", "warm"]),
    ),
    max_size=12,
)


@given(steps)
@laws(deadline=None, max_examples=60)
def test_every_job_ends_and_in_order(steps):
    asyncio.run(_every_job_ends(steps))


async def _every_job_ends(steps) -> None:
    bench, begun, tasks = Bench(), [], []
    try:
        for i, (key, kind, then) in enumerate(steps):
            tasks.append(bench.start(key, _work(bench, i, kind, begun)))
            await _do(bench, then, i, tasks)
        for ticket, (_, kind, _) in zip(bench.tickets, steps, strict=True):
            if kind == "wait for the stop":
                ticket.stop("changed")
        results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), PATIENCE)
        for i, result in enumerate(results):
            if not tasks[i].cancelled():
                _check(steps[i][1], bench.tickets[i], result, i)
        assert begun == sorted(begun)
        assert bench.jobs.is_idle
        assert await bench.run("z")
    finally:
        bench.close()
        assert await asyncio.to_thread(bench.jobs.join, PATIENCE)


def _work(bench, i, kind, begun):
    def work(engine):
        begun.append(i)
        if kind == "wait for the stop":
            ticket = bench.tickets[i]
            while not ticket.is_stopped():
                time.sleep(0.0002)
            raise Cancelled("seen")
        if kind != "return":
            raise {"raise": ZeroDivisionError(), "flag": Cancelled("by itself"), "memory": OutOfMemory("full")}[kind]
        return i

    return work


async def _do(bench, then, i, tasks) -> None:
    match then:
        case "cancel":
            tasks[i].cancel()
        case "stop":
            bench.tickets[i].stop("changed")
        case "stop all":
            bench.jobs.stop("closed")
        case "configure":
            bench.jobs.configure(settings(str(i)))
        case "wait":
            await asyncio.sleep(0.001)
        case "warm":
            bench.jobs.warm("a", lambda engine, cancelled: None)


def _check(kind, ticket, result, i) -> None:
    if ticket.is_stopped():
        assert isinstance(result, Stopped)
    elif kind == "return":
        assert result == i
    else:
        assert isinstance(result, {"raise": ZeroDivisionError, "flag": Stopped, "memory": OutOfMemory}[kind])
