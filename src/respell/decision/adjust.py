"""Adjust the scores of corrections by the evidence of a document.

Evidence is about a word, so it changes the probability that the word is wrong: a weighted sum of
features is added to its log odds. Which word is meant instead does not change.

The model is surer than it may be in documents: less than nine tenths of what it lists with a score
of .9 is right there. So the log odds of the adjusted score are drawn by DOUBT towards those of the
threshold of `default`. That changes nothing at this threshold, and raises the bar of a stricter
preset.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from math import exp, log, log2

from respell.decision.evidence import Evidence, base, neighbours
from respell.decision.policy import Policy
from respell.decision.variants import in_variant
from respell.decision.vocabulary import CLASSES, inflections, word_class
from respell.model.vocabulary import forms
from respell.text.edits import count_edits
from respell.types import SPACING, Correction

Features = Mapping[str, float]

WEIGHTS: Mapping[str, Features] = {
    "nonword": {
        "capitals": -4.85,
        "foreign": -0.15,
        "repeated": -11.54,
        "code": -13.37,
        "technical": -6.5,
        "common": -4.67,
        "name": -3.96,
        "plural": -1.58,
        "prefixed": -3.75,
        "distance": -2.22,
        "used": 0.27,
        "unused": -1.69,
    },
    "realword": {
        "capitals": -6.75,
        "better_pair": -0.88,
        "worse_pair": -0.5,
        "repeated": -2.77,
        "code": -1.1,
        "glued": -1.6,
    },
}
"""The weights of the features, by kind of correction. `benchmarks/documents.py fit` fits them and
DOUBT on documents with planted misspellings; see results/documents/weights.json.

capitals        a letter after the first is a capital: *SELECTs*
foreign         how many of the words nearby are unknown, beyond a share that typing errors reach
repeated        how often an unknown word occurs, or a rare known one, as a binary logarithm; for
                an unknown word, divided by its letters: long words are seldom terms that happen to
                look like a misspelling
code            the code has the word; for an unknown word, divided by its letters, for a known
                word, times how rare it is
technical, common, name
                the class of the word in the vocabulary
plural          the word is the plural of a known word
prefixed        the replacement is the end of the word: *bnext*
distance        the edits that make the word its replacement, after the first
used            how often the document has the replacement, as a binary logarithm of at most MOST
unused          the document does not have the replacement, though it is large
better_pair, worse_pair
                how much oftener a known word occurs beside the word before it than its replacement
                does, and the same for the word after it, as binary logarithms of at most MOST; the
                higher of the two, and the lower
