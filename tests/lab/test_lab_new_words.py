"""A model that composes output vectors from spellings ranks words outside the lexicon."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tiny

from respell.corrector import Corrector
from respell.lab.train.checkpoint import torch_forward
from respell.model.compose import UserWordScorer
from respell.model.encode import WORD_UNKNOWN
from respell.model.forward import Forward, TopK
from respell.model.presets import Preset
from respell.model.session import open_session

FORMS = ("torch", "onnx", "int8")
MISSPELT = {
    "Gardenia": "Gardnia",
    "Kubernetes": "Kubernets",
    "Macaroon": "Macaron",
    "Villager": "Villgaer",
    "Librarian": "Librarain",
    "Restart": "Retsart",
}
NEW = sorted(word.lower() for word in MISSPELT)
PRESET = Preset(threshold=0.1, dictionary_bias=2.0)


@cache
def forward_of(base: Path, form: str) -> Forward:
    if form == "torch":
        return torch_forward(tiny.checkpoint(base, tiny.COMPOSED).model())
    return open_session(tiny.graphs(base, tiny.COMPOSED)[form == "int8"], threads=1)


def corrector(base: Path, form: str, *words: str) -> Corrector:
    bundle = tiny.checkpoint(base, tiny.COMPOSED).bundle({"default": PRESET})
    bundle = replace(bundle, config=replace(bundle.config, spell_oov_only=form != "torch"))
    return Corrector(bundle, forward_of(base, form), dictionary=words)


@pytest.mark.parametrize("form", FORMS)
def test_a_word_of_the_dictionary_is_suggested(base: Path, form: str) -> None:
    for word, wrong in MISSPELT.items():
        text = f"There is a strange {wrong} at the school."
        assert corrector(base, form, word).correct(text) == text.replace(wrong, word)
        assert word not in corrector(base, form).correct(text)


def ranked(base: Path, form: str, *, gate: float, new: bool) -> tuple[TopK, np.ndarray]:
    """The output for sentences with two unknown words each, and which words are unknown."""
    made = corrector(base, form)
    sentences = [["The", "famous", wrong, "realy", "Zorblux"] for wrong in MISSPELT.values()]
    features = made.bundle.encoder.encode([tiny.tokens(words) for words in sentences])
    forward = forward_of(base, form)
    assert isinstance(forward, UserWordScorer)
    if new:
        rows = forward.compose(made.bundle.encoder.spell(NEW))
        features = replace(features, new_words=rows)
    return forward(features, gate), (features.words == WORD_UNKNOWN).reshape(-1)


@pytest.mark.parametrize("form", FORMS)
def test_new_words_are_ranked_at_all_unknown_words(base: Path, form: str) -> None:
    found, unknown = ranked(base, form, gate=1.1, new=True)
    likeliest = found.keep == found.keep.min()  # is always ranked
    assert found.positions.tolist() == np.flatnonzero(unknown | likeliest.reshape(-1)).tolist()
    size = len(tiny.checkpoint(base, tiny.COMPOSED).lexicon)
    misspelt = found.ids[found.positions % 5 == 2]
    assert (misspelt >= size).any(axis=1).all()
    without, _ = ranked(base, form, gate=1.1, new=False)
    assert len(without.positions) == 1


@pytest.mark.parametrize("form", FORMS)
def test_new_words_do_not_change_known_words(base: Path, form: str) -> None:
    found, unknown = ranked(base, form, gate=0.0, new=True)
    before, _ = ranked(base, form, gate=0.0, new=False)
    known = ~unknown
    assert np.array_equal(found.ids[known, 0], before.ids[known, 0])
    assert found.probabilities[known] == pytest.approx(before.probabilities[known], abs=1e-6)
    assert found.keep.reshape(-1)[known] == pytest.approx(before.keep.reshape(-1)[known])


@pytest.mark.parametrize("form", FORMS)
def test_new_words_do_not_change_the_odds_of_keep_and_lexicon(base: Path, form: str) -> None:
    found, unknown = ranked(base, form, gate=0.0, new=True)
    before, _ = ranked(base, form, gate=0.0, new=False)
    assert (found.keep.reshape(-1)[unknown] < before.keep.reshape(-1)[unknown]).all()
    size = len(tiny.checkpoint(base, tiny.COMPOSED).lexicon)
    compared = 0
    for row in np.flatnonzero(unknown):
        now, then = (
            dict(zip(t.ids[row], t.probabilities[row], strict=True)) for t in (found, before)
        )
        kept, kept_then = found.keep.reshape(-1)[row], before.keep.reshape(-1)[row]
        for word in {word for word in now if word < size} & set(then):
            assert now[word] * kept_then == pytest.approx(then[word] * kept, rel=1e-2, abs=1e-9)
            compared += 1
        assert kept + found.probabilities[row].sum() <= 1 + 1e-5
    assert compared > len(MISSPELT)


def test_onnx_agrees_with_torch_on_new_words(base: Path) -> None:
    left, right = (ranked(base, form, gate=0.0, new=True)[0] for form in ("torch", "onnx"))
    assert np.array_equal(left.positions, right.positions)
    assert left.keep == pytest.approx(right.keep, abs=1e-4)
    assert left.probabilities == pytest.approx(right.probabilities, abs=1e-4)
    assert (left.ids[:, 0] == right.ids[:, 0]).all()
