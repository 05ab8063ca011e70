"""symspellpy's compound mode, which also adds and removes blanks; each token is a whole text."""

import functools
import importlib.resources

from symspellpy import SymSpell


@functools.cache
def _speller() -> SymSpell:
    speller = SymSpell(max_dictionary_edit_distance=2, prefix_length=7)
    files = importlib.resources.files("symspellpy")
    words, pairs = "frequency_dictionary_en_82_765.txt", "frequency_bigramdictionary_en_243_342.txt"
    speller.load_dictionary(str(files / words), term_index=0, count_index=1)
    speller.load_bigram_dictionary(str(files / pairs), term_index=0, count_index=2)
    return speller


def _text(text: str) -> str:
    found = _speller().lookup_compound(text, max_edit_distance=2, transfer_casing=True)
    return str(found[0].term) if found else text


def correct(tokens: list[str]) -> list[str]:
    """Correct each text."""
    return [_text(text) if text.strip() else text for text in tokens]
