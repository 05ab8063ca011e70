"""pyspellchecker with its own English dictionary and its default distance of two."""

import functools

from spellchecker import SpellChecker
from words import each, like


@functools.cache
def _speller() -> SpellChecker:
    return SpellChecker()


def _word(word: str) -> str | None:
    answer = None if _speller().known([word]) else _speller().correction(word)
    return like(word, answer) if answer else None


correct = each(_word)
