"""Attention on a CPU: the same as the library's, whatever the shapes."""

from types import SimpleNamespace

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from copyspan.models import attention
from tiny_lm import tiny_model


def states(length: int, rows: int, heads: int = 6, key_heads: int = 2, dim: int = 8) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(length * 100 + rows)
    shapes = [(1, heads, rows, dim), (1, key_heads, length, dim), (1, key_heads, length, dim)]
    return tuple(torch.randn(shape, generator=generator) for shape in shapes)


@pytest.mark.parametrize("block", [1, 300, 4_000_000], ids=["a row", "a few rows", "all rows"])
@pytest.mark.parametrize(("length", "rows"), [(1, 1), (9, 9), (40, 1), (40, 7), (70, 33)])
def test_it_is_causal_attention(monkeypatch: pytest.MonkeyPatch, block: int, length: int, rows: int) -> None:
    monkeypatch.setattr(attention, "_BLOCK_SCORES", block)
    query, key, value = states(length, rows)
    seen = torch.ones(rows, length, dtype=torch.bool).tril(length - rows)
    expected = scaled_dot_product_attention(query, key, value, attn_mask=seen, enable_gqa=True)
    output, weights = attention.attend(torch.nn.Identity(), query, key, value, None)
    assert weights is None
    torch.testing.assert_close(output, expected.transpose(1, 2))


def test_large_scores_lose_nothing_in_bfloat16() -> None:
    """In its first layer Qwen2.5 has scores of ten thousand, which bfloat16 would round to multiples of 64."""
    query, key, value = (part.bfloat16() for part in states(60, 5))
    key += 500
    exact = [part.double() for part in (query, key, value)]
    seen = torch.ones(5, 60, dtype=torch.bool).tril(55)
    expected = scaled_dot_product_attention(*exact, attn_mask=seen, enable_gqa=True).transpose(1, 2)
    output, _ = attention.attend(torch.nn.Identity(), query, key, value, None)
    torch.testing.assert_close(output.double(), expected, atol=0.02, rtol=0.02)


def test_it_can_be_called_in_every_mode_of_torch() -> None:
    expected, _ = attention.attend(torch.nn.Identity(), *states(20, 4), None)
    with torch.inference_mode():
        inside, _ = attention.attend(torch.nn.Identity(), *states(2000, 40), None)
        again, _ = attention.attend(torch.nn.Identity(), *states(20, 4), None)
    outside, _ = attention.attend(torch.nn.Identity(), *states(2000, 40), None)
    torch.testing.assert_close(again, expected)
    torch.testing.assert_close(outside, inside)


def test_it_takes_the_scaling_that_it_is_given() -> None:
    query, key, value = states(20, 4)
    plain, _ = attention.attend(torch.nn.Identity(), query, key, value, None)
    scaled, _ = attention.attend(torch.nn.Identity(), query / 3, key, value, None, scaling=3 * 8**-0.5)
    torch.testing.assert_close(scaled, plain)


def test_a_model_predicts_what_it_predicts_with_the_librarys_attention() -> None:
    model = tiny_model()
    ids = [5, 80, 33, 210, 7, 7, 19, 145, 300, 2, 61, 90, 250, 11]
    ours = model.extend(ids, scored=len(ids), top=3)
    model.rollback(0)
    with model.as_library() as library:
        assert library.config._attn_implementation == "sdpa"
        theirs = library(torch.tensor([ids])).logits[0].log_softmax(-1).topk(3)
    assert model._model.config._attn_implementation == attention.NAME
    assert [token for options in ours.options for token, _ in options] == theirs.indices.flatten().tolist()
    logprobs = torch.tensor([logprob for options in ours.options for _, logprob in options])
    torch.testing.assert_close(logprobs, theirs.values.flatten(), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("model_type", "kinds", "expected"),
    [
        ("qwen2", ["full_attention"] * 2, True),
        ("llama", None, True),
        ("qwen2", ["full_attention", "sliding_attention"], False),  # a window needs a mask
        ("gemma2", ["full_attention"], False),  # its scores are capped
    ],
)
def test_other_kinds_of_attention_are_left_to_the_library(
    model_type: str, kinds: list[str] | None, expected: bool
) -> None:
    assert attention.fits(SimpleNamespace(model_type=model_type, layer_types=kinds)) is expected
