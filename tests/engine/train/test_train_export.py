"""Adapter folders: what is written can be read, and says what it is."""

import json

import pytest
import torch
from train_doubles import tiny_folder

from copyspan.errors import ModelUnusable, UsageError
from copyspan.models import prompt
from copyspan.models.adapter_card import prompt_version, read_card
from copyspan.models.adapters import check_fit, choose
from copyspan.models.protocol import Adapter
from copyspan.models.transformers import TransformersModel
from copyspan.train import export as it
from copyspan.train.export import Learnt, export, shape_of
from copyspan.train.model import add_lora, load_base
from copyspan.train.recipe import Recipe
from tiny_lm import tiny_qwen2

RECIPE = Recipe.model_validate(
    {"name": "spans", "model": "Tiny-Instruct", "data": [{"path": "a"}], "lora": {"rank": 4}, "splice": True}
)
IDS = torch.tensor([[5, 6, 7, 8]])


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("base") / "tiny")


def trained(base):
    """A model with an adapter that does something."""
    model = add_lora(load_base(base, "cpu", "float32"), RECIPE.lora, RECIPE.model, 0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(0, 0.1)
    return model


def test_an_adapter_comes_back_but_for_rounding(base, tmp_path):
    model = trained(base).eval()
    export(model, RECIPE, tmp_path / "a", Learnt(7, 3))
    files = {"adapter_model.safetensors", "adapter_config.json", "copyspan.json", "README.md"}
    assert {path.name for path in tmp_path.glob("a/*")} == files
    folder = choose(str(tmp_path / "a"), "Tiny-Instruct", base)
    loaded = TransformersModel.load(base, name="Tiny-Instruct", device="cpu", dtype="float32", adapter=folder)
    loaded.use_adapter(True)
    with torch.no_grad(), loaded.as_library() as causal:
        found, wanted, plain = (m(input_ids=IDS).logits for m in (causal, model, load_base(base, "cpu", "float32")))
    assert torch.allclose(found, wanted, atol=0.1)
    assert not torch.allclose(plain, wanted, atol=0.1)
    assert loaded.adapter == Adapter("spans", splice=True)


def test_the_folder_says_what_it_is_and_names_no_folder_of_the_user(base, tmp_path):
    card = export(trained(base), RECIPE, tmp_path / "a", Learnt(7, 3))
    assert read_card(tmp_path / "a") == card
    assert (card.name, card.base, card.splice, card.num_steps, card.recipe) == (
        "spans",
        "Tiny-Instruct",
        True,
        7,
        RECIPE.hash,
    )
    assert (card.shape.hidden_size, card.shape.num_layers) == (48, 2)
    config = json.loads((tmp_path / "a" / "adapter_config.json").read_text())
    assert (config["base_model_name_or_path"], config["r"], config["inference_mode"]) == ("Tiny-Instruct", 4, True)
    assert not any(str(tmp_path).encode() in path.read_bytes() for path in tmp_path.glob("a/*"))
    assert not any(str(base).encode() in path.read_bytes() for path in tmp_path.glob("a/*"))
    assert "base_model: Tiny-Instruct" in (tmp_path / "a" / "README.md").read_text()


def test_an_older_adapter_is_replaced_as_a_whole(base, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "old").touch()
    export(trained(base), RECIPE, tmp_path / "a", Learnt(1, 1))
    assert not (tmp_path / "a" / "old").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_too_large_an_adapter_is_refused(base, tmp_path, monkeypatch):
    monkeypatch.setattr(it, "MAX_BYTES", 1000)
    with pytest.raises(UsageError, match=r"Lower lora.rank"):
        export(trained(base), RECIPE, tmp_path / "a", Learnt(1, 1))
    assert not (tmp_path / "a").exists()


def test_what_does_not_fit_is_refused(base, tmp_path, monkeypatch):
    card = export(trained(base), RECIPE, tmp_path / "a", Learnt(1, 1))
    assert shape_of(tiny_qwen2(90)) != card.shape
    with pytest.raises(ModelUnusable, match="is for Tiny-Instruct"):
        check_fit(card, shape_of(tiny_qwen2(90)))
    before = prompt_version()
    monkeypatch.setattr(prompt, "_NUMBERED_SYSTEM", "Something else.")
    assert prompt_version() != before
    with pytest.raises(ModelUnusable, match="was trained with the prompt"):
        check_fit(card, card.shape)


@pytest.mark.parametrize("text", [None, "{}", "no json"])
def test_a_folder_without_a_card(tmp_path, text):
    if text is not None:
        (tmp_path / "copyspan.json").write_text(text)
    with pytest.raises(ModelUnusable, match="holds no adapter"):
        read_card(tmp_path)
