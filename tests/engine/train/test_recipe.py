import pytest

from copyspan.errors import SourceError, UsageError
from copyspan.train.recipe import Recipe, read_recipe

MINIMAL = 'name = "spans"\n[[data]]\npath = "a.jsonl"\n'


def write(tmp_path, text):
    path = tmp_path / "r.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_recipe_needs_a_name_and_data(tmp_path):
    recipe = read_recipe(write(tmp_path, MINIMAL))
    assert (recipe.name, recipe.data[0].path.name, recipe.data[0].weight) == ("spans", "a.jsonl", 1.0)
    assert (recipe.lora.rank, recipe.lora.targets, recipe.optimizer.learning_rate) == (16, "all-linear", 2e-4)
    assert recipe.splice is False


def test_every_section_can_be_set(tmp_path):
    text = MINIMAL + (
        'weight = 2\n[[data]]\npath = "b.jsonl.gz"\n[lora]\ntargets = ["q_proj", "v_proj"]\n'
        '[optimizer]\nschedule = "linear"\nwarmup = 0\n[validation]\npath = "v.jsonl"\nevery = 10\n'
    )
    recipe = read_recipe(write(tmp_path, text))
    assert [part.weight for part in recipe.data] == [2.0, 1.0]
    assert recipe.lora.targets == ("q_proj", "v_proj")
    assert (recipe.optimizer.schedule, recipe.validation.every) == ("linear", 10)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "name: field required; data: field required"),
        ("epoch = 3\n" + MINIMAL, "epoch: extra inputs are not permitted"),
        (MINIMAL + "[lora]\nrnak = 8\n", "lora.rnak: extra inputs"),
        (MINIMAL + "[optimizer]\nlearning_rate = 0\n", "optimizer.learning_rate: input should be greater than 0"),
        (MINIMAL + '[[data]]\npath = "a.jsonl"\n', "two entries of data name one file"),
        (MINIMAL.replace("spans", "../spans"), "name: string should match pattern"),
        ("name = ", "is no TOML"),
        (b"\xff", "is no TOML"),
    ],
)
def test_wrong_recipes(tmp_path, text, words):
    with pytest.raises(UsageError) as caught:
        read_recipe(write(tmp_path, text))
    assert words in str(caught.value)


def test_a_missing_recipe(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        read_recipe(tmp_path / "none.toml")


def test_the_hash_is_that_of_every_value_and_of_no_folder(tmp_path):
    (tmp_path / "b").mkdir()
    one, same = (read_recipe(write(folder, MINIMAL)) for folder in (tmp_path, tmp_path / "b"))
    assert one.hash == same.hash
    for change in ({"seed": 1}, {"lora": {"rank": 8}}, {"validation": {"count": 7}}):
        assert Recipe.model_validate(one.model_dump() | change).hash != one.hash
