"""Valid words outside the lexicon that an unknown word may be a misspelling of."""

from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from respell.decision.vocabulary import WordClass, plural, starting_with, word_class
from respell.model.lexicon import Lexicon
from respell.text.edits import count_edits

SUGGESTED: tuple[WordClass, ...] = ("common", "technical")
"""Names are left out: too many of them differ in a letter."""
SHORTEST = 5
"""Letters of a word that is suggested."""
LONG = 8
"""Letters from which two edits may lie between a word and its misspelling; before, one."""
MOST = 8
"""Words that are suggested for one misspelling."""

_BITS = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


class _Words(NamedTuple):
    """The words that start with one letter."""

    words: list[str]
    lengths: Any  # [words] int
    letters: Any  # [words] uint32, the letters of each word as bits


def similar_words(word: str, lexicon: Lexicon) -> list[str]:
    """Valid words outside the lexicon that are spelled almost like an unknown word in lower case.

    The first letter must be right: it nearly always is, and so only few words have to be unpacked.
    """
    if len(word) < SHORTEST - 1 or not word.isalpha() or word_class(word) is not None:
        return []
    found = set(_near(word))
    if word.endswith("s"):  # the tables have no regular plurals
        found |= {(edits, plural(other)) for edits, other in _near(word[:-1])}
    return [other for _, other in sorted(found) if other not in lexicon][:MOST]


def _near(word: str) -> Iterator[tuple[int, str]]:
    """The words of the tables that few edits lead to, with their number."""
    most = 2 if len(word) >= LONG else 1
    words, lengths, letters = _starting_with(word[0])
    # An edit changes at most two letters of the set.
    differing = _BITS[(letters ^ _letters(word)).view(np.uint8)].reshape(-1, 4).sum(1)
    for i in np.flatnonzero((abs(lengths - len(word)) <= most) & (differing <= 2 * most)):
        edits = count_edits(word, words[i])
        if edits <= most:
            yield edits, words[i]


@cache
def _starting_with(letter: str) -> _Words:
    every = chain.from_iterable(starting_with(name, letter) for name in SUGGESTED)
    words = [word for word in every if len(word) >= SHORTEST]
    lengths = np.array([len(word) for word in words], int)
    return _Words(words, lengths, np.array([_letters(word) for word in words], np.uint32))


def _letters(word: str) -> int:
    """The letters of a word as bits; some letters outside a to z share one."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 31)
    return bits
