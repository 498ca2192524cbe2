"""The in-process adapter on random weights, in float32: laws 7 and 9, rollback, limits."""

import pytest
import torch

from copyspan.errors import Cancelled, ContextTooLong, OutOfMemory
from copyspan.models.cache import RollbackCache
from copyspan.models.protocol import Scores
from copyspan.models.transformers import TransformersModel
from copyspan.tokens import TokenSet
from tiny_lm import tiny_model


@pytest.fixture(scope="module")
def shared() -> TransformersModel:
    return tiny_model()


@pytest.fixture
def model(shared: TransformersModel) -> TransformersModel:
    shared.rollback(0)
    return shared


IDS = [5, 80, 33, 210, 7, 7, 19, 145, 300, 2, 61, 90, 250, 11]


def _one_by_one(model: TransformersModel, ids: list[int]) -> list[Scores]:
    return [model.extend([token], named=[0], top=3) for token in ids]


def _assert_same(scores: Scores, i: int, single: Scores) -> None:
    assert scores.best[i] == single.best[0]
    assert scores.best_logprob[i] == pytest.approx(single.best_logprob[0], abs=1e-4)
    assert scores.named_logprob[i] == pytest.approx(single.named_logprob[0], abs=1e-4)
    assert scores.alternative[i] == single.alternative[0]
    assert [token for token, _ in scores.options[i]] == [token for token, _ in single.options[0]]


@pytest.mark.parametrize("split", range(1, len(IDS)))
def test_a_splice_equals_token_by_token_at_every_split_point(model: TransformersModel, split: int) -> None:
    singles = _one_by_one(model, IDS)
    model.rollback(0)
    for part in (IDS[:split], IDS[split:]):
        start = len(model.tokens)
        scores = model.extend(part, scored=len(part), named=[0] * len(part), top=3)
        for i in range(len(part)):
            _assert_same(scores, i, singles[start + i])
    assert model.tokens == IDS


def test_only_the_last_positions_are_scored(model: TransformersModel) -> None:
    everything = model.extend(IDS, scored=len(IDS))
    model.rollback(0)
    assert model.extend(IDS, scored=3).best == everything.best[-3:]
    model.rollback(0)
    assert model.extend(IDS, scored=0).best == ()


def test_the_output_layer_is_given_rows_that_lie_together(model: TransformersModel) -> None:
    """For a view with gaps the product would copy the layer's weights, as large as a vocabulary, at each forward."""
    seen: list[torch.Tensor] = []
    with model.as_library() as library:
        layer = library.get_output_embeddings()
    with layer.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0])):
        model.extend(IDS, scored=3)
    assert [states.shape[1] for states in seen] == [3]
    assert seen[0].stride() == torch.empty(seen[0].shape).stride()  # is_contiguous() passes over dimensions of size 1


def test_rollback_forgets_what_came_after(model: TransformersModel) -> None:
    model.extend(IDS)
    expected = model.extend([42], named=[0], top=3)
    model.rollback(len(IDS))
    model.extend([1, 2, 3, 4], scored=2)
    model.rollback(len(IDS))
    _assert_same(model.extend([42], named=[0], top=3), 0, expected)


def test_named_tokens_and_their_alternatives(model: TransformersModel) -> None:
    [[(first, first_logprob), (second, second_logprob)]] = model.extend(IDS, top=2).options
    for named, other in ((first, second), (second, first), (0, first)):
        model.rollback(0)
        scores = model.extend(IDS, named=[named])
        assert scores.alternative == (other,)
        assert scores.alternative_logprob[0] == pytest.approx({first: first_logprob, second: second_logprob}[other])
        if named == first:
            assert scores.named_logprob[0] == pytest.approx(first_logprob)


def test_log_probabilities_are_those_of_a_softmax(model: TransformersModel) -> None:
    scores = model.extend(IDS, top=len(model.tokenizer.vocabulary))
    total = sum(torch.exp(torch.tensor([logprob for _, logprob in scores.options[0]])))
    assert total == pytest.approx(1.0, abs=1e-4)


