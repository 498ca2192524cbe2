"""The loss against the library's own, and padding that has no effect."""

from array import array

import pytest
import torch
import torch.nn.functional as F

from copyspan.train import loss as it
from copyspan.train.loss import Batch, backward, evaluate
from copyspan.train.transcripts import Transcript
from tiny_lm import tiny_qwen2

CPU = torch.device("cpu")


def transcript(prompt: int, answer: int, learnt: int, seed: int = 0) -> Transcript:
    """Drawn tokens; the first `learnt` ones of the answer count."""
    drawn = torch.randint(0, 90, (prompt + answer,), generator=torch.Generator().manual_seed(seed)).tolist()
    is_learnt = bytes(int(i < learnt) for i in range(answer))
    return Transcript(str(seed), array("i", drawn[:prompt]), array("i", drawn[prompt:]), is_learnt)


@pytest.fixture
def model():
    return tiny_qwen2(90)


def gradients(model):
    found = {name: p.grad.clone() for name, p in model.named_parameters()}
    model.zero_grad()
    return found


def library_loss(model, item):
    ids = torch.tensor([[*item.prompt, *item.answer]])
    learnt = [t if n else -100 for t, n in zip(item.answer, item.is_learnt, strict=True)]
    labels = torch.tensor([[-100] * len(item.prompt) + learnt])
    return F.cross_entropy(model(input_ids=ids).logits[0, :-1], labels[0, 1:], reduction="sum", ignore_index=-100)


@pytest.mark.parametrize("chunk", [3, 256])
def test_loss_and_gradients_are_the_library_s(model, monkeypatch, chunk):
    monkeypatch.setattr(it, "_CHUNK", chunk)
    item = transcript(12, 9, 7)
    expected = library_loss(model, item)
    expected.backward()
    wanted = gradients(model)
    found = backward(model, Batch.of([item], CPU), 1)
    assert found == pytest.approx(expected.item(), rel=1e-5)
    for name, gradient in gradients(model).items():
        assert torch.allclose(gradient, wanted[name], atol=1e-5), name


def test_padding_and_batching_change_nothing(model):
    items = [transcript(12, 9, 9, 0), transcript(3, 4, 2, 1), transcript(20, 1, 1, 2)]
    alone = sum(backward(model, Batch.of([item], CPU), 12) for item in items)
    wanted = gradients(model)
    assert backward(model, Batch.of(items, CPU), 12) == pytest.approx(alone, rel=1e-5)
    for name, gradient in gradients(model).items():
        assert torch.allclose(gradient, wanted[name], atol=1e-5), name
    assert evaluate(model, Batch.of(items, CPU))[0] == pytest.approx(12 * alone, rel=1e-5)


def test_an_example_is_exact_where_every_learnt_token_is_the_likeliest(model):
    prompt = transcript(5, 1, 1).prompt
    likeliest = model(input_ids=torch.tensor([[*prompt]])).logits[0, -1].argmax().item()
    right = Transcript("r", prompt, array("i", [likeliest, 3]), b"\1\0")
    wrong = Transcript("w", prompt, array("i", [(likeliest + 1) % 90, 3]), b"\1\0")
    assert evaluate(model, Batch.of([wrong, right, wrong], CPU))[1] == [False, True, False]
