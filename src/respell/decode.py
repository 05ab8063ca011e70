"""What the model says of a batch, turned into corrections."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import NamedTuple

from respell.capitals import capitalize
from respell.features import PRONOUN, FormStyle, TopK, form
from respell.frame import is_framed
from respell.lexicon import Lexicon
from respell.text import LOWER, MIXED, TITLE, UPPER, reshape, shape, transfer_case
from respell.types import Correction, Error, Suggestion, Token

_CERTAIN = 1e-7
# Three of most consonants are as likely a key that was held too long: willl.
_STRETCHED = re.compile(r"([aehiouy])\1\1|([mrz])\2\2$|([a-z])\3\3\3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A line through log odds: how far to believe the model that a word is wrong.

    Which word is meant instead it knows well: a suggestion keeps its share of what is believed.
    """

    slope: float = 1.0
    shift: float = 0.0

    def score(self, probability: float, wrong: float) -> float:
        """What to believe of a suggestion of a word that is wrong with some probability."""
        if self == IDENTITY:
            return probability
        return self.apply(wrong) * min(probability / wrong, 1.0) if wrong > 0 else 0.0

    def apply(self, wrong: float) -> float:
        """What to believe of the probability that a word is wrong; no suggestion scores higher."""
        return wrong if self == IDENTITY else self._line(wrong, self.slope, self.shift)

    def undo(self, score: float) -> float:
        """The probability of being wrong that is believed so far."""
        if self == IDENTITY:
            return score
        return self._line(score, 1 / self.slope, -self.shift / self.slope)

    @staticmethod
    def _line(share: float, slope: float, shift: float) -> float:
        if share <= 0.0:  # what is impossible, and a threshold of nothing, remain so
            return 0.0
        share = min(max(share, _CERTAIN), 1 - _CERTAIN)
        odds = slope * log(share / (1 - share)) + shift
        return 1 / (1 + exp(-odds)) if odds > 0 else exp(odds) / (1 + exp(odds))


