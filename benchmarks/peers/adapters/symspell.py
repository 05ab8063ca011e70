"""symspellpy with its own English dictionary, as in its manual: two edits, the top answer."""

import functools
import importlib.resources

from symspellpy import SymSpell, Verbosity
from words import each


@functools.cache
def _speller() -> SymSpell:
    speller = SymSpell(max_dictionary_edit_distance=2, prefix_length=7)
    name = "frequency_dictionary_en_82_765.txt"
    path = importlib.resources.files("symspellpy") / name
    speller.load_dictionary(str(path), term_index=0, count_index=1)
    return speller


def _word(word: str) -> str | None:
    found = _speller().lookup(word, Verbosity.TOP, max_edit_distance=2, transfer_casing=True)
    return str(found[0].term) if found else None


correct = each(_word)
