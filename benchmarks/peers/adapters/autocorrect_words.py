"""autocorrect's English Speller; it keeps the case itself, except for words in capitals."""

import functools

from autocorrect import Speller
from words import each, like


@functools.cache
def _speller() -> Speller:
    return Speller("en")


def _word(word: str) -> str | None:
    if len(word) > 1 and word.isupper():
        return like(word, str(_speller()(word.lower())))
    return str(_speller()(word))


correct = each(_word)
