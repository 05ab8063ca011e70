"""The user's own words: which are left alone, which can be suggested, how a model learns them."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from respell.features import LONGEST, Encoder, Features, Floats, Forward, Ints, TopK, form
from respell.lexicon import Lexicon
from respell.text import LOWER, shape, tokenize

CHUNK = 512
"""Words that are composed at once."""
MOST = 3000
"""Words that can be suggested: each costs a little at every unknown word of a text."""
REMEMBERED = 1 << 14
"""Composed words that a model keeps: some 20 MB."""


class Composing:
    """A Forward that can also rank words outside the lexicon, given what it composes of them."""

    def __init__(self, forward: Forward, compose: Callable[[Ints], Floats]) -> None:
        self._forward, self._compose = forward, compose
        self._known: dict[bytes, Floats] = {}

    def __call__(self, features: Features, gate: float) -> TopK:
        """Rank words, those of `features.new_words` too."""
        return self._forward(features, gate)

    def compose(self, spellings: Ints) -> Floats:
        """Output vectors and biases of spelled words: [words, width + 1].

        Each word is spelled once: dictionaries grow word by word, and requests share theirs.
        """
        keys = [row.tobytes() for row in spellings]
        found = {key: self._known[key] for key in keys if key in self._known}
        new = {key: i for i, key in enumerate(keys) if key not in found}
        places = list(new.values())
        for start in range(0, len(places), CHUNK):
            rows = self._compose(spellings[places[start : start + CHUNK]])
            # Copies, for a row that is remembered would keep all that were made with it.
            chunk = list(new)[start : start + CHUNK]
            found |= zip(chunk, (row.copy() for row in rows), strict=True)
        together = self._known | found
        self._known = together if len(together) <= REMEMBERED else found
        return np.stack([found[key] for key in keys])


@cache
def shorthand() -> frozenset[str]:
    """Short and spoken forms that need no dictionary to be right."""
    lines = (Path(__file__).parent / "shorthand.txt").read_text(encoding="utf-8").split("\n")
    words = (word for line in lines if not line.startswith("#") for word in line.split())
    return frozenset(words) | frozenset(_contractions())


def _contractions() -> Iterator[str]:
    """Regular contractions that are too rare for a model to know.

    Left out are the common ones, for which it tells *were* from *we're* and *its* from *it's*.
    """
    people = "i you he she we they".split()
    things = "it that this these those there who what where when why how".split()
    yield from (f"{who}{verb}'ve" for who in people + things for verb in ("'d", "'ll"))
    yield from (f"{what}{verb}" for what in things for verb in ("'d", "'ll"))
    plural = "these those there who what where how".split()
    yield from (f"{what}{verb}" for what in plural for verb in ("'re", "'ve"))
    yield from (f"{verb}n't've" for verb in "could would should might must".split())


def known_forms(dictionary: Iterable[str]) -> Iterator[str]:
    """Words as the tokenizer sees them: of a compound or a possessive, each part is known."""
    for word in dictionary:
        yield form(word)
        if not word.isalpha():  # the common case needs no tokenizer
            yield from (form(token.text) for token in tokenize(word) if token.kind == "word")


def new_words(dictionary: Iterable[str], encoder: Encoder) -> dict[str, str]:
    """Words that can be suggested, though the lexicon lacks them: form -> as the user writes it.

    Of a dictionary with more than `MOST` of them, the first in the order of the alphabet; the
    others are left alone, as all words of a dictionary are.
    """
    written = _written(dictionary)
    spelled = frozenset(encoder.characters).issuperset
    fitting = (
        (spelling, word)
        for spelling, word in written.items()
        if len(spelling) <= LONGEST
        and spelled(spelling)
        and spelling not in encoder.lexicon
        and _is_one_word(spelling)
    )
    return dict(islice(fitting, MOST))


def listed_capitals(dictionary: Iterable[str], lexicon: Lexicon) -> dict[str, str]:
    """Words of the lexicon that the user writes with capitals: form -> as the user writes it."""
    written = _written(dictionary)
    return {
        spelling: word
        for spelling, word in written.items()
        if spelling in lexicon and shape(word) != LOWER
    }


def _written(dictionary: Iterable[str]) -> dict[str, str]:
    """Form -> as the user writes it, in an order that does not depend on the set.

    Of several ways to write a word the one in small letters comes last and stays: it fits
    everywhere.
    """
    return {form(word): word for word in sorted(dictionary)}


def _is_one_word(spelling: str) -> bool:
    if spelling.isascii() and spelling.isalpha():
        return True  # the common case, for speed
    tokens = tokenize(spelling)
    return [(t.text, t.kind) for t in tokens] == [(spelling, "word")]
