"""A slow reference implementation of the noise, and a statistical test to compare samples."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from string import ascii_letters, ascii_lowercase
from typing import Any

import torch
from torch import Tensor

from respell.lab.noise.synthetic import QWERTY
from respell.model.encode import CHAR_START, FIRST_CHARACTER, LONGEST

ALPHABET = ascii_letters + "'0123456789-."
SAMPLES = 12_000

Method = Callable[[str, Random], str]


def row(word: str) -> list[int]:
    """The character row of a word."""
    ids = [ALPHABET.index(c) + FIRST_CHARACTER for c in word]
    return [CHAR_START, *ids] + [0] * (LONGEST - len(ids))


def spell(words: Iterable[str]) -> Tensor:
    """The character rows of words."""  # [words, width]
    return torch.tensor([row(word) for word in words], dtype=torch.uint8)


def read(rows: Tensor) -> list[str]:
    """The words of character rows [n, width]."""
    first = FIRST_CHARACTER
    return ["".join(ALPHABET[c - first] for c in ids if c >= first) for ids in rows.tolist()]


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def differ(ours: Mapping[Any, float], theirs: Mapping[Any, float]) -> bool:
    """A two-sample chi-square test: is the statistic six deviations above its expected value?"""
    assert math.isclose(sum(ours.values()), sum(theirs.values()))
    outcomes = [(ours.get(key, 0), theirs.get(key, 0)) for key in {*ours, *theirs}]
    statistic = sum((a - b) ** 2 / (a + b) for a, b in outcomes)
    freedom = len(outcomes) - 1
    return statistic > freedom + 6 * math.sqrt(2 * freedom)


def swap(word: str, rng: Random) -> str:
    if len(word) <= 3:
        return word
    i, j = rng.sample(range(1, len(word) - 1), 2)
    letters = list(word)
    letters[i], letters[j] = letters[j], letters[i]
    return "".join(letters)


def middle(word: str, rng: Random) -> str:
    if len(word) <= 3:
        return word
    return word[0] + shuffle(word[1:-1], rng) + word[-1]


def shuffle(word: str, rng: Random) -> str:
    return "".join(rng.sample(word, len(word)))


def neighbour(letter: str, rng: Random) -> str:
    near = rng.choice(QWERTY.get(letter.lower(), letter))
    return near.upper() if letter.isupper() else near


def keyboard(word: str, rng: Random) -> str:
    i = rng.randrange(len(word))
    return word[:i] + neighbour(word[i], rng) + word[i + 1 :]


def generate(word: str, rng: Random) -> str:
    return "".join(rng.choice(ascii_letters) for _ in word)


def insert(word: str, rng: Random) -> str:
    if len(word) == LONGEST:
        return word
    i = rng.randint(0, len(word))
    before = word[max(i - 1, 0)]
    new = rng.choice(ascii_lowercase)
    if rng.random() < 0.5:
        new = before if rng.random() < 0.5 else neighbour(before, rng)
    return word[:i] + new + word[i:]


def delete(word: str, rng: Random) -> str:
    if len(word) <= 2:
        return word
    i = rng.randrange(len(word))
    return word[:i] + word[i + 1 :]


def repeat(word: str, rng: Random) -> str:
    if len(word) == LONGEST:
        return word
    i = rng.randrange(len(word))
    return word[: i + 1] + word[i:]


def transpose(word: str, rng: Random) -> str:
    if len(word) < 2:
        return word
    i = rng.randrange(len(word) - 1) or rng.randrange(len(word) - 1)
    return word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def replace(word: str, rng: Random) -> str:
    i = rng.randrange(len(word))
    return word[:i] + rng.choice(ascii_lowercase) + word[i + 1 :]


def apostrophe(word: str, rng: Random) -> str:
    if "'" in word:
        return word.replace("'", "", 1) or word
    return word[:-1] + "'s" if word.endswith("s") and 2 < len(word) < LONGEST else word


METHODS: Mapping[str, Method] = {
    "swap": swap,
    "middle": middle,
    "shuffle": shuffle,
    "keyboard": keyboard,
    "generate": generate,
    "insert": insert,
    "delete": delete,
    "repeat": repeat,
    "transpose": transpose,
    "replace": replace,
    "apostrophe": apostrophe,
}


def amount(tokens: int, sigma: float, rng: Random, *, at_least_one: bool = True) -> int:
    """How many tokens of a sentence to change."""
    wanted = min(abs(rng.gauss(0, sigma)), 1) * tokens
    if at_least_one:
        return max(int(wanted), 1)
    return int(wanted) + (rng.random() < wanted % 1)


def noise(
    sentence: Sequence[str],
    usable: Sequence[bool],
    misspell: Method,
    rng: Random,
    *,
    sigma: float,
    at_least_one: bool = True,
) -> list[str]:
    """Add noise to a sentence: change a random number of its usable tokens."""
    wanted = amount(len(sentence), sigma, rng, at_least_one=at_least_one)
    places = [i for i, yes in enumerate(usable) if yes]
    rng.shuffle(places)
    noised = list(sentence)
    for i in places[:wanted]:
        noised[i] = misspell(sentence[i], rng)
    return noised