glued           the word is part of a chain such as *nd/fix-path* or *process(es)*
"""
DOUBT = 2.3
"""With this, nine tenths of what `careful` lists in dev documents is right. All of them have more
words than LARGE. In smaller ones there is less doubt, because a letter has hardly any terms: see
results/documents/letters.json."""
FREQUENT = 1000
"""Words of the lexicon before this place are not rare."""
RARE = 10_000
"""Words of the lexicon from this place on are so rare that they may be terms: *iff*."""
SMOOTHING = 0.5
MOST = 2.0
"""What frequency counts at most, of a pair of neighbours or a replacement."""
CERTAIN = 1e-6
LARGE = 10_000
"""Words of a document in which there is full doubt, and in which a replacement that never occurs is
not expected to be meant."""
NEARBY = 80
"""Characters on either side of a word in which other words are near it."""
TYPING_ERRORS = 0.2
"""More unknown words than this share are another language, or no sentence at all."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_GLUE_BEFORE = re.compile(r".?[/\\=<>@#$|+&~^]|[^\W_][-(\[{:.]", re.DOTALL)
_GLUE_AFTER = re.compile(r"[/\\=<>@#$|+&~^].?|[-)\]}:.][^\W_]", re.DOTALL)


def agreeing(
    evidence: Evidence, text: str, corrections: Iterable[Correction], policy: Policy
) -> list[Correction]:
    """The corrections of a text that agree with the evidence.

    Suggestions are spelled as in the document, unless the user has chosen a variant.
    """
    variant = policy.variant or evidence.variant
    agreed = (c for c in corrections if not rejects(evidence, text, c, policy))
    return [written for c in agreed if (written := in_variant(c, variant))]


def rejects(evidence: Evidence, text: str, correction: Correction, policy: Policy) -> bool:
    """Whether the score or error probability of a correction, adjusted by the evidence, is below
    the threshold that is about it."""
    if _judged_as(evidence, correction) not in WEIGHTS:
        return False
    if _is_form_of_a_term(evidence, correction):
        return True
    adjusted = adjusted_measure(evidence, text, correction, policy)
    if correction.kind in SPACING:
        return adjusted < policy.spacing_threshold
    return adjusted < policy.threshold_for(correction.original, evidence.known)


def adjusted_measure(
    evidence: Evidence, text: str, correction: Correction, policy: Policy
) -> float:
    """The score or error probability of a correction, given the evidence."""
    change, doubt = _change(evidence, text, correction), doubt_in(evidence)
    measure, error = policy.measure_of(correction), correction.error_probability
    even = policy.spacing_threshold if correction.kind in SPACING else policy.default_threshold
    return adjust(measure, error, change, doubt, even)


def _judged_as(evidence: Evidence, correction: Correction) -> str:
    """Whose weights a correction has: an unknown word that is split may be a term, too."""
    unknown = base(correction.original) not in evidence.known
    return "nonword" if correction.kind == "split" and unknown else correction.kind


def doubt_in(evidence: Evidence) -> float:
    """How far scores are drawn to one threshold: fully in large documents, hardly in a letter."""
    return 1 + (DOUBT - 1) * min(evidence.total / LARGE, 1.0)


def _change(evidence: Evidence, text: str, correction: Correction) -> float:
    """What the evidence adds to the log odds of an error."""
    features = find_features(evidence, text, correction)
    weights = WEIGHTS[_judged_as(evidence, correction)]
    return sum(weights[name] * value for name, value in features.items())


def adjust(
    score: float, error_probability: float, change: float, doubt: float, even: float
) -> float:
    """A score, or the error probability, after a change of the log odds of an error.

    Doubt draws it towards the threshold `even`.
    """
    share = score / max(error_probability, CERTAIN)
    changed = share * _probability(log_odds(error_probability) + change)
    middle = log_odds(even)
    return _probability(middle + (log_odds(changed) - middle) / doubt)


def find_features(evidence: Evidence, text: str, correction: Correction) -> Features:
    """What the weights are multiplied with."""
    find = _of_known_word if correction.kind == "realword" else _of_unknown_word
    return {
        "capitals": float(correction.original[1:].lower() != correction.original[1:]),
        **find(evidence, text, correction),
    }


def _of_unknown_word(evidence: Evidence, text: str, correction: Correction) -> Features:
    word, replacement = base(correction.original), base(correction.replacement)
    letters, used = max(len(word), 1), evidence.words[replacement]
    if correction.kind == "split":
        used = evidence.pairs.count(*replacement.split(" "))
    found = word_class(word)
    if found == "name" and not correction.original[0].isupper():
        found = None  # many misspellings are somebody's name
    return {
        "foreign": _foreign(evidence, text, correction),
        "repeated": log2(max(evidence.occurrences(word), 1)) / letters,
        "code": evidence.in_code(word) / letters,
        **{name: float(found == name) for name in CLASSES},
        "plural": float(any(form in evidence.known for form in islice(forms(word), 1, None))),
        "prefixed": float(len(replacement) > 2 and word.endswith(replacement)),
        "distance": float(max(count_edits(word, replacement) - 1, 0)),
        "used": min(log2(1 + used), MOST),
        "unused": float(not used and evidence.total >= LARGE),
    }


def _of_known_word(evidence: Evidence, text: str, correction: Correction) -> Features:
    word = base(correction.original)
    place = evidence.known.index(word) or 0
    rare = log2(max(place / FREQUENT, 1))
    pairs = _pairs(evidence, text, correction)
    return {
        "better_pair": max(pairs),
        "worse_pair": min(pairs),
        "repeated": log2(max(evidence.words[word], 1)) * (place >= RARE),
        "code": (word in evidence.code) * rare,
        "glued": float(_is_glued(text, correction)),
    }


def _pairs(evidence: Evidence, text: str, correction: Correction) -> tuple[float, float]:
    """How much oftener a word occurs beside each neighbour than its replacement does."""
    before, after = neighbours(text, correction.start, correction.end)
    word, other = correction.original.lower(), correction.replacement.lower()
    count = evidence.pairs.count

    def oftener(own: int, others: int) -> float:
        elsewhere = max(own - 1, 0)
        return min(log2((elsewhere + SMOOTHING) / (others + SMOOTHING)), MOST)

    return (
        oftener(count(before, word), count(before, other)),
        oftener(count(word, after), count(other, after)),
    )


def _foreign(evidence: Evidence, text: str, correction: Correction) -> float:
    """How many of ten words nearby are unknown, beyond the share that typing errors reach."""
    before = text[max(0, correction.start - NEARBY) : correction.start]
    after = text[correction.end : correction.end + NEARBY]
    words = _WORD.findall(f"{before} {after}")
    unknown = sum(base(word) not in evidence.known and not word_class(word) for word in words)
    return 10 * max(unknown / max(len(words), 4) - TYPING_ERRORS, 0)


def _is_form_of_a_term(evidence: Evidence, correction: Correction) -> bool:
    """Whether a word would be replaced by its own plural or singular, which is a term."""
    term = base(correction.replacement)
    return term not in evidence.known and term in inflections(base(correction.original))


def _is_glued(text: str, correction: Correction) -> bool:
    """Whether a word is part of a chain such as *nd/fix-path* or *process(es)*."""
    before = text[max(0, correction.start - 2) : correction.start]
    after = text[correction.end : correction.end + 2]
    return bool(_GLUE_BEFORE.fullmatch(before) or _GLUE_AFTER.fullmatch(after))


def _probability(odds: float) -> float:
    return 1 / (1 + exp(-odds))


def log_odds(probability: float) -> float:
    """The log odds of a probability, within bounds."""
    probability = min(max(probability, CERTAIN), 1 - CERTAIN)
    return log(probability / (1 - probability))
