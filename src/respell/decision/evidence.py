"""Evidence from a whole document, or from all files of a run: which unknown words are its terms.

The corrector judges sentences. A document says more: a word that recurs, or that also occurs in
code, is a term and not a typing error. Terms are not flagged, and a misspelling of a term is
corrected to the term.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import exp, log, log2

from respell.decision.variants import Variant, detect, in_variant
from respell.decision.vocabulary import word_class
from respell.formats.scanner import FILLER
from respell.model.lexicon import Lexicon
from respell.text.words import APOSTROPHE, fold_apostrophes
from respell.types import Correction

MAX_WORDS = 200_000
"""Distinct words, and as many words of code, that are counted: memory stays bounded."""
MAX_CONTEXTS = 20_000
"""Unknown words whose first context is kept."""
MAX_TERMS = 300
"""Terms that can be suggested, the most frequent first."""
MIN_COUNT, MIN_LENGTH = 3, 4
"""How often a term occurs, and how many letters it has, at least to be suggested."""
CONTEXT = 60
"""Characters on either side of a word in which it is judged."""
RARE = 3000
"""From this place in the lexicon on, a word that occurs in code is taken for a keyword."""
LOOK_AHEAD = 1 << 20
"""Characters of a pipe that are read for evidence before they are checked."""

_WORD = re.compile(rf"[^\W\d_]+(?:{APOSTROPHE}[^\W\d_]+)*")
_CODE_LIKE = re.compile(rf"[^\s{FILLER}]*[^\W_][_/\\<>=:$@#(){{}}\[\]|.]+[^\W_][^\s{FILLER}]*")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+")
_SHOWN = re.compile(f"[^{FILLER}]+")
_CAPITALS = re.compile(r"([A-Z]{2,})(?:s|d|ed|ing)?")
_ENCODED = re.compile(r"\S{100,}|\\[nrtu]")  # base64 and the like; escapes of JSON
_GLUE_BEFORE = re.compile(r".?[/\\=<>@#$|+&]|[^\W_]-", re.DOTALL)
_GLUE_AFTER = re.compile(r"[/\\=<>@#$|+&].?|-[^\W_]", re.DOTALL)
_CERTAIN = 1e-6


@dataclass(frozen=True, slots=True)
class Weights:
    """How evidence changes the log odds that an unknown word is wrong.

    Without evidence, the decision is that of the sentence. Fitted by benchmarks/documents.py on
    documents with planted misspellings; see results/documents/weights.json.
    """

    repeated: float = -2.78
    """Times the binary logarithm of how often the word occurs."""
    code: float = -5.93
    """If the word also occurs in code, in identifiers or in file names."""
    technical: float = -6.3
    common: float = -7.64
    name: float = -5.01
    """If the vocabulary has the word in this class."""


WEIGHTS = Weights()


@dataclass(slots=True)
class Evidence:
    """Counts of words in prose, and the words that occur in code."""

    known: Lexicon
    words: Counter[str] = field(default_factory=Counter)
    code: set[str] = field(default_factory=set)
    contexts: dict[str, str] = field(default_factory=dict)
    """The text around the first occurrence of an unknown word."""
    _counted: int = 0
    _variant: Variant | None = None

    def add(self, text: str, masked: str) -> None:
        """Count the words of a text; `masked` shows its prose."""
        lowered = fold_apostrophes(masked.lower())
        for spelling, count in Counter(_WORD.findall(lowered)).items():
            word = spelling.removesuffix("'s")
            if word in self.words or len(self.words) < MAX_WORDS:
                if word not in self.words and len(word) > 2 and word not in self.known:
                    self._keep_context(word, masked, lowered)
                self.words[word] += count
        for match in _CODE_LIKE.finditer(masked):
            self.add_code(match[0])
        if FILLER in masked:
            at = 0
            for shown in _SHOWN.finditer(masked):
                self.add_code(text[at : shown.start()])
                at = shown.end()
            self.add_code(text[at:])

    def _keep_context(self, word: str, masked: str, lowered: str) -> None:
        if len(self.contexts) < MAX_CONTEXTS and len(lowered) == len(masked):
            place = lowered.find(word)
            self.contexts[word] = masked[max(0, place - CONTEXT) : place + len(word) + CONTEXT]

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
        if self._counted != self.words.total():
            self._counted, self._variant = self.words.total(), detect(self.words)
        return self._variant

    def score(self, correction: Correction, weights: Weights = WEIGHTS) -> float:
        """The score of a correction of an unknown word, given the evidence.

        Evidence is about the word, so it changes the probability that the word is wrong. Which
        word is meant instead does not change.
        """
        features = self.features(correction)
        change = sum(float(getattr(weights, name)) * value for name, value in features.items())
        odds = log_odds(correction.error_probability) + change
        share = correction.score / max(correction.error_probability, _CERTAIN)
        return share / (1 + exp(-odds))

    def features(self, correction: Correction) -> dict[str, float]:
        """What the weights are multiplied with."""
        word = base(correction.original)
        found = word_class(word)
        if found == "name" and not correction.original[0].isupper():
            found = None  # many misspellings are somebody's name
        return {
            "repeated": log2(max(self.words[word], 1)),
            "code": float(word in self.code),
            **{name: float(found == name) for name in ("technical", "common", "name")},
        }

    def filter(
        self, text: str, corrections: Iterable[Correction], threshold: float
    ) -> list[Correction]:
        """The corrections of a text that agree with the evidence, spelled as the document."""
        return [
            in_variant(correction, self.variant)
            for correction in corrections
            if not self.rejects(correction, threshold)
            and not (correction.kind == "realword" and _is_glued(text, correction))
        ]

    def rejects(self, correction: Correction, threshold: float) -> bool:
        """Whether the score of a correction, adjusted by the evidence, is below the threshold."""
        if correction.kind == "variant":
            return False
        if correction.kind == "realword":
            return self.is_keyword(correction.original)
        return self.score(correction) < threshold

    def frequent(self) -> list[str]:
        """Unknown words that occur often enough to be suggested, the most frequent first."""
        words = (w for w in self.contexts if self.words[w] >= MIN_COUNT and len(w) >= MIN_LENGTH)
        return sorted(words, key=lambda word: (-self.words[word], word))[:MAX_TERMS]

    def is_keyword(self, original: str) -> bool:
        """Whether a known word is a keyword of the code.

        That is a word in capitals that the code has (*SELECTs*, *ATTACHed*), or a rare word of the
        lexicon that the code has (*int*, *stat*, *foo*).
        """
        capitals = _CAPITALS.fullmatch(original)
        if capitals is not None and capitals[1] in self.code:
            return True
        word = base(original)
        return word in self.code and (self.known.index(word) or 0) >= RARE


def _is_glued(text: str, correction: Correction) -> bool:
    """Whether a word is part of a chain such as *nd/fix-path* or *read-tree*."""
    before = text[max(0, correction.start - 2) : correction.start]
    after = text[correction.end : correction.end + 2]
    return bool(_GLUE_BEFORE.fullmatch(before) or _GLUE_AFTER.fullmatch(after))


class TermIndex:
    """Finds out quickly whether a word is spelled almost like one of some terms."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._forms = {form for term in terms for form in _deletions(term)}

    def near(self, word: str) -> bool:
        """Whether a word and a term are equal after at most one deletion in each."""
        return not self._forms.isdisjoint(_deletions(base(word)))


def _deletions(word: str) -> Iterator[str]:
    yield word
    if len(word) > MIN_LENGTH:
        yield from (word[:i] + word[i + 1 :] for i in range(len(word)))


def log_odds(probability: float) -> float:
    """The log odds of a probability, within bounds."""
    probability = min(max(probability, _CERTAIN), 1 - _CERTAIN)
    return log(probability / (1 - probability))


def base(word: str) -> str:
    """A word in lower case, without a possessive."""
    return fold_apostrophes(word.lower()).removesuffix("'s")


Check = Callable[[Iterable[str]], Iterator[list[Correction]]]
"""The `check_many` of a corrector."""


def find_terms(evidence: Evidence, check: Check, threshold: float) -> list[str]:
    """Terms that can be suggested: frequent unknown words that the evidence shows to be right."""
    words = evidence.frequent()
    terms = []
    for word, found in zip(words, check(evidence.contexts[w] for w in words), strict=True):
        own = [c for c in found if base(c.original) == word]
        if not own or evidence.rejects(own[0], threshold):
            terms.append(word)
    return terms
