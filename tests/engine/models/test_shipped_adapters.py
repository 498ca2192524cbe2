"""The adapters that come with copyspan, as they lie in the repository."""

import json
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from copyspan.models.adapter_card import prompt_version, read_card
from copyspan.models.adapters import SHIPPED
from copyspan.models.weights.catalogue import catalogue
from copyspan.train.export import MAX_BYTES
from copyspan.train.recipe import read_recipe

RECIPES = Path(__file__).parents[3] / "recipes"
FOLDERS = sorted(path.parent for path in SHIPPED.glob("*/copyspan.json"))


def test_there_are_some():
    assert FOLDERS


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
class TestShipped:
    def test_its_card_is_that_of_its_recipe(self, folder):
        card, recipe = read_card(folder), read_recipe(RECIPES / f"{folder.name}.toml")
        assert (card.name, card.base, card.recipe) == (folder.name, recipe.model, recipe.hash)

    def test_it_was_trained_with_the_prompt_that_is_written_now(self, folder):
        assert read_card(folder).prompt == prompt_version()

    def test_its_base_is_a_model_with_a_name(self, folder):
        assert read_card(folder).base in {model.name for model in catalogue()}

    def test_its_weights_are_finite_small_and_do_something(self, folder):
        path = folder / "adapter_model.safetensors"
        assert path.stat().st_size <= MAX_BYTES
        with safe_open(path, "pt") as weights:
            tensors = {name: weights.get_tensor(name) for name in weights.keys()}  # noqa: SIM118  # no mapping
        assert {tensor.dtype for tensor in tensors.values()} == {torch.bfloat16}
        assert all(tensor.isfinite().all() for tensor in tensors.values())
        assert any(tensor.any() for name, tensor in tensors.items() if "lora_B" in name)

    def test_peft_finds_nothing_of_its_maker(self, folder):
        config = json.loads((folder / "adapter_config.json").read_text())
        assert (config["peft_type"], config["base_model_name_or_path"]) == ("LORA", read_card(folder).base)

    def test_its_page_is_written(self, folder):
        page = (folder / "README.md").read_text(encoding="utf-8")
        assert "Say here" not in page
        assert all(heading in page for heading in ("## Data", "## Evaluation", "## Limits", "## Licence"))
