"""The vocabulary of a model: which words outside its lexicon are valid.

A word is in a dictionary, a name or a technical term, and more or less frequent. The model reads
this as the class of a word. `python -m respell.lab vocabulary` writes the table.
"""

import gzip
import re
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

from respell.text.words import fold_apostrophes
from respell.types import Error

Group = Literal["unlisted", "common", "name", "technical"]
GROUPS: tuple[Group, ...] = get_args(Group)
FREQUENCIES = 3
"""How frequent a word is: not known, rare, or less rare."""
ODD = len(GROUPS) * FREQUENCIES
"""Added to the class of a word that is written with foreign letters, see `plain_letters`."""
CLASS_IDS = 2 * ODD
ABSENT = 0

BLOCK = 64
"""Words that are stored one after the other; finding a word takes unpacking one block."""
_CODES = "0123456789:;"
_SHARED = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PART = re.compile(f"([A-Z]?)([^A-Z0-9:;]*)([{_CODES}])")
_AFTER_CODES = "["
"""Sorts after the codes and before all letters."""
_LONGEST = len(_SHARED) - 1


def class_id(group: Group, frequency: int) -> int:
    """The class of a word."""
    return GROUPS.index(group) * FREQUENCIES + frequency


class Vocabulary:
    """A table of words and their classes, stored in compressed blocks."""

    def __init__(self, blocks: list[str]) -> None:
        self._blocks = blocks
        self._all: dict[str, int] | None = None
        self._unpack = lru_cache(maxsize=256)(lambda block: dict(_words(block)))

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """Read a table."""
        try:
            text = gzip.decompress(path.read_bytes()).decode()
        except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
            raise Error(f"{path}: not a vocabulary, or damaged ({error})") from error
        blocks = text.split("\n")
        if any(not _PART.match(block) for block in blocks):
            raise Error(f"{path}: not a vocabulary, or damaged")
        return cls(blocks)

    def write(self, path: Path) -> None:
        """Write the table."""
        path.write_bytes(gzip.compress("\n".join(self._blocks).encode(), mtime=0))

    def class_of(self, word: str) -> int:
        """The class of a word, ABSENT if it is not in the table.

        Case does not matter. A plural or possessive has the class of its stem.
        """
        return next((found for form in forms(word) if (found := self._find(form))), ABSENT)

    def unpack(self) -> "Vocabulary":
        """The same table in more memory, for many look-ups."""
        unpacked = Vocabulary(self._blocks)
        unpacked._all = dict(self.words())
        return unpacked

    def words(self) -> Iterator[tuple[str, int]]:
        """All words with their classes."""
        for block in self._blocks:
            yield from _words(block)

    def _find(self, word: str) -> int:
        if self._all is not None:
            return self._all.get(word, ABSENT)
        place = bisect_right(self._blocks, word + _AFTER_CODES) - 1
        return self._unpack(self._blocks[place]).get(word, ABSENT) if place >= 0 else ABSENT


_PLURAL_IN_ES = ("ses", "xes", "zes", "ches", "shes", "oes")
_NO_PLURAL_IN_S = re.compile(r"(?:[sxz]|[cs]h|[^aeiou]y)s$")


def forms(word: str) -> Iterator[str]:
    """The word in lower case, without 's, and its possible singulars."""
    word = fold_apostrophes(word.lower())
    word = word.removesuffix("'s").removesuffix("'")
    yield word
    if word.endswith(_PLURAL_IN_ES):
        yield word[:-2]
    if word.endswith("s") and not _NO_PLURAL_IN_S.search(word):
        yield word[:-1]


def write_vocabulary(classes: Mapping[str, int], path: Path) -> None:
    """Write a table; words are in lower case and have letters only."""
    for word, number in classes.items():
        if not (word.isalpha() and word == word.lower() and len(word) <= _LONGEST):
            raise Error(f"{path}: {word!r} cannot be in a vocabulary")
        if not ABSENT < number < ODD:
            raise Error(f"{path}: {word!r} has no class")
    Vocabulary(list(_pack(sorted(classes.items())))).write(path)


def _pack(words: Iterable[tuple[str, int]]) -> Iterator[str]:
    """Blocks of text.

    The first word of a block is written out. Every other word is a capital that says how many
    letters it shares with the word before it, and the rest of its letters. A class follows every
    word: `aback3Eus4Hes3` is *aback*, *abacus* and *abacuses*.
    """
    rest = iter(words)
    while group := list(islice(rest, BLOCK)):
        parts, before = [], ""
        for word, number in group:
            shared = _shared(before, word)
            head = _SHARED[shared] if before else ""
            parts.append(f"{head}{word[shared:]}{_CODES[number]}")
            before = word
        yield "".join(parts)


def _shared(before: str, word: str) -> int:
    limit = min(len(before), len(word))
    return next((i for i in range(limit) if before[i] != word[i]), limit)


def _words(block: str) -> Iterator[tuple[str, int]]:
    word = ""
    for shared, rest, code in _PART.findall(block):
        word = word[: _SHARED.index(shared)] + rest if shared else rest
        yield word, _CODES.index(code)
