import asyncio
import gc
import threading
import weakref

import pytest
from engine_bench import PATIENCE, Gate, until

from copyspan_lsp.worker import Worker


def with_worker(scenario):
    """Run a coroutine function with a worker, and see the worker's thread end."""
    worker = Worker("test-worker")
    try:
        asyncio.run(scenario(worker))
    finally:
        worker.close()
        assert worker.join(PATIENCE)


def test_calls_run_in_one_thread_in_order():
    async def scenario(worker):
        names = []
        calls = [worker.call(lambda i=i: (names.append(threading.current_thread().name), i)[1]) for i in range(20)]
        assert await asyncio.gather(*calls) == list(range(20))
        assert set(names) == {"test-worker"}

    with_worker(scenario)


@pytest.mark.parametrize("error", [ValueError("v"), asyncio.CancelledError(), SystemExit(), StopIteration()])
def test_what_a_call_raises_comes_out_and_the_thread_lives_on(error):
    def fail():
        raise error

    async def scenario(worker):
        with pytest.raises(Exception) as raised:  # noqa: PT011  # which one is checked below
            await asyncio.wait_for(worker.call(fail), PATIENCE)
        assert error in (raised.value, raised.value.__cause__)
        assert await worker.call(lambda: 1) == 1

    with_worker(scenario)


def test_a_call_that_nobody_waits_for_runs_to_its_end():
    async def scenario(worker):
        gate, done = Gate(), []
        future = worker.call(lambda: (gate(), done.append(1)))
        await gate.entered()
        future.cancel()
        gate.open()
        assert await worker.call(lambda: list(done)) == [1]
        assert future.cancelled()

    with_worker(scenario)


def test_what_a_call_held_is_let_go_before_the_next():
    class Engine:
        pass

    async def scenario(worker):
        engine = Engine()
        held = weakref.ref(engine)
        worker.submit(lambda engine=engine: None)
        del engine
        await until(lambda: held() is None)

    gc.disable()
    try:
        with_worker(scenario)
    finally:
        gc.enable()


def test_a_loop_that_is_over_is_no_trouble():
    worker, gate, done = Worker("test-worker"), Gate(), []

    async def leave() -> None:
        worker.call(gate)
        worker.call(lambda: done.append(1))

    asyncio.run(leave())
    gate.open()
    worker.close()
    assert worker.join(PATIENCE)
    assert done == [1]


def test_a_worker_that_was_never_used_is_over_and_one_at_work_is_not():
    assert Worker("unused").join(0)
    worker, gate = Worker("test-worker"), Gate()
    worker.submit(gate)
    worker.close()
    assert not worker.join(0.01)
    gate.open()
    assert worker.join(PATIENCE)


def test_a_worker_keeps_no_process_alive():
    assert Worker("any")._thread.daemon
