"""British and American spellings of words.

The table is variants.txt; `python benchmarks/variant_table.py` builds it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from respell.text.case import transfer_case
from respell.types import Correction, Suggestion, Token

Variant = Literal["en-GB", "en-US"]

TABLE = Path(__file__).parent / "variants.txt"

_MIN_EVIDENCE = 3
_MAX_PER_WORD = 3
"""A document may repeat one word, such as a name with *Center*, many times."""
_MIN_RATIO = 5
_ENDINGS = ("'s", "\u2019s", "'S", "\u2019S", "'", "\u2019")
"""Of possessives."""


class _Table(NamedTuple):
    american: dict[str, str]
    """American spellings by British ones."""
    british: dict[str, str]
    """British spellings by American ones."""
    accepted: frozenset[str]
    """Spellings of one variant that are accepted in the other, too."""


def variant_of(word: str) -> Variant | None:
    """The variant whose spelling this is, or None if it is accepted in both.

    *colour* is British and *color* American. *organise* is British, but *organize* is accepted in
    both.
    """
    table, form = _table(), _stem(word)[0]
    if form in table.accepted:
        return None
    if form in table.american:
        return "en-GB"
    return "en-US" if form in table.british else None


def other_spelling(word: str) -> str | None:
    """The word in the spelling of the other variant, in the same case; None if it has none."""
    table, (form, ending) = _table(), _stem(word)
    other = table.american.get(form) or table.british.get(form)
    return transfer_case(word[: len(form)], other) + ending if other else None


def to_variant(word: str, variant: Variant) -> str:
    """The word in the usual spelling of a variant, in the same case.

    The word is unchanged if both variants spell it alike, or if it is not in the table. The usual
    British spelling is *organise*, though *organize* is accepted: ask `variant_of` first whether a
    word needs a change at all.
    """
    table = _table()
    forms = table.american if variant == "en-US" else table.british
    return other_spelling(word) or word if _stem(word)[0] in forms else word


def detect(counts: Mapping[str, int]) -> Variant | None:
    """The variant of a document, by the counts of its words; None if undecided or mixed."""
    evidence = {"en-GB": 0, "en-US": 0}
    for word, count in counts.items():
        if variant := variant_of(word):
            evidence[variant] += min(count, _MAX_PER_WORD)
    british, american = evidence["en-GB"], evidence["en-US"]
    if british >= max(_MIN_EVIDENCE, _MIN_RATIO * american):
        return "en-GB"
    return "en-US" if american >= max(_MIN_EVIDENCE, _MIN_RATIO * british) else None


def in_variant(correction: Correction, variant: Variant | None) -> Correction | None:
    """A correction with its suggestions in the spelling of a variant, if there is one.

    None if the original is the spelling of the first suggestion in this variant.
    """
    if variant is None:
        return correction
    suggestions: dict[str, Suggestion] = {}
    for suggestion in correction.suggestions:
        text = to_variant(suggestion.text, variant)
        suggestions.setdefault(text, Suggestion(text, suggestion.probability))
    if next(iter(suggestions)) == correction.original:
        return None
    suggestions.pop(correction.original, None)
    return replace(correction, suggestions=tuple(suggestions.values()))


def other_variant(token: Token, variant: Variant) -> Iterator[Correction]:
    """A correction of a word that is spelled as in the other variant."""
    if variant_of(token.text) not in (None, variant):
        suggestion = Suggestion(to_variant(token.text, variant), 1.0)
        yield Correction(token.start, token.text, (suggestion,), 1.0, 1.0, "variant")


def _stem(word: str) -> tuple[str, str]:
    """The word in lower case without a possessive ending, and the ending."""
    for ending in _ENDINGS:
        if word.endswith(ending):
            return word[: -len(ending)].lower(), ending
    return word.lower(), ""


@cache
def _table() -> _Table:
    words = TABLE.read_text(encoding="utf-8").partition("\n\n")[2].split()
    british, american, accepted = words[0::3], words[1::3], words[2::3]
    return _Table(
        dict(zip(british, american, strict=True)),
        dict(zip(american, british, strict=True)),
        frozenset(
            us if mark == "us" else gb
            for gb, us, mark in zip(british, american, accepted, strict=True)
            if mark != "-"
        ),
    )
