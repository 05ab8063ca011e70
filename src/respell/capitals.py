"""How people write the words that have capitals of their own: YouTube, O'Neill, NASA, Monday."""

from pathlib import Path

from respell.lexicon import Lexicon, read_lines
from respell.text import LOWER, TITLE, UPPER, shape
from respell.types import Error


def read_capitals(path: Path, lexicon: Lexicon) -> dict[str, str]:
    """Read a text file with one word per line, as people write it: lexicon word -> that."""
    found: dict[str, str] = {}
    for number, word in enumerate(read_lines(path), start=1):
        small = word.lower()
        if small not in lexicon:
            raise Error(f"{path}:{number}: in small letters the word is not in the lexicon")
        if small == word:
            raise Error(f"{path}:{number}: the word has no capitals; leave it out")
        if small in found:
            raise Error(f"{path}:{number}: the word is listed twice")
        found[small] = word
    return found


def capitalize(original: str, plain: str, usual: str, wanted: int, *, flat: bool) -> str:
    """Choose between `plain`, in the case of its place, and the word as people write it.

    A word that is all in capitals stays so. In small letters, names get their capital unless the
    sentence is `flat`: some write without capitals at all. Other words get theirs where the model
    wants one. Nothing is corrected for its capitals alone.
    """
    if plain == original or shape(plain) == UPPER:
        return plain
    if shape(original) != LOWER:
        return usual
    small = flat if shape(usual) == TITLE else wanted == LOWER
    return plain if small else usual