IDENTITY = Calibration()


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a ranking becomes a decision."""

    threshold: float
    unlisted: float = 1.0
    """Where lower, the threshold of words in small letters that the lexicon lacks."""
    restore_case: bool
    """Text so noisy that the case of a word is in doubt, and a single letter may be any word."""
    max_suggestions: int
    dictionary: frozenset[str]
    """Lower-case words that are right wherever they stand."""
    style: FormStyle
    calibration: Calibration = IDENTITY
    sure: float = 0.0
    """Above 0: corrections of at least this score are written in, and the rest is read again."""
    told: float = 1.0
    """Below 1: heavily corrupted text is read as ordinary text too, and believed to this share."""
    new_words: Mapping[str, str] = field(default_factory=dict)
    """What the model ranks behind its lexicon, in this order: form -> as the user writes it."""
    listed: Mapping[str, str] = field(default_factory=dict)
    """Words of the lexicon that the user writes with capitals: form -> as the user writes it."""
    capitals: Mapping[str, str] = field(default_factory=dict)
    """Words of the lexicon with capitals of their own: form -> as people write it."""
    stretches: bool = False
    """Words may be drawn out on purpose: sooo, yesssss."""

    @property
    def lowest(self) -> float:
        """The threshold that no correction stays below."""
        return min(self.threshold, self.unlisted)

    def threshold_of(self, word: str, lexicon: Lexicon) -> float:
        """The least score of a correction of a word."""
        return self.lowest if is_unlisted(word, lexicon) else self.threshold

    def knows(self, word: str) -> bool:
        """Whether a word, in whatever case, is right wherever it stands."""
        spelling = form(word)
        return spelling in self.dictionary or (
            self.stretches and _STRETCHED.search(spelling) is not None
        )


def is_unlisted(word: str, lexicon: Lexicon) -> bool:
    """Whether a word is in small letters, so hardly a name, and the lexicon lacks it."""
    return len(word) > 1 and shape(word) == LOWER and form(word) not in lexicon


def decode(
    sentences: Sequence[Sequence[Token]], topk: TopK, lexicon: Lexicon, policy: Policy
) -> list[list[Correction]]:
    """Corrections of each sentence, in the order of its tokens."""
    new_words = tuple(policy.new_words)
    count = len(lexicon) + len(new_words)
    if topk.ids.size and not 0 <= topk.ids.min() <= topk.ids.max() < count:
        raise Error(f"the model names words outside its lexicon of {len(lexicon)}")

    def name(index: int) -> str:
        return lexicon.words[index] if index < len(lexicon) else new_words[index - len(lexicon)]

    found: list[list[Correction]] = [[] for _ in sentences]
    length = topk.keep.shape[1]
    for row, position in enumerate(topk.positions.tolist()):
        i, j = divmod(position, length)
        if j >= len(sentences[i]):
            continue
        token = sentences[i][j]
        if token.kind != "word" or policy.knows(token.text):
            continue
        ranked = zip(topk.ids[row].tolist(), topk.probabilities[row].tolist(), strict=True)
        words = [(name(index), probability) for index, probability in ranked]
        lone = is_framed(sentences[i])  # what is around it tells nothing of its case or its text
        place = _Place(
            wanted=shape(token.text) if lone else int(topk.cases[row]),
            flat=_is_flat(sentences[i]),
            wrong=1 - float(topk.keep[i, j]),
            threshold=policy.threshold if lone else policy.threshold_of(token.text, lexicon),
        )
        correction = _correct(token, words, place, policy)
        if correction is not None:
            found[i].append(correction)
    for corrections in found:
        corrections.sort(key=lambda c: c.start)
    return found


class _Place(NamedTuple):
    """What is known of a word besides what may stand there."""

    wanted: int
    """The case shape that the model prefers."""
    flat: bool
    """There are no capitals in the sentence."""
    wrong: float
    """The probability that it is not as it should be."""
    threshold: float
    """The least score of a correction."""


def _is_flat(sentence: Sequence[Token]) -> bool:
    return all(shape(token.text) == LOWER for token in sentence)


def _correct(
    token: Token, words: Sequence[tuple[str, float]], place: _Place, policy: Policy
) -> Correction | None:
    if _write(token.text, words[0][0], place, policy) == token.text:
        return None  # without KEEP, naming the word itself is how a model leaves it alone
    if policy.style == "lower" and not policy.restore_case:
        words = _as_people_write(token.text, words)
    suggestions: dict[str, float] = {}
    for word, probability in words:
        text = _write(token.text, word, place, policy)
        if text != token.text and _sayable(word, policy):
            suggestions.setdefault(text, probability)
    if not suggestions:
        return None
    best = next(iter(suggestions.values()))
    wrong = max(place.wrong, best)
    score = policy.calibration.score(best, wrong)
    if score < place.threshold:
        return None
    if score != best:  # the others keep their share of the first one's probability
        suggestions = {text: p / best * score for text, p in suggestions.items()}
    ranked = tuple(Suggestion(text, p) for text, p in suggestions.items())
    believed = policy.calibration.apply(wrong)
    return Correction(token.start, token.text, ranked[: policy.max_suggestions], score, believed)


def _as_people_write(
    original: str, words: Sequence[tuple[str, float]]
) -> Sequence[tuple[str, float]]:
    """What may be meant where noise is not wild."""
    if len(original) == 1:  # people write "i" for "I", but no letter for another word
        return [(word, p) for word, p in words[:1] if word == form(original)]
    return _negated(original, words)


_NEGATED = re.compile(
    r"(?:(?P<regular>(?:c|w|sh)ould|might|must|ha[ds]|did|does|is|are|was|were|need|ought)"
    r"n(?:'?t)?|(?P<irregular>ca|wo|do|sha|have)n'?t)(?P<have>'?ve)?"
)
_UNNEGATED = {"ca": "can", "wo": "will", "sha": "shall"}


def _negated(original: str, words: Sequence[tuple[str, float]]) -> Sequence[tuple[str, float]]:
    """A text must not come to mean the opposite: *cant* and *couldn* are not *can* and *could*.

    Such a word changes places with the negation, if that is among the others, or else is no choice.
    """
    found = _NEGATED.fullmatch(form(original))
    if found is None:
        return words
    stem = found["regular"] or found["irregular"]
    plain, negation = _UNNEGATED.get(stem, stem), f"{stem}n't"
    opposite = (plain, f"{plain}'ve")
    (first, most), *others = words
    shares = dict(others)
    if first not in opposite:
        return words
    if negation not in shares or found["have"]:
        return [(word, p) for word, p in others if word not in opposite]
    rest = [(word, p) for word, p in others if word != negation]
    return sorted([(negation, most), (first, shares[negation]), *rest], key=lambda one: -one[1])


def _sayable(word: str, policy: Policy) -> bool:
    """Only words are suggested; the paper's models may say marks and numbers as well."""
    return policy.style == "exact" or (word[0].isalpha() and not any(c.isdigit() for c in word))


def _write(original: str, word: str, place: _Place, policy: Policy) -> str:
    """The suggested word as it should stand in the text."""
    if policy.style == "exact":
        return word
    written = _in_case(original.replace("\u2019", "'"), word, place, policy)
    return written.replace("'", "\u2019") if "\u2019" in original else written


def _in_case(original: str, word: str, place: _Place, policy: Policy) -> str:
    own = policy.listed.get(word) or policy.new_words.get(word, word)
    if shape(own) != LOWER:  # who lists a word with capitals means them
        return own.upper() if shape(original) == UPPER else own
    if word in PRONOUN:
        return reshape(word, UPPER if shape(original) == UPPER else TITLE)
    slipped = shape(original) == MIXED and word == form(original)  # nothing but its case is wrong
    if (policy.restore_case or slipped) and place.wanted != shape(original):
        written = reshape(word, place.wanted)
    else:
        written = transfer_case(original, word)
    usual = policy.capitals.get(word)
    if usual is None:
        return written
    return capitalize(original, written, usual, place.wanted, flat=place.flat)
