"""Recipes: the files of this repository, invalid ones, overrides and round trips."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from respell.lab.misspellings.config import DataConfig
from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.synthetic import METHODS
from respell.lab.train.models.word_char import WordCharConfig
from respell.lab.train.recipe import Recipe, TrainConfig, parse_recipe, read_recipe
from respell.types import Error

RECIPES = Path(__file__).parents[2] / "recipes"
TABLES = ("corpora.toml", "rows.toml", "ablations.toml", "chain.toml")
FILES = sorted(path for path in RECIPES.rglob("*.toml") if path.name not in TABLES)
RAW = {"name": "x", "kind": "word_char", "data": {"lists": ["a.tsv"]}}


def test_there_are_recipes() -> None:
    assert len(FILES) >= 4


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_recipe_survives_a_round_trip(path: Path, tmp_path: Path) -> None:
    recipe = read_recipe(path)
    written = tmp_path / "recipe.toml"
    written.write_text(recipe.to_toml(), encoding="utf-8")
    assert read_recipe(written) == recipe


def test_recipes_have_different_names() -> None:
    assert len({read_recipe(path).name for path in FILES}) == len(FILES)


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.parent.name == "paper"], ids=lambda path: path.stem
)
def test_the_papers_recipes_use_its_data_and_noise(path: Path) -> None:
    recipe = read_recipe(path)
    assert not recipe.keep
    assert recipe.data == DataConfig(lists=("omega_train80.tsv",), tidy=False)
    random = path.stem.endswith("_random")
    assert recipe.noise == NoiseConfig(synthetic=0.5 if random else 0.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"extra": 1}, "unknown key 'extra'"),
        ({"kind": "transformer"}, "kind = 'transformer', write one of .*, subword, word_char"),
        ({"kind": ["scrnn"]}, r"kind = \['scrnn'\]"),
        ({"name": 3}, "name is missing or not a string"),
        ({"data": {}}, r"\[data\]: lists is missing"),
        ({"data": {"lists": "a.tsv"}}, r"\[data\]: lists = 'a.tsv' has the wrong type"),
        ({"data": {"lists": [1]}}, "has the wrong type"),
        ({"data": []}, r"\[data\] must be a table"),
        ({"train": {"speed": 1}}, r"\[train\]: unknown key 'speed'"),
        ({"train": {"rows": 1.5}}, r"\[train\]: rows = 1.5 has the wrong type"),
        ({"train": {"rows": True}}, "has the wrong type"),
        ({"train": {"rows": 0}}, "train.rows = 0"),
        ({"train": {"warmup": 0}}, "train.warmup = 0"),
        ({"train": {"spellings": 0}}, "train.spellings"),
        ({"train": {"learning_rate": float("nan")}}, "has the wrong type"),
        ({"train": {"learning_rate": 0}}, "train.learning_rate = 0: write a number above 0"),
        ({"train": {"clip": -1.0}}, "train.clip = -1.0"),
        ({"train": {"muon": -0.1}}, "train.muon = -0.1: write 0 or more"),
        ({"train": {"weight_decay": -1}}, "train.weight_decay"),
        ({"train": {"beta2": 1}}, "train.beta2 = 1: write a share from 0 to below 1"),
        ({"train": {"seed": -1}}, "train.seed = -1"),
        ({"train": {"seed": 2**32}}, "train.seed"),
        ({"train": {"length": 10_001}}, "train.length = 10001: write a number from 1 to 10000"),
        ({"model": {"dropout": 1.0}}, "model.dropout = 1.0"),
        ({"model": {"width": 0}}, "model.width = 0: write at least 1"),
        ({"model": {"width": -8}}, "model.width = -8"),
        ({"model": {"capacity": 1.5}}, "model.capacity = 1.5"),
        ({"kind": "mude", "model": {"layers": -1}}, "model.layers = -1"),
        ({"kind": "subword", "model": {"positions": 0}}, "model.positions = 0"),
        ({"model": {"keep": 1}}, "has the wrong type"),
        ({"model": {"heads": 7}}, "model.width must be a multiple of model.heads"),
        ({"model": {"char_heads": 0}}, "model.char_width must be a multiple"),
        ({"noise": {"sigmas": []}}, "noise.sigmas"),
        ({"noise": {"methods": {"insert": "2"}}}, "has the wrong type"),
        ({"noise": {"methods": {"insret": 2}}}, "noise.methods.insret: unknown"),
    ],
)
def test_an_invalid_recipe_is_an_error_of_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(Error, match=message) as caught:
        parse_recipe({**RAW, **change}, "here")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["name = ", "\x00", 'name = "x"\nname = "y"'])
def test_an_unreadable_recipe_is_an_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Error, match="cannot read the recipe"):
        read_recipe(path)
    with pytest.raises(Error, match="cannot read the recipe"):
        read_recipe(tmp_path / "none.toml")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "recipe.toml"
    path.write_text(tiny.recipe("word_char_keep").to_toml(), encoding="utf-8")
    return path


def test_settings_override_the_recipe(path: Path) -> None:
    settings = (
        "train.rows=64",
        "train.learning_rate=1e-5",
        "name=other name",
        "noise.methods.swap = 3",
        'data.lists=["x.tsv", "y.tsv"]',
        "model.keep=false",
        "model.noise_flag=false",
    )
    recipe = read_recipe(path, settings)
    assert recipe.train.rows == 64
    assert recipe.train.learning_rate == 1e-5
    assert recipe.name == "other name"
    assert recipe.noise.methods["swap"] == 3
    assert recipe.data.lists == ("x.tsv", "y.tsv")
    assert not recipe.keep
    assert recipe.train.length == tiny.recipe("word_char_keep").train.length


def test_settings_may_add_a_section(path: Path) -> None:
    path.write_text('name = "x"\nkind = "scrnn"\ndata.lists = []\n', encoding="utf-8")
    assert read_recipe(path, ("train.rows=3",)).train.rows == 3


@pytest.mark.parametrize(
    "setting", ["train.rows", "=3", "train.=3", "", "name.rows=3", "train.rows.x=1", "train.rows=x"]
)
def test_invalid_settings_are_errors_of_one_line(setting: str, path: Path) -> None:
    with pytest.raises(Error) as caught:
        read_recipe(path, (setting,))
    assert "\n" not in str(caught.value)


shares = st.floats(0, 1)
noises = st.builds(
    NoiseConfig,
    clean=shares,
    sigmas=st.lists(st.floats(0, 5), min_size=1, max_size=3).map(tuple),
    at_least_one=st.booleans(),
    synthetic=shares,
    methods=st.dictionaries(st.sampled_from(list(METHODS)), st.floats(0.1, 9), min_size=1),
    mask=shares,
    random_case=shares,
)
# A TOML file can contain any character except lone surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
recipes = st.builds(
    Recipe,
    name=texts,
    kind=st.just("word_char"),
    data=st.builds(DataConfig, lists=st.lists(texts, max_size=3).map(tuple), tidy=st.booleans()),
    noise=noises,
    model=st.builds(
        WordCharConfig,
        keep=st.booleans(),
        dropout=st.floats(0, 1, exclude_max=True),
        capacity=shares,
    ),
    train=st.builds(
        TrainConfig,
        learning_rate=st.floats(0, 1, exclude_min=True, allow_subnormal=True),
        rows=st.integers(1, 10**9),
    ),
)


@given(recipe=recipes)
def test_any_recipe_survives_a_round_trip(
    recipe: Recipe, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.toml"
    path.write_bytes(recipe.to_toml().encode())
    assert read_recipe(path) == recipe


def test_keep_is_a_setting_of_the_model() -> None:
    recipe = tiny.recipe("word_char")
    assert not recipe.keep
    assert replace(recipe, model=replace(recipe.model, keep=True)).keep
