"""Synthetic noise agrees with the reference implementation."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from string import ascii_lowercase

import noise_reference as reference
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from noise_reference import ALPHABET, SAMPLES, differ, read, seeded, spell

from respell.lab.noise.synthetic import METHODS, QWERTY, Dice, Letters, Synthetic
from respell.model.encode import CHAR_START, LONGEST
from respell.types import Error

CPU = torch.device("cpu")
SHORT, LONG = st.text(ALPHABET, max_size=5), st.text(ALPHABET, min_size=18, max_size=20)


LETTERS = Letters.build(ALPHABET, QWERTY, device=CPU)


@cache
def sample(name: str, word: str) -> Counter[str]:
    rows = Synthetic({name: 1.0}, LETTERS)(spell([word]).repeat(SAMPLES, 1), Dice(CPU, seeded(1)))
    distinct, counts = torch.unique(rows, dim=0, return_counts=True)
    return Counter(dict(zip(read(distinct), counts.tolist(), strict=True)))


def sample_reference(method: reference.Method, word: str) -> Counter[str]:
    rng = Random(2)
    return Counter(method(word, rng) for _ in range(SAMPLES))


@pytest.mark.parametrize("word", ["a", "to", "the", "tree", "Query", "x-9", "its", "can't"])
@pytest.mark.parametrize("name", METHODS)
def test_method_agrees_with_reference(name: str, word: str) -> None:
    assert not differ(sample(name, word), sample_reference(reference.METHODS[name], word))


WRONG: dict[str, reference.Method] = {
    "swap": lambda w, r: w[:1] + reference.transpose(w[1:-1], r) + w[-1:],
    "middle": lambda w, r: w[0] + reference.shuffle(w[1:], r),
    "shuffle": reference.middle,
    "keyboard": reference.replace,
    "generate": lambda w, r: reference.generate(w[1:], r) + r.choice(ascii_lowercase),
    "insert": reference.repeat,
    "delete": lambda w, r: w[0] + reference.delete(w[1:], r),
    "repeat": reference.insert,
    "transpose": lambda w, r: w[0] + reference.transpose(w[1:], r),
    "replace": lambda w, r: w[0] + reference.replace(w[1:], r),
    "apostrophe": lambda w, r: w.removesuffix("s") + "'",
}


@pytest.mark.parametrize("name", METHODS)
def test_a_wrong_reference_is_detected(name: str) -> None:
    word = "to" if name == "generate" else "Query"
    assert differ(sample(name, word), sample_reference(WRONG[name], word))


def test_methods_are_drawn_by_weight() -> None:
    weights = {"repeat": 1.5, "swap": 0.0, "delete": 0.5}
    synthetic = Synthetic(weights, LETTERS)
    words = read(synthetic(spell(["water"]).repeat(SAMPLES, 1), Dice(CPU, seeded(1))))
    lengths = Counter(map(len, words))
    assert not differ(lengths, {6: SAMPLES * 3 // 4, 4: SAMPLES // 4})


GROWTH: dict[str, Callable[[int], int]] = {
    "insert": lambda n: 0 < n < 20,
    "repeat": lambda n: 0 < n < 20,
    "delete": lambda n: -(n > 2),
}


@pytest.mark.parametrize("name", METHODS)
@settings(max_examples=40, deadline=None)
@given(words=st.lists(SHORT | LONG, min_size=1), seed=st.integers(0, 99))
def test_rows_stay_well_formed(name: str, words: list[str], seed: int) -> None:
    rows = Synthetic({name: 1.0}, LETTERS)(spell(words), Dice(CPU, seeded(seed)))
    assert rows.dtype == torch.uint8
    for word, noised, row in zip(words, read(rows), rows.tolist(), strict=True):
        assert row == reference.row(noised)
        if name == "apostrophe":
            assert noised == reference.apostrophe(word, Random(seed))
            continue
        assert len(noised) - len(word) == (GROWTH[name](len(word)) if name in GROWTH else 0)
        if len(word) == LONGEST and name in ("insert", "repeat"):
            assert noised == word
        if name in ("swap", "middle", "shuffle", "transpose"):
            assert sorted(noised) == sorted(word)
        if name in ("swap", "middle"):
            assert (noised[:1], noised[-1:]) == (word[:1], word[-1:])
        if name in ("keyboard", "replace", "swap", "transpose"):
            moved = sum(map(str.__ne__, word, noised))
            assert moved <= (2 if name in ("swap", "transpose") else 1)


def test_keyboard_without_capitals_in_the_alphabet() -> None:
    letters = Letters.build("Qwa", {"q": "wa12"}, device=CPU)
    rows = torch.tensor([[CHAR_START, 4, 0]], dtype=torch.uint8).repeat(200, 1)
    assert set(Synthetic({"keyboard": 1.0}, letters)(rows, Dice(CPU))[:, 1].tolist()) == {5, 6}


def test_qwerty_is_symmetric() -> None:
    assert sorted(QWERTY) == list(ascii_lowercase)
    assert all(a in QWERTY[b] and a != b for a, near in QWERTY.items() for b in near)


@pytest.mark.parametrize("alphabet", ["0123", "a" * 253])
def test_an_unusable_alphabet_is_an_error(alphabet: str) -> None:
    with pytest.raises(Error, match=r"alphabet has no letter|do not fit"):
        Letters.build(alphabet, QWERTY, device=CPU)
