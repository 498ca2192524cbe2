"""Adapters: which one is taken, and that a model is untouched by one that is off."""

import json
from pathlib import Path

import pytest
import torch
from peft import LoraConfig, get_peft_model

from copyspan.edits.text import Snapshot
from copyspan.engine import EditRequest, Engine, EngineSettings
from copyspan.errors import ModelUnusable
from copyspan.models import adapters
from copyspan.models.adapter_card import AdapterCard, Shape, prompt_version
from copyspan.models.protocol import Adapter
from copyspan.models.tokenizer import ChatTokenizer
from copyspan.models.transformers import TransformersModel
from copyspan.testing import ScriptedModel, fenced
from tiny_lm import tiny_qwen2, tiny_tokenizer

IDS = [5, 80, 33, 210, 7, 7, 19, 145, 300, 2, 61, 90, 250, 11]
SHAPE = Shape(hidden_size=48, num_layers=2, vocabulary=400)


def card(**fields: object) -> AdapterCard:
    known = {"name": "spans", "base": "Tiny-Instruct", "shape": SHAPE, "splice": False, "prompt": prompt_version()}
    return AdapterCard.model_validate({**known, "recipe": "x", "num_steps": 1, "num_pairs": 1, "date": "x", **fields})


def write(folder: Path, written: AdapterCard) -> Path:
    folder.mkdir(parents=True)
    (folder / "copyspan.json").write_text(written.model_dump_json())
    return folder


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    folder.mkdir()
    config = {"hidden_size": 48, "num_hidden_layers": 2, "vocab_size": 400}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A folder with an adapter that does something."""
    model = get_peft_model(tiny_qwen2(400), LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM"))
    torch.manual_seed(1)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(tmp_path / "trained")
    (tmp_path / "trained" / "copyspan.json").write_text(card().model_dump_json())
    return tmp_path / "trained"


def model(adapter: Path | None) -> TransformersModel:
    return TransformersModel(tiny_qwen2(400), ChatTokenizer(tiny_tokenizer(), size=400), "tiny", 4096, adapter)


class TestChoice:
    def test_one_of_the_same_name_and_shape_is_taken(
        self, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shipped = tmp_path / "shipped"
        write(shipped / "a", card(shape=SHAPE.model_copy(update={"num_layers": 3})))
        write(shipped / "b", card(base="Other-Instruct"))
        write(shipped / "c", card(prompt="older"))
        monkeypatch.setattr(adapters, "SHIPPED", shipped)
        assert adapters.choose("auto", "Tiny-Instruct", base) is None
        right = write(shipped / "d", card())
        assert adapters.choose("auto", "Tiny-Instruct", base) == right
        assert adapters.choose("auto", "somebody/tiny-instruct", base) == right
        assert adapters.choose("auto", "Tiny-Base", base) is None
        assert adapters.choose("none", "Tiny-Instruct", base) is None

    def test_one_that_was_asked_for_must_fit(self, base: Path, tmp_path: Path) -> None:
        fits = write(tmp_path / "fits", card(base="Whatever"))
        assert adapters.choose(str(fits), "Tiny-Instruct", base) == fits
        other = write(tmp_path / "other", card(shape=SHAPE.model_copy(update={"hidden_size": 64})))
        with pytest.raises(ModelUnusable, match=r"is for Tiny-Instruct .*--adapter none"):
            adapters.choose(str(other), "Tiny-Instruct", base)
        with pytest.raises(ModelUnusable, match="holds no adapter"):
            adapters.choose(str(tmp_path / "nowhere"), "Tiny-Instruct", base)

    def test_a_model_that_does_not_tell_its_shape_gets_none(self, base: Path) -> None:
        (base / "config.json").write_text("{}")
        assert adapters.choose("auto", "Tiny-Instruct", base) is None


class TestModel:
    def test_off_it_changes_nothing(self, trained: Path) -> None:
        expected = model(None).extend(IDS, scored=len(IDS), top=3)
        one = model(trained)
        assert one.extend(IDS, scored=len(IDS), top=3) == expected
        one.use_adapter(True)
        assert one.extend(IDS, scored=len(IDS), top=3) != expected
        one.use_adapter(False)
        one.rollback(0)
        assert one.extend(IDS, scored=len(IDS), top=3) == expected

    def test_each_way_keeps_its_context(self, trained: Path) -> None:
        one = model(trained)
        one.extend(IDS)
        one.use_adapter(True)
        assert one.tokens == []
        one.extend(IDS[:4])
        one.use_adapter(False)
        assert one.tokens == IDS
        again = model(None)
        again.extend(IDS)
        assert one.extend([7], top=3) == again.extend([7], top=3)
        one.use_adapter(True)
        assert one.tokens == IDS[:4]

    def test_a_model_without_one_takes_no_notice(self) -> None:
        one = model(None)
        one.extend(IDS)
        one.use_adapter(True)
        assert (one.adapter, one.tokens) == (None, IDS)

    def test_weights_that_cannot_be_loaded(self, tmp_path: Path) -> None:
        one = model(write(tmp_path / "empty", card()))
        with pytest.raises(ModelUnusable, match=r"cannot be loaded.*--adapter none"):
            one.use_adapter(True)


def test_programs_are_written_with_it_and_texts_without() -> None:
    document = "a\nb\nc\n"
    program = '<program>\n<copy lines="1-1"/>\n<gen>\nB\n</gen>\n<copy lines="3-3"/>\n</program>'

    def script(prompt: str) -> list[str]:
        return [program] if "1|a" in prompt else [fenced("a\nb\nC\n")]

    one = ScriptedModel(script, adapter=Adapter("spans", splice=False))
    engine = Engine(one, EngineSettings())
    assert engine.edit(EditRequest(Snapshot(document), "x", strategy="program")).best.text == "a\nB\nc\n"
    assert one.is_adapted
    assert engine.edit(EditRequest(Snapshot(document), "x")).best.text == "a\nb\nC\n"
    assert not one.is_adapted
