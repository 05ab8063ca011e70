"""Placeholder until the table is built."""

from typing import Literal

WordClass = Literal["technical", "common", "name"]


def word_class(word: str) -> WordClass | None:
    """The class of a word outside the lexicon."""
    return None
