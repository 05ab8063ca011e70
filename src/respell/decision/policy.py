"""How a ranking becomes a decision."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from respell.decision.rules import is_elongated
from respell.decision.variants import Variant
from respell.model.encode import Casing, normalize
from respell.model.lexicon import Lexicon
from respell.model.presets import Mode, ThresholdOn
from respell.text.case import LOWER, case_shape
from respell.types import SPACING, Correction

NEGLIGIBLE = 0.01
"""Suggestions less likely than this are dropped, except the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The settings of a decision."""

    threshold: float
    """The least error probability or score of a correction."""
    threshold_on: ThresholdOn = "score"
    default_threshold: float = 0.5
    """The threshold of the preset `default`, if it is about the same number; else the preset's."""
    fix_threshold: float = 0.0
    """The least score of an automatic correction."""
    oov_threshold: float = 1.0
    """If lower, it replaces `threshold` for lower-case words outside the lexicon."""
    name_threshold: float = 0.0
    """If higher, it replaces `threshold` for capitalized words outside the lexicon."""
    spacing_threshold: float = 0.5
    """The least score of a correction that adds or removes a blank."""
    spacing: bool = False
    """Whether corrections may add or remove a blank."""
    mode: Mode = "light"
    max_suggestions: int
    min_probability: float = NEGLIGIBLE
    """The least probability of a suggestion after the first."""
    dictionary: frozenset[str]
    """Normalized words that are always accepted."""
    casing: Casing
    rewrite_threshold: float = 0.0
    """Above 0: corrections with this score are put into the text before it is read again."""
    vocabulary_bias: float | None = None
    """Added to the logits of valid words outside the lexicon; None: they are not suggested."""
    user_words: Mapping[str, str] = field(default_factory=dict)
    """Words that the model ranks after its lexicon, in this order: normalized -> as written."""
    user_casing: Mapping[str, str] = field(default_factory=dict)
    """Words of the lexicon that the user writes with capitals: normalized -> as written."""
    truecase: Mapping[str, str] = field(default_factory=dict)
    """Words of the lexicon with capitals of their own: normalized -> usual case."""
    variant: Variant | None = None
    """The spelling that the user has chosen; if None, suggestions follow the document."""
    keep_elongated: bool = False
    """Leave words alone that are drawn out on purpose: sooo, yesssss."""

    @property
    def light(self) -> bool:
        """Whether the rules for text that people have written apply."""
        return self.casing == "lower" and self.mode == "light"

    @property
    def lowest_threshold(self) -> float:
        """No word is flagged if the probability of an error is lower than this."""
        lowest = min(self.threshold, self.oov_threshold)
        return min(lowest, self.spacing_threshold) if self.spacing else lowest

    def measure_of(self, correction: Correction) -> float:
        """What the thresholds are about: the score of a correction, or its error probability."""
        by_score = self.threshold_on == "score" or correction.kind in SPACING
        return correction.score if by_score else correction.error_probability

    def threshold_for(self, word: str, lexicon: Lexicon) -> float:
        """The least score, or error probability, of a correction of this word."""
        if is_lowercase_oov(word, lexicon):
            return min(self.threshold, self.oov_threshold)
        if is_capitalized_oov(word, lexicon):
            return max(self.threshold, self.name_threshold)
        return self.threshold

    def accepts(self, word: str) -> bool:
        """Whether a word is always accepted."""
        normalized = normalize(word)
        return normalized in self.dictionary or (self.keep_elongated and is_elongated(normalized))


def is_lowercase_oov(word: str, lexicon: Lexicon) -> bool:
    """Whether a word is in lower case, so probably not a name, and not in the lexicon."""
    return len(word) > 1 and case_shape(word) == LOWER and normalize(word) not in lexicon


def is_capitalized_oov(word: str, lexicon: Lexicon) -> bool:
    """Whether a word has a capital, so it may be a name, and is not in the lexicon."""
    return case_shape(word) != LOWER and normalize(word) not in lexicon
