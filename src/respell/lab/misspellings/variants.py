"""Recognise variant spellings of one word that are both correct, such as British and American."""

import re
from collections.abc import Container, Mapping, Sequence

_RULES = (
    (re.compile(r"our"), "or"),
    (re.compile(r"is(?=(e|ed|es|er|ers|ing|ation|ations|able)$)"), "iz"),
    (re.compile(r"ys(?=(e|ed|es|er|ers|ing)$)"), "yz"),
    (re.compile(r"re(?=s?$)"), "er"),
    (re.compile(r"ll"), "l"),
    (re.compile(r"c(?=e(s|d|less)?$)"), "s"),
    (re.compile(r"ogue(?=s?$)"), "og"),
    (re.compile(r"[ao]e"), "e"),
    (re.compile(r"(?<=g)e(?=ment)"), ""),
    (re.compile(r"mme(?=s?$)"), "m"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"que(?=s?$)"), "ck"),
    (re.compile(r"(?<=[a-z]{3})t(?=s?$)"), "ed"),  # learnt, spelt
)


def same_word(a: str, b: str) -> bool:
    """Whether two lower-case spellings are variants of one word."""
    return _canonical(a) == _canonical(b)


def without_variants(
    pairs: Mapping[str, Sequence[str]], lexicon: Container[str]
) -> dict[str, list[str]]:
    """Drop pairs whose misspelling is a variant of the word, if the variant is in the lexicon."""
    kept = {
        word: [s for s in spellings if s not in lexicon or not same_word(word, s)]
        for word, spellings in pairs.items()
    }
    return {word: spellings for word, spellings in kept.items() if spellings}


def _canonical(word: str) -> str:
    for pattern, plain in _RULES:
        word = pattern.sub(plain, word)
    return word
