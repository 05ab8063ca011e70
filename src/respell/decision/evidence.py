"""Evidence from a whole document, or from all files of a run: which words are right there.

The corrector judges sentences. A document says more: a word that recurs, or that also occurs in
code, is a term and not a typing error. Terms are not flagged, and a misspelling of a term is
corrected to the term. A known word that recurs beside the same neighbours (*man page*) is not
flagged either. This module counts; adjust.py decides.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from respell.decision.variants import Variant, detect
from respell.decision.vocabulary import inflections
from respell.formats.scanner import FILLER
from respell.model.lexicon import Lexicon
from respell.text.words import APOSTROPHE, fold_apostrophes

MAX_WORDS = 200_000
"""Distinct words, and as many words of code, that are counted: memory stays bounded."""
MAX_CONTEXTS = 20_000
"""Unknown words whose first context is kept."""
CONTEXT = 60
"""Characters on either side of a word in which it is judged."""
NEIGHBOUR = 40
"""Characters on either side of a word in which its neighbour is looked for."""
PAIR_SLOTS = 1 << 22
"""Bytes in which pairs of neighbouring words are counted."""
PAIR_FACTOR = 31
"""Tells the first word of a pair from the second."""

_WORD = re.compile(rf"[^\W\d_]+(?:{APOSTROPHE}[^\W\d_]+)*")
_CODE_LIKE = re.compile(
    rf"(?<![^\s{FILLER}])[^\s{FILLER}]*?[^\W_][_/\\<>=:$@#(){{}}\[\]|.]+[^\W_][^\s{FILLER}]*"
)
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+")
_SHOWN = re.compile(f"[^{FILLER}]+")
_ENCODED = re.compile(r"\S{100,}|\\[nrtu]")  # base64 and the like; escapes of JSON


class PairCounts:
    """Counts pairs of neighbouring words in a fixed amount of memory.

    Pairs share slots by their hash, so a count may be too high, never too low.
    """

    def __init__(self) -> None:
        self._counts = np.zeros(PAIR_SLOTS, np.uint8)

    def add(self, words: Sequence[str]) -> None:
        """Count the pairs in a sequence of words."""
        hashes = {word: _hash(word) for word in set(words)}
        hashed = np.fromiter(map(hashes.__getitem__, words), np.uint32, len(words))
        slots, counts = np.unique(_slots(hashed[:-1], hashed[1:]), return_counts=True)
        self._counts[slots] = np.minimum(self._counts[slots] + counts, 255)

    def count(self, first: str, second: str) -> int:
        """How often the pair occurs, at most 255."""
        hashed = np.array([_hash(first), _hash(second)], np.uint32)
        return int(self._counts[_slots(hashed[:1], hashed[1:])[0]])


def _hash(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))


def _slots(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return (first * np.uint32(PAIR_FACTOR) + second) % np.uint32(PAIR_SLOTS)


@dataclass(slots=True)
class Evidence:
    """Counts of words and pairs of words in prose, and the words that occur in code."""

    known: Lexicon
    words: Counter[str] = field(default_factory=Counter)
    total: int = 0
    """How many words have been counted."""
    pairs: PairCounts = field(default_factory=PairCounts)
    code: set[str] = field(default_factory=set)
    contexts: dict[str, str] = field(default_factory=dict)
    """The text around the first occurrence of an unknown word."""
    _counted: int = 0
    _variant: Variant | None = None

    def add(self, text: str, masked: str) -> None:
        """Count the words of a text; `masked` shows its prose."""
        lowered = fold_apostrophes(masked.lower())
        spellings = _WORD.findall(lowered)
        self.pairs.add(spellings)
        new = set()
        for spelling, count in Counter(spellings).items():
            word = spelling.removesuffix("'s")
            if word in self.words or len(self.words) < MAX_WORDS:
                if word not in self.words and len(word) > 2 and word not in self.known:
                    new.add(word)
                self.words[word] += count
                self.total += count
        if len(lowered) == len(masked):
            self._keep_contexts(new, masked, lowered)
        for match in _CODE_LIKE.finditer(masked):
            self.add_code(match[0])
        if FILLER in masked:
            at = 0
            for shown in _SHOWN.finditer(masked):
                self.add_code(text[at : shown.start()])
                at = shown.end()
            self.add_code(text[at:])

    def _keep_contexts(self, words: set[str], masked: str, lowered: str) -> None:
        for match in _WORD.finditer(lowered):
            if not words or len(self.contexts) >= MAX_CONTEXTS:
                return
            word = match[0].removesuffix("'s")
            if word in words:
                words.remove(word)
                start, end = match.start(), match.start() + len(word)
                self.contexts[word] = masked[max(0, start - CONTEXT) : end + CONTEXT]

    def add_code(self, text: str) -> None:
        """Collect the words inside identifiers, paths or code, capitals included."""
        text = _ENCODED.sub(" ", text)
        if len(self.code) < MAX_WORDS:
            self.code.update(part.lower() for part in set(_PART.findall(text)))
            whole = set(_WORD.findall(text))
            self.code.update(map(base, whole))
            self.code.update(word for word in whole if word.isupper())

    @property
    def variant(self) -> Variant | None:
        """The spelling variant of the document, if it is clear."""
        if self._counted != self.total:
            self._counted, self._variant = self.total, detect(self.words)
        return self._variant

    def occurrences(self, word: str) -> int:
        """How often an unknown word occurs in prose, its plural or singular included."""
        return sum(self.words[form] for form in self._unknown_forms(word))

    def in_code(self, word: str) -> bool:
        """Whether the code has an unknown word, its plural or its singular."""
        return not self.code.isdisjoint(self._unknown_forms(word))

    def _unknown_forms(self, word: str) -> list[str]:
        # Forms that are known say nothing: *alls* is wrong, though *all* is frequent.
        return [form for form in inflections(word) if form == word or form not in self.known]


def neighbours(text: str, start: int, end: int) -> tuple[str, str]:
    """The words before and after a span of a text, as they are counted; "" if there is none."""
    before = _WORD.findall(_folded(text[max(0, start - NEIGHBOUR) : start]))
    after = _WORD.search(_folded(text[end : end + NEIGHBOUR]))
    return before[-1] if before else "", after[0] if after else ""


def _folded(text: str) -> str:
    return fold_apostrophes(text.lower())


def base(word: str) -> str:
    """A word in lower case, without a possessive."""
    return _folded(word).removesuffix("'s")
