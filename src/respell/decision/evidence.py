"""Evidence from a whole document, or from all files of a run: which unknown words are its terms.

The corrector judges sentences. A document says more: a word that recurs, or that also occurs in
code, is a term and not a typing error. Such terms become the dictionary of the document: they are
not flagged, and a misspelling of a term is corrected to the term.
"""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import log, log2

from respell.decision.vocabulary import word_class
from respell.formats.scanner import FILLER
from respell.text.words import APOSTROPHE, fold_apostrophes
from respell.types import Correction

MAX_WORDS = 200_000
"""Distinct words, and as many words of code, that are counted: memory stays bounded."""
MAX_TERMS = 3000
"""Words that are judged with the model, the most frequent first."""
CONTEXT = 160
"""Characters on either side of a word in which it is judged."""
LOOK_AHEAD = 1 << 20
"""Characters of a pipe that are read for evidence before they are checked."""

_WORD = re.compile(rf"[^\W\d_]+(?:{APOSTROPHE}[^\W\d_]+)*")
_CODE_LIKE = re.compile(rf"[^\s{FILLER}]*[^\W_][_/\\<>=:$@#(){{}}\[\]|.]+[^\W_][^\s{FILLER}]*")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+")
_SHOWN = re.compile(f"[^{FILLER}]+")
_POSSESSIVE = re.compile(rf"{APOSTROPHE}[sS]$")
_CAPITALS = re.compile(r"([A-Z]{2,})(?:s|d|ed|ing)?")
_CERTAIN = 1e-6


@dataclass(frozen=True, slots=True)
class Weights:
    """How evidence changes the log odds that a correction of an unknown word is right.

    Fitted by benchmarks/documents.py on documents with planted misspellings; see
    results/documents/weights.json.
    """

    bias: float = 1.5
    score: float = 1.0
    """Times the log odds of the model's score."""
    repeated: float = -1.5
    """Times the binary logarithm of how often the word occurs."""
    code: float = -3.5
    """If the word also occurs in code, in identifiers or in file names."""
    suggestion: float = 0.1
    """Times the binary logarithm of how often the suggestion occurs, plus one."""
    technical: float = -3.0
    common: float = -2.0
    name: float = -2.0
    """If the vocabulary has the word in this class."""


WEIGHTS = Weights()


@dataclass(slots=True)
class Evidence:
    """Counts of words in prose, and the words that occur in code."""

    words: Counter[str] = field(default_factory=Counter)
    code: set[str] = field(default_factory=set)
    contexts: dict[str, str] = field(default_factory=dict)
    """The text around the first occurrence of an unknown word."""

    def add(self, text: str, masked: str, known: Container[str]) -> None:
        """Count the words of a text; `masked` shows its prose, `known` are words of the lexicon."""
        for match in _WORD.finditer(masked):
            word = base(match[0])
            if word in self.words or len(self.words) < MAX_WORDS:
                self.words[word] += 1
                if self.words[word] == 1 and len(word) > 2 and word not in known:
                    start = max(0, match.start() - CONTEXT)
                    self.contexts[word] = masked[start : match.end() + CONTEXT]
        for match in _CODE_LIKE.finditer(masked):
            self.add_code(match[0])
        if FILLER in masked:
            at = 0
            for shown in _SHOWN.finditer(masked):
                self.add_code(text[at : shown.start()])
                at = shown.end()
            self.add_code(text[at:])

    def add_code(self, text: str) -> None:
        """Collect the words inside identifiers, paths or code, capitals included."""
        if len(self.code) < MAX_WORDS:
            self.code.update(map(base, _PART.findall(text)))
            for word in _WORD.findall(text):
                self.code.add(base(word))
                if word.isupper():
                    self.code.add(word)

    def odds(self, correction: Correction, weights: Weights = WEIGHTS) -> float:
        """The log odds that a correction of an unknown word is right, given the evidence."""
        features = self.features(correction)
        return sum(float(getattr(weights, name)) * value for name, value in features.items())

    def features(self, correction: Correction) -> dict[str, float]:
        """What the weights are multiplied with."""
        word, suggestion = base(correction.original), base(correction.replacement)
        score = min(max(correction.score, _CERTAIN), 1 - _CERTAIN)
        found = word_class(word)
        return {
            "bias": 1.0,
            "score": log(score / (1 - score)),
            "repeated": log2(max(self.words[word], 1)),
            "code": float(word in self.code),
            "suggestion": log2(1 + self.words[suggestion]),
            **{name: float(found == name) for name in ("technical", "common", "name")},
        }

    def candidates(self) -> Iterator[str]:
        """Unknown words for which there is evidence, the most frequent first."""
        unknown = sorted(self.contexts, key=lambda word: (-self.words[word], word))
        wanted = (w for w in unknown if self.words[w] > 1 or w in self.code or word_class(w))
        return islice(wanted, MAX_TERMS)

    def is_keyword(self, original: str) -> bool:
        """Whether a word in capitals, such as *SELECTs* or *ATTACHed*, is a keyword of the code."""
        capitals = _CAPITALS.fullmatch(original)
        return capitals is not None and capitals[1] in self.code


def base(word: str) -> str:
    """A word in lower case, without a possessive."""
    return fold_apostrophes(_POSSESSIVE.sub("", word).lower())


Check = Callable[[Iterable[str]], Iterator[list[Correction]]]
"""The `check_many` of a corrector."""


def find_terms(evidence: Evidence, check: Check, threshold: float) -> frozenset[str]:
    """The terms of a document: unknown words that the evidence shows to be right.

    The model judges each candidate where it first occurs. The candidate is a term if, with the
    evidence, the correction does not reach the threshold.
    """
    limit = log(max(threshold, _CERTAIN) / max(1 - threshold, _CERTAIN))
    words = list(evidence.candidates())
    terms = set()
    for word, found in zip(words, check(evidence.contexts[w] for w in words), strict=True):
        own = [c for c in found if base(c.original) == word]
        if not own or evidence.odds(own[0]) < limit:
            terms.add(word)
    return frozenset(terms)
