"""Look up words outside the lexicon: technical terms, dictionary words and names.

The tables are in data/; `python benchmarks/vocabulary.py` builds them. data/vocabulary.json lists
the sources, data/NOTICE.txt their licences.
"""

import gzip
import re
import string
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from respell.model.vocabulary import forms

WordClass = Literal["technical", "common", "name"]

CLASSES: tuple[WordClass, ...] = get_args(WordClass)
"""In the order in which they are searched; a word is stored in one of them only."""

DATA = Path(__file__).parent / "data"

_AFTER_LETTERS = "\U0010ffff"
_PART = re.compile("([0-9A-Z])")
_SHARED = {digit: number for number, digit in enumerate(string.digits + string.ascii_uppercase)}
_TAKES_ES = ("s", "x", "z", "ch", "sh")
_TAKES_IES = re.compile("[^aeiou]y$")


def word_class(word: str) -> WordClass | None:
    """The class of a word that the lexicon lacks, or None if it is in no table.

    Case does not matter, and a plural or possessive has the class of its stem. Names are stored
    in lower case, too, so a caller should trust "name" only for a capitalized word: *Wark* is a
    surname, but *wark* is a typing error.
    """
    return next((name for form in forms(word) for name in CLASSES if _is_in(form, name)), None)


def inflections(word: str) -> list[str]:
    """A word in lower case, its possible singulars and its plural."""
    singulars = list(forms(word))
    return [*singulars, plural(singulars[0])]


def plural(word: str) -> str:
    """The regular plural of a word in lower case."""
    if _TAKES_IES.search(word):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(_TAKES_ES) else "s")


def _is_in(word: str, name: WordClass) -> bool:
    if len(word) < 3:
        return False
    blocks = _blocks(name)
    # "[" comes between the digits and capitals of the format and the letters of a word.
    i = bisect_right(blocks, word + "[") - 1
    return i >= 0 and word in unpack(blocks[i])


def starting_with(name: WordClass, prefix: str) -> Iterator[str]:
    """The words of a class that start with a prefix."""
    blocks = _blocks(name)
    first = max(bisect_right(blocks, prefix) - 1, 0)
    last = bisect_right(blocks, prefix + _AFTER_LETTERS)
    words = (word for block in blocks[first:last] for word in unpack(block))
    return (word for word in words if word.startswith(prefix))


def table(name: WordClass) -> Iterator[str]:
    """All words of a class."""
    return (word for block in _blocks(name) for word in unpack(block))


@cache
def _blocks(name: WordClass) -> list[str]:
    """Sorted words in blocks, see `unpack`."""
    return gzip.decompress((DATA / f"{name}.txt.gz").read_bytes()).decode().split("\n")


def unpack(block: str) -> Iterator[str]:
    """The words of a block.

    The first word is written out. Every other word is a digit of base 36, the number of letters
    that it shares with the word before it, and the rest of its letters: `aback4us7es` is *aback*,
    *abacus*, *abacuses*.
    """
    parts = _PART.split(block)
    word = parts[0]
    yield word
    for shared, rest in zip(parts[1::2], parts[2::2], strict=True):
        word = word[: _SHARED[shared]] + rest
        yield word
