"""A model starts with the weights of a checkpoint that has other words, characters or layers."""

from dataclasses import replace
from pathlib import Path

import pytest
import tiny
import torch
from safetensors.torch import load_file

from respell.lab.__main__ import main
from respell.lab.train.checkpoint import WEIGHTS, build_model
from respell.lab.train.init_from import init_from
from respell.model.encode import FIRST_CHARACTER, WIDTH

CASE = "word_char_keep"


def test_rows_of_common_words_and_characters_are_copied(base: Path) -> None:
    saved = tiny.checkpoint(base, CASE)
    words = [*saved.lexicon.words[:0:-1], "brandnew"]
    sizes = replace(saved.sizes, characters=saved.sizes.characters + 1)
    model = build_model(saved.recipe, sizes)
    initial = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    init_from(saved, model, words, saved.facts.characters[::-1] + "\N{SNOWMAN}")
    old, new = load_file(saved.path / WEIGHTS), model.state_dict()
    place = words.index(saved.lexicon.words[5])
    assert torch.equal(new["words.weight"][3 + place], old["words.weight"][3 + 5])
    assert torch.equal(new["words.weight"][:3], old["words.weight"][:3])
    assert torch.equal(new["words.weight"][-1], initial["words.weight"][-1])  # a new word
    assert torch.equal(new["head.words.bias"][place], old["head.words.bias"][5])
    characters = "speller.characters.weight"
    assert torch.equal(new[characters][-2], old[characters][FIRST_CHARACTER])
    assert torch.equal(new[characters][-1], initial[characters][-1])


@pytest.mark.parametrize("fused", [0, 2])
def test_new_layers_change_nothing_at_first(fused: int, base: Path) -> None:
    saved = tiny.checkpoint(base, "word_char")
    layers = saved.recipe.model.layers
    deeper = replace(saved.recipe.model, layers=layers + 2, fused=fused)
    model = build_model(replace(saved.recipe, model=deeper), saved.sizes)
    init_from(saved, model, saved.lexicon.words, saved.facts.characters)
    ids = torch.tensor([[4, 5, 6]])
    features = (ids, ids * 0, ids * 0, torch.full((1, WIDTH), 5))
    with torch.no_grad():
        old = saved.model().predict(*features, torch.tensor(0.0))
        new = model.eval().predict(*features, torch.tensor(0.0))
    torch.testing.assert_close(new.keep, old.keep)
    torch.testing.assert_close(new.probabilities, old.probabilities)


def test_new_suspect_layers_change_nothing_at_first(base: Path) -> None:
    saved = tiny.checkpoint(base, "word_char_suspects")
    deeper = replace(saved.recipe.model, suspect_layers=3)
    model = build_model(replace(saved.recipe, model=deeper), saved.sizes)
    init_from(saved, model, saved.lexicon.words, saved.facts.characters)
    ids = torch.tensor([[4, 5, 6]])
    features = (ids, ids * 0, ids * 0, torch.full((1, WIDTH), 5))
    with torch.no_grad():
        old = saved.model().predict(*features, torch.tensor(0.0))
        new = model.eval().predict(*features, torch.tensor(0.0))
    torch.testing.assert_close(new.keep, old.keep)
    torch.testing.assert_close(new.probabilities, old.probabilities)


def test_a_checkpoint_of_another_size_is_an_error(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = tiny.checkpoint(base, CASE)
    wider = ("--steps", "1", "--set", "model.width=24", "--set", "model.heads=2")
    more = (*wider, "--start", str(first.path))
    capsys.readouterr()
    assert main(tiny.train_arguments(base, CASE, tmp_path / "out", *more)) == 2
    assert "does not fit this recipe" in capsys.readouterr().err
