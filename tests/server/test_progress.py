import asyncio
import threading
from types import SimpleNamespace

import pytest
from engine_bench import turns
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from copyspan_lsp import progress
from copyspan_lsp.progress import FetchProgress, WorkDone


class Told:
    """What a client was told, as "begin title", "40% message", "end message"; and a clock for the bars."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.tokens: set[object] = set()
        self.now = 1000.0
        self.cancellers: dict = {}

    def notify(self, method: str, params: types.ProgressParams) -> None:
        assert method == types.PROGRESS
        self.tokens.add(params.token)
        match params.value:
            case types.WorkDoneProgressBegin(title=title, cancellable=True):
                self.said.append(f"begin {title}")
            case types.WorkDoneProgressReport(message=message, percentage=percentage, cancellable=True):
                self.said.append(f"{percentage}% {message}")
            case types.WorkDoneProgressEnd(message=message):
                self.said.append(f"end {message}")

    def bar(self, token=None, create=None) -> WorkDone:
        return WorkDone(self.notify, self.cancellers, token, create)


@pytest.fixture
def told(monkeypatch):
    made = Told()
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made


@pytest.mark.asyncio
async def test_a_client_s_bar_opens_reports_and_closes_once(told):
    bar = told.bar("t")
    bar.report("too early", 5)
    bar.begin("Editing")
    told.now += 1
    bar.report("half", 50)
    bar.end("done")
    bar.end("again")
    told.now += 1
    bar.report("too late", 60)
    assert told.said == ["begin Editing", "50% half", "end done"]
    assert told.tokens == {"t"}


@pytest.mark.asyncio
async def test_more_than_ten_reports_a_second_are_not_sent(told):
    bar = told.bar(0)
    bar.begin("b")
    for i in range(100):
        told.now += 0.01
        bar.report(str(i), i)
    assert 10 <= len(told.said) - 1 <= 11


@pytest.mark.asyncio
async def test_the_newest_is_said_though_nothing_follows(told):
    bar = told.bar(0)
    bar.begin("b")
    for i in range(3):
        bar.report(str(i), i)
    while len(told.said) < 3:
        await asyncio.sleep(0.01)
    bar.report("dropped by the end", 3)
    bar.end("done")
    await asyncio.sleep(0.2)
    assert told.said == ["begin b", "0% 0", "2% 2", "end done"]


@given(st.lists(st.none() | st.integers(0, 100)))
@settings(deadline=None)
def test_percentages_never_go_back(percentages):
    told = Told()
    bar = told.bar("t")
    bar.begin("b")
    for percentage in percentages:
        bar._last = -1.0
        bar.report("m", percentage)
    sent = [said.split("%")[0] for said in told.said[1:]]
    assert len(sent) == len(percentages)
    numbers = [int(it) for it in sent if it != "None"]
    assert numbers == sorted(numbers)
    assert [it == "None" for it in sent] == [it is None for it in percentages]
    assert max(numbers, default=None) == max((it for it in percentages if it is not None), default=None)


@pytest.mark.asyncio
async def test_a_bar_can_be_cancelled_until_it_closes(told):
    bar, cancelled = told.bar("t"), []
    bar.begin("b")
    told.cancellers["t"]()  # nothing to cancel yet
    bar.on_cancel = lambda: cancelled.append(1)
    told.cancellers["t"]()
    assert cancelled == [1]
    bar.end("e")
    assert told.cancellers == {}


@pytest.mark.asyncio
async def test_without_a_token_and_a_client_that_opens_bars_nothing_is_said(told):
    bar = told.bar()
    bar.begin("b")
    bar.report("m", 1)
    bar.end("e")
    assert (told.said, told.cancellers) == ([], {})


class Client:
    """Is asked for a bar, and answers when a test says so."""

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def create(self, params: types.WorkDoneProgressCreateParams) -> None:
        self.asked.append(params.token)
        await self.answer


@pytest.mark.asyncio
async def test_a_bar_of_ours_opens_when_the_client_has_made_it(told):
    client = Client()
    bar = told.bar(None, client.create)
    bar.begin("b")
    await turns()
    bar.report("not shown yet", 10)
    assert told.said == []
    client.answer.set_result(None)
    await turns()
    bar.report("m", 5)
    assert told.said == ["begin b", "10% m"]
    assert set(told.cancellers) == told.tokens == set(client.asked)
    bar.end("e")
    assert told.said[-1] == "end e"
    assert told.cancellers == {}


@pytest.mark.asyncio
async def test_every_bar_of_ours_has_a_name_of_its_own(told):
    clients = [Client(), Client()]
    for client in clients:
        told.bar(None, client.create).begin("b")
    await turns()
    assert isinstance(clients[0].asked[0], str)
    assert clients[0].asked != clients[1].asked


@pytest.mark.asyncio
@pytest.mark.parametrize("answer", ["never", "refused", "after the end"])
async def test_a_client_that_makes_no_bar_is_shown_none(told, answer):
    client = Client()
    bar = told.bar(None, client.create)
    bar.begin("b")
    await turns()
    if answer == "refused":
        client.answer.set_exception(ValueError("no"))
        await turns()
    bar.report("m", 1)
    bar.end("e")
    if answer == "after the end" and not client.answer.done():
        client.answer.set_result(None)
    await turns()
    assert (told.said, told.cancellers) == ([], {})


@pytest.mark.asyncio
@pytest.mark.parametrize("num_turns", [0, 5])
async def test_nobody_waits_for_a_client_that_does_not_answer(told, num_turns):
    client = Client()
    bar = told.bar(None, client.create)
    bar.begin("b")
    await turns(num_turns)
    bar.end("e")
    await turns()
    assert told.said == []
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


# Loading and fetching


@pytest.mark.asyncio
async def test_what_another_thread_tells_comes_to_the_bar(told, monkeypatch):
    bar = told.bar("t")
    bar.begin("b")
    bar._last = -1.0
    fetch = FetchProgress(asyncio.get_running_loop(), bar)

    def work() -> None:
        fetch.started("part 1", 200, "B")
        fetch.advanced(50)
        fetch.advanced(50)
        fetch.finished()
        fetch.noted("converting")
        fetch.started("part 2", None, "")

    seconds = iter(range(2000, 3000))
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    thread = threading.Thread(target=work)
    thread.start()
    await asyncio.to_thread(thread.join)
    await turns()
    assert told.said == ["begin b", "0% part 1", "25% part 1", "50% part 1", "None% converting", "None% part 2"]


@pytest.mark.asyncio
async def test_a_fetch_is_stopped_by_what_its_check_raises(told):
    def check() -> None:
        raise KeyError("stop")

    fetch = FetchProgress(asyncio.get_running_loop(), told.bar("t"), check)
    fetch.started("x", 10, "B")
    with pytest.raises(KeyError):
        fetch.advanced(1)
