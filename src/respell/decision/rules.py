"""Rules for text that people have written: single letters, negations, drawn-out words."""

import re
from collections.abc import Sequence

from respell.model.encode import normalize

Ranked = Sequence[tuple[str, float]]
"""Words and their probabilities, best first."""
# Three equal consonants are as likely a key held too long, as in willl: for most it takes four.
_ELONGATED = re.compile(r"([aehiouy])\1\1|([mrz])\2\2$|([a-z])\3\3\3")
_NEGATED = re.compile(
    r"(?:(?P<regular>(?:c|w|sh)ould|might|must|ha[ds]|did|does|is|are|was|were|need|ought)"
    r"n(?:'?t)?|(?P<irregular>ca|wo|do|sha|have)n'?t)(?P<have>'?ve)?"
)
_PLAIN = {"ca": "can", "wo": "will", "sha": "shall"}


def is_elongated(normalized: str) -> bool:
    """Whether a word is drawn out on purpose: sooo, yesssss."""
    return _ELONGATED.search(normalized) is not None


def limit_to_light_errors(original: str, words: Ranked) -> Ranked:
    """Drop words that people do not mean when they write `original`."""
    if len(original) == 1:  # people write "i" for "I", but no letter for another word
        return [(word, p) for word, p in words[:1] if word == normalize(original)]
    return keep_negation(original, words)


def keep_negation(original: str, words: Ranked) -> Ranked:
    """Never turn a text into its opposite: *cant* and *couldn* do not become *can* and *could*.

    If the first word drops the negation, it changes places with the negated form. If that form is
    not among the words, or *have* follows, the words without negation are dropped.
    """
    found = _NEGATED.fullmatch(normalize(original))
    if found is None:
        return words
    stem = found["regular"] or found["irregular"]
    plain, negation = _PLAIN.get(stem, stem), f"{stem}n't"
    opposite = (plain, f"{plain}'ve")
    (first, most), *others = words
    shares = dict(others)
    if first not in opposite:
        return words
    if negation not in shares or found["have"]:
        return [(word, p) for word, p in others if word not in opposite]
    rest = [(word, p) for word, p in others if word != negation]
    return sorted([(negation, most), (first, shares[negation]), *rest], key=lambda one: -one[1])
