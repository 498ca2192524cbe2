"""Edits of open documents on a real queue: who stops whom, and what is kept."""

import asyncio
from types import SimpleNamespace

import pytest
import pytest_asyncio
from engine_bench import PATIENCE, Gate, NoProgress, settings, turns
from scripted_edits import candidate_of, result_of

from copyspan.edits.lines import NewLines
from copyspan.errors import OutputRejected, UsageError
from copyspan_lsp.documents import Documents, TextChange
from copyspan_lsp.editing import Editing
from copyspan_lsp.jobs import Jobs
from copyspan_lsp.refusals import ContentModified, NoMoreCandidates, Superseded
from copyspan_lsp.settings import ServerSettings
from copyspan_lsp.task import Ask

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(60)]
URI = "file:///a.py"


class Listener:
    """Sees nothing."""

    progress = NoProgress()

    def begin(self, task, ticket):
        pass

    def see(self, event):
        pass


class World:
    """An open document, "a" and "b" in two lines, and an engine that replaces it by "1", then by "2", and so on."""

    def __init__(self) -> None:
        self.gates: list[Gate] = []
        engine = SimpleNamespace(
            model=SimpleNamespace(device="cpu", dtype="float32"),
            edit=self._edit,
            search=self._search,
            close=lambda: None,
        )
        self.jobs = Jobs(lambda settings, progress: engine, settings("m"), lambda: None)
        self.documents = Documents()
        self.documents.open(URI, "python", 1, "a\nb\n")
        self.editing = Editing(self.documents, self.jobs, ServerSettings)
        self.limit = 3

    def edit(self, uri: str = URI):
        return asyncio.ensure_future(self.editing.edit(Ask(uri, "do it"), Listener()))

    def next(self, edit_id: str):
        return asyncio.ensure_future(self.editing.next(edit_id, Listener()))

    def gate(self) -> Gate:
        """The next work waits for it."""
        self.gates.append(Gate())
        return self.gates[-1]

    def type(self, text: str) -> None:
        document = self.documents.get(URI)
        self.documents.change(URI, document.version + 1, [TextChange(text)])

    def _edit(self, request, cancelled, see):
        return self._found(request, 1)

    def _search(self, request, result, cancelled, see):
        return self._found(request, min(len(result.candidates) + 1, self.limit))

    def _found(self, request, count):
        if self.gates:
            self.gates.pop(0)()
        answers = [[NewLines((str(i),))] for i in range(1, count + 1)]
        return result_of([candidate_of(ops, request.snapshot, request.snapshot.all_lines) for ops in answers])


@pytest_asyncio.fixture
async def world():
    made = World()
    yield made
    made.jobs.close()
    assert await asyncio.to_thread(made.jobs.join, PATIENCE)


async def refused(task, error) -> str:
    with pytest.raises(error) as raised:
        await asyncio.wait_for(task, PATIENCE)
    return str(raised.value)


def new_text(outcome) -> str:
    return outcome.edits.apply(outcome.snapshot.text)


async def test_candidates_come_one_after_the_other_until_there_are_no_more(world):
    outcome = await world.edit()
    shown = [new_text(outcome)] + [new_text(await world.next(outcome.edit_id)) for _ in range(2)]
    assert shown == ["1\n", "2\n", "3\n"]
    await refused(world.next(outcome.edit_id), NoMoreCandidates)
    world.limit = 4
    last = await world.next(outcome.edit_id)
    assert (new_text(last), last.number, last.num_candidates) == ("4\n", 4, 4)


async def test_the_next_candidate_replaces_one_that_was_applied(world):
    outcome = await world.edit()
    world.type(new_text(outcome))
    following = await world.next(outcome.edit_id)
    assert (following.snapshot.text, new_text(following), following.snapshot.version) == ("1\n", "2\n", 2)


async def test_a_newer_edit_of_a_document_ends_the_one_before_and_its_candidates(world):
    gate = world.gate()
    first = world.edit()
    await gate.entered()
    second = world.edit()
    await refused(first, Superseded)
    gate.open()
    outcome = await second
    third = await world.edit()
    assert "over" in await refused(world.next(outcome.edit_id), ContentModified)
    await world.next(third.edit_id)


@pytest.mark.parametrize("what", ["change", "close", "open anew"])
async def test_an_edit_ends_at_once_when_its_document_does(world, what):
    gate = world.gate()
    task = world.edit()
    await gate.entered()
    _end(world, what)
    await refused(task, ContentModified)
    gate.open()
    if what == "close":
        await refused(world.edit(), UsageError)
    else:
        assert new_text(await world.edit()) == "1\n"


@pytest.mark.parametrize("what", ["change", "close", "open anew"])
async def test_a_search_that_took_another_s_place_ends_too(world, what):
    outcome = await world.edit()
    gate = world.gate()
    first = world.next(outcome.edit_id)
    await gate.entered()
    second = world.next(outcome.edit_id)
    await refused(first, Superseded)
    _end(world, what)
    await turns()
    assert second.done()  # and does not wait for the worker
    await refused(second, ContentModified)
    gate.open()


async def test_what_fails_is_not_kept(world):
    outcome = await world.edit()
    failing = world.gate()
    failing.result = OutputRejected("no")
    failing.open()
    await refused(world.edit(), OutputRejected)
    await refused(world.next(outcome.edit_id), ContentModified)
    assert world.editing._sessions == {}
    assert world.documents.get(URI)._trackings == []


async def test_nothing_is_kept_of_a_document_that_closed(world):
    outcome = await world.edit()
    assert world.editing.document_of(outcome.edit_id) == URI
    world.documents.close(URI)
    await refused(world.next(outcome.edit_id), ContentModified)
    assert world.editing._sessions == {}


async def test_a_document_has_one_tracking_at_most(world):
    for _ in range(5):
        outcome = await world.edit()
        await world.next(outcome.edit_id)
        assert len(world.documents.get(URI)._trackings) == len(world.editing._sessions) == 1
    world.editing.forget(URI)
    assert world.documents.get(URI)._trackings == []


def _end(world: World, what: str) -> None:
    match what:
        case "change":
            world.type("other\n")
        case "close":
            world.documents.close(URI)
        case "open anew":
            world.documents.open(URI, "python", 1, "a\nb\n")
