"""Sort misspellings into types."""

import re
from typing import Literal

from respell.lab.common.metrics import IsWord

ErrorType = Literal["stray capital", "foreign letter", "unknown word", "real word", "other"]
ERROR_TYPES: dict[ErrorType, str] = {
    "stray capital": "a capital inside a word: *becFame*",
    "foreign letter": "a letter or sign that is no English letter: *sựpported*",
    "unknown word": "the right word is not in the lexicon",
    "real word": "the misspelling is a word of the lexicon",
    "other": "other",
}
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def error_type(written: str, right: str, is_word: IsWord) -> ErrorType:
    """The first type that fits."""
    written, right = _EDGES.sub("", written), _EDGES.sub("", right)
    if _has_capital_inside(written) and not _has_capital_inside(right):
        return "stray capital"
    if any(_is_foreign(letter) and letter not in right.lower() for letter in written.lower()):
        return "foreign letter"
    if not is_word(right):
        return "unknown word"
    return "real word" if is_word(written) else "other"


def _has_capital_inside(word: str) -> bool:
    return any(letter.isupper() for letter in word[1:])


def _is_foreign(letter: str) -> bool:
    return not (letter.isascii() and letter.isalnum())
