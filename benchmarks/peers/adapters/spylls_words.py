"""spylls (Hunspell in Python) with the dictionary of the Hunspell package."""

import functools

from spylls.hunspell import Dictionary
from words import each, first_single


@functools.cache
def _dictionary() -> Dictionary:
    return Dictionary.from_files("/usr/share/hunspell/en_US")


def _word(word: str) -> str | None:
    dictionary = _dictionary()
    return word if dictionary.lookup(word) else first_single(list(dictionary.suggest(word)))


correct = each(_word)
