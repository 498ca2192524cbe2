"""Training: it learns, it stops anywhere, and an interrupted run gives bit for bit what an uninterrupted one gives."""

import pytest
import torch
from train_doubles import Listener, edit_pair

from copyspan.errors import Cancelled, UsageError
from copyspan.models.tokenizer import ChatTokenizer
from copyspan.train.log import StepEntry, ValidationEntry, read_log
from copyspan.train.loop import Examples, Trainer
from copyspan.train.model import add_lora, causal_of
from copyspan.train.recipe import Recipe
from copyspan.train.transcripts import Transcriber
from tiny_lm import tiny_qwen2, tiny_tokenizer

TOKENIZER = ChatTokenizer(tiny_tokenizer())
TRANSCRIBER = Transcriber(TOKENIZER, min(TOKENIZER.end_tokens), 10_000)
PAIRS = [edit_pair(f"a{i}\nb{i}\nc\n", f"a{i}\nnew\nc\n", f"change b{i}", str(i)) for i in range(4)]
ITEMS = TRANSCRIBER.all(PAIRS).items
EXAMPLES = Examples(ITEMS[:3], ITEMS[3:])


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def recipe(**fields):
    defaults = {"batch_tokens": 2 * len(ITEMS[0]), "epochs": 2, "lora": {"rank": 4, "dropout": 0.1}}
    return Recipe.model_validate(
        {"name": "r", "data": [{"path": "a"}], "validation": {"every": 2}, **defaults, **fields}
    )


def trainer(folder, wanted, examples=EXAMPLES):
    model = add_lora(tiny_qwen2(len(TOKENIZER.vocabulary)), wanted.lora, "tiny", wanted.seed)
    return model, Trainer(model, examples, wanted, folder)


def weights(model):
    return {name: p.detach().clone() for name, p in model.named_parameters() if p.requires_grad}


def entries(folder):
    """The log without what differs between two runs of the same."""
    return [entry.model_copy(update={"seconds": 0.0}) for entry in read_log(folder / "log.jsonl")]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    model, run = trainer(folder, recipe())
    run.run(listener := Listener())
    return weights(model), entries(folder), listener


def test_a_run_does_every_step_and_validates(uninterrupted):
    _, logged, listener = uninterrupted
    assert listener.began == [(0, 4)]
    assert [(type(entry), entry.step) for entry in logged] == [
        (StepEntry, 1),
        (StepEntry, 2),
        (ValidationEntry, 2),
        (StepEntry, 3),
        (StepEntry, 4),
        (ValidationEntry, 4),
    ]
    assert [entry.step for entry in listener.entries] == [1, 2, 2, 3, 4, 4]


@pytest.mark.parametrize("forwards", range(1, 9))
def test_interrupted_is_uninterrupted(tmp_path, uninterrupted, forwards):
    wanted, logged, _ = uninterrupted
    with pytest.raises(Cancelled, match=r"stopped after \d of 4 steps. The same command goes on."):
        trainer(tmp_path, recipe())[1].run(Listener(), Listener(forwards))
    torch.manual_seed(99)  # another process begins with another state
    model, run = trainer(tmp_path, recipe())
    run.run(listener := Listener())
    assert listener.began[0][0] < 4 or forwards == 8
    assert all(torch.equal(found, wanted[name]) for name, found in weights(model).items())
    assert entries(tmp_path) == logged


def test_a_killed_run_goes_on_from_its_checkpoint(tmp_path, uninterrupted):
    wanted, logged, _ = uninterrupted

    class Killed(BaseException):
        pass

    def kill():
        nonlocal left
        left -= 1
        if not left:
            raise Killed
        return False

    left = 6
    with pytest.raises(Killed):
        trainer(tmp_path, recipe())[1].run(Listener(), kill, save_seconds=0.0)
    model, run = trainer(tmp_path, recipe())
    run.run(listener := Listener())
    assert 0 < listener.began[0][0] < 4
    assert all(torch.equal(found, wanted[name]) for name, found in weights(model).items())
    assert entries(tmp_path) == logged


def test_a_finished_run_is_not_done_again(tmp_path):
    trainer(tmp_path, recipe())[1].run(Listener())
    model, run = trainer(tmp_path, recipe())
    before = weights(model)
    run.run(listener := Listener())
    assert (listener.began, listener.entries) == ([(4, 4)], [])
    assert all(torch.equal(found, before[name]) for name, found in weights(model).items())


def test_only_the_adapter_is_trained_and_the_loss_falls(tmp_path):
    wanted = recipe(epochs=30, optimizer={"learning_rate": 0.01})
    model, run = trainer(tmp_path, wanted)
    frozen = {name: p.detach().clone() for name, p in model.named_parameters() if not p.requires_grad}
    run.run(listener := Listener())
    losses = [entry.loss for entry in listener.entries if isinstance(entry, StepEntry)]
    assert losses[-1] < 0.3 * losses[0]
    assert all(torch.equal(p, frozen[name]) for name, p in model.named_parameters() if name in frozen)


def test_gradient_checkpointing_and_padding_change_nothing_but_rounding(tmp_path):
    plain = {"lora": {"rank": 4}}
    results = []
    for number, fields in enumerate(({}, {"gradient_checkpointing": True}, {"forward_tokens": 10_000})):
        (tmp_path / str(number)).mkdir()
        model, run = trainer(tmp_path / str(number), recipe(**plain, **fields))
        run.run(Listener())
        assert causal_of(model).model.gradient_checkpointing is (number == 1)
        results.append(weights(model))
    for other in results[1:]:
        assert all(torch.allclose(found, results[0][name], atol=1e-3) for name, found in other.items())


def test_a_checkpoint_of_another_recipe_or_of_other_pairs_is_refused(tmp_path):
    trainer(tmp_path, recipe())[1].run(Listener())
    for wanted, examples in ((recipe(seed=1), EXAMPLES), (recipe(), Examples(ITEMS, ()))):
        with pytest.raises(UsageError, match="by another recipe or from other pairs"):
            trainer(tmp_path, wanted, examples)
    (tmp_path / "checkpoint.pt").write_bytes(b"PK damaged")
    with pytest.raises(UsageError, match="no checkpoint of copyspan"):
        trainer(tmp_path, recipe())


def test_a_loss_that_is_no_number_ends_the_run(tmp_path):
    model, run = trainer(tmp_path, recipe())
    with torch.no_grad():
        next(p for p in model.parameters() if p.requires_grad).fill_(float("nan"))
    with pytest.raises(UsageError, match="no number at step 1"):
        run.run(Listener())


def test_targets_that_the_model_lacks():
    with pytest.raises(UsageError, match="has no such modules"):
        add_lora(tiny_qwen2(90), recipe(lora={"targets": ["none"]}).lora, "tiny", 0)
