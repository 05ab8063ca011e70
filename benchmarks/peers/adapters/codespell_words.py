"""codespell's own dictionaries of misspellings, with its rules for case and single answers."""

import functools
from pathlib import Path
from typing import Any

import codespell_lib
from codespell_lib._spellchecker import build_dict
from codespell_lib._text_util import fix_case
from words import each


@functools.cache
def _misspellings() -> dict[str, Any]:
    found: dict[str, Any] = {}
    folder = Path(codespell_lib.__file__).parent / "data"
    for name in ("dictionary.txt", "dictionary_rare.txt"):
        build_dict(str(folder / name), found, set())
    return found


def _word(word: str) -> str | None:
    entry = _misspellings().get(word.lower())
    return str(fix_case(word, entry.data)) if entry and entry.fix else None


correct = each(_word)
