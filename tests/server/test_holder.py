import pytest
from engine_bench import Loading, NoProgress, settings

from copyspan.engine import EngineSettings
from copyspan.errors import ModelMissing, ModelUnusable
from copyspan_lsp.holder import EngineHolder, ModelState, load_installed

READY = ModelState("ready", "cpu", "float32")


@pytest.fixture
def loading():
    return Loading()


@pytest.fixture
def states():
    return []


@pytest.fixture
def holder(loading, states):
    return EngineHolder(loading, states.append)


def test_an_engine_is_loaded_where_it_is_wanted_and_kept(holder, loading, states):
    assert holder.peek(settings("m")) is None
    engine = holder.get(settings("m"), NoProgress())
    assert holder.get(settings("m"), NoProgress()) is engine is holder.peek(settings("m"))
    assert loading.log == ["load m"]
    assert states == [ModelState("loading"), READY, READY]


def test_the_old_engine_goes_before_the_new_one_comes(holder, loading, states):
    holder.get(settings("m"), NoProgress())
    assert holder.peek(settings("n")) is None
    assert holder.get(settings("n"), NoProgress()).name == "n"
    assert loading.log == ["load m", "close m", "load n"]
    assert states == [ModelState("loading"), READY, ModelState(), ModelState("loading"), READY]


def test_what_is_loaded_is_told_before_the_seconds_that_it_takes(holder, loading):
    class Told(NoProgress):
        def started(self, name, total, unit):
            loading.log.append(name)

    holder.get(settings("m"), Told())
    assert loading.log == ["Loading m", "load m"]


def test_dropping_gives_the_memory_back_once(holder, loading, states):
    holder.drop()
    assert states == []
    holder.get(settings("m"), NoProgress())
    holder.drop()
    holder.drop()
    assert loading.log == ["load m", "close m"]
    assert states == [ModelState("loading"), READY, ModelState()]


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (ModelMissing("fetch it"), ModelState("missing", message="fetch it")),
        (ModelUnusable("broken"), ModelState("failed", message="broken")),
        (MemoryError("secret"), ModelState("failed")),
        (KeyboardInterrupt("secret"), ModelState("failed")),
    ],
)
def test_a_load_that_fails_leaves_nothing_and_can_be_tried_again(holder, loading, states, error, state):
    loading.failures.append(error)
    with pytest.raises(type(error)):
        holder.get(settings("m"), NoProgress())
    assert states == [ModelState("loading"), state]
    assert holder.peek(settings("m")) is None
    assert holder.get(settings("m"), NoProgress()).name == "m"


def test_a_model_that_is_not_on_disk_is_not_fetched(tmp_path):
    with pytest.raises(ModelMissing):
        load_installed(EngineSettings(model="SmolLM2-135M-Instruct", cache_dir=tmp_path), NoProgress())
    assert list(tmp_path.iterdir()) == []