def test_few_allowed_tokens_are_scored_as_all_of_them_are(model: TransformersModel) -> None:
    few = (3, 50, 7, 200, 11)
    everything = dict(model.extend(IDS, top=len(model.tokenizer.vocabulary)).options[0])
    likeliest = sorted(few, key=lambda token: everything[token], reverse=True)
    total = torch.logsumexp(torch.tensor([everything[token] for token in few]), 0).item()
    model.rollback(0)
    scores = model.extend(IDS, top=3, allowed=[TokenSet(few)])
    assert [token for token, _ in scores.options[0]] == likeliest[:3]
    assert scores.best == (likeliest[0],)
    for token, logprob in scores.options[0]:
        assert logprob == pytest.approx(everything[token] - total, abs=1e-4)
    assert model.tokens == IDS
    assert model.extend([1], top=1, allowed=[TokenSet(few, True)]).best[0] not in few


@pytest.mark.parametrize("complement", [False, True])
def test_a_mask_leaves_only_what_is_allowed(model: TransformersModel, complement: bool) -> None:
    free = model.extend(IDS, top=4).options[0]
    favourites = tuple(token for token, _ in free[:3])
    allowed = TokenSet(favourites if complement else (free[3][0], free[2][0]), complement)
    model.rollback(0)
    scores = model.extend(IDS, allowed=[allowed])
    assert scores.best[0] == (free[3][0] if complement else free[2][0])
    assert scores.best[0] in allowed
    if not complement:
        assert scores.best_logprob[0] > free[2][1]  # over the allowed set, not the vocabulary


@pytest.mark.parametrize("polls", range(4))
def test_cancelling_between_layers_leaves_the_context_as_it_was(model: TransformersModel, polls: int) -> None:
    expected = model.extend(IDS, scored=len(IDS)).best
    model.rollback(8)
    countdown = iter([False] * polls)
    try:
        model.extend(IDS[8:], scored=2, cancelled=lambda: next(countdown, True))
        assert polls > 1  # fewer polls than layers must have stopped it
    except Cancelled:
        assert model.tokens == IDS[:8]
        model.extend(IDS[8:], scored=2)
    model.rollback(8)
    assert model.extend(IDS[8:], scored=len(IDS) - 8).best == expected[8:]


def test_a_full_context_is_refused_before_any_work() -> None:
    model = tiny_model(context_size=16)
    model.extend([1] * 10)
    with pytest.raises(ContextTooLong) as caught:
        model.extend([1] * 7)
    assert (caught.value.needed, caught.value.available) == (17, 16)
    assert len(model.tokens) == 10


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nmore"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:124] . DefaultCPUAllocator: can't allocate memory: you tried ..."),
    ],
)
def test_out_of_memory_is_an_error_and_the_model_lives_on(
    model: TransformersModel, monkeypatch: pytest.MonkeyPatch, error: RuntimeError
) -> None:
    expected = model.extend(IDS, scored=len(IDS)).best
    model.rollback(4)

    def fails(*_: object, **__: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(model._model.lm_head, "forward", fails)
        with pytest.raises(OutOfMemory, match=r"Edit fewer lines.*device cpu"):
            model.extend(IDS[4:])
    assert model.tokens == IDS[:4]
    assert model.extend(IDS[4:], scored=len(IDS) - 4).best == expected[4:]


def test_the_cache_grows_without_losing_anything() -> None:
    cache = RollbackCache()
    states = torch.arange(3000, dtype=torch.float32).reshape(1, 1, 3000, 1)
    for start in range(0, 3000, 500):
        keys, values = cache.update(states[..., start : start + 500, :], -states[..., start : start + 500, :], 0)
    assert torch.equal(keys, states)
    assert torch.equal(values, -states)
    cache.rollback(1200)
    assert cache.get_seq_length() == 1200
    keys, _ = cache.update(states[..., :1, :], states[..., :1, :], 0)
    assert torch.equal(keys[..., :1200, :], states[..., :1200, :])
    assert keys.shape[-2] == 1201
