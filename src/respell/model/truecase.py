"""The usual capitals of words: YouTube, O'Neill, NASA, Monday."""

from pathlib import Path

from respell.model.lexicon import Lexicon, read_lines
from respell.types import Error


def read_truecase(path: Path, lexicon: Lexicon) -> dict[str, str]:
    """Read a file with one word per line, as it is usually written: lower case -> usual case."""
    found: dict[str, str] = {}
    for number, word in enumerate(read_lines(path), start=1):
        lower = word.lower()
        if lower not in lexicon:
            raise Error(f"{path}:{number}: in lower case, the word is not in the lexicon")
        if lower == word:
            raise Error(f"{path}:{number}: the word has no capitals; leave it out")
        if lower in found:
            raise Error(f"{path}:{number}: the word is listed twice")
        found[lower] = word
    return found
