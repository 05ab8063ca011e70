"""Cut tokens into sentences."""

import itertools
import re
from collections.abc import Sequence

from respell.types import Token

_SENTENCE_END = re.compile(r"[.!?\u2026]+")
_CLOSING = frozenset("\"')]}\u2019\u201d")
_MAX_CLOSING = 8
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr st jr sr prof gen col lt sgt capt rev hon gov sen rep vs no inc ltd co corp "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)


def sentences(text: str, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Index ranges of the sentences; together they cover all tokens, in order."""
    cuts = [0]
    for i in range(1, len(tokens)):
        if _starts_sentence(text, tokens, i):
            cuts.append(i)
    cuts.append(len(tokens))
    return [(a, b) for a, b in itertools.pairwise(cuts) if a < b]


def _starts_sentence(text: str, tokens: Sequence[Token], i: int) -> bool:
    gap = text[tokens[i - 1].end : tokens[i].start]
    if not gap:
        return False
    if "\n" in gap and (gap.count("\n") > 1 or not tokens[i].text[0].isalpha()):
        return True
    if tokens[i].text[0].islower():
        return False
    j = i - 1
    while j > max(0, i - _MAX_CLOSING) and tokens[j].text in _CLOSING:
        j -= 1
    if not _SENTENCE_END.fullmatch(tokens[j].text):
        return False
    before = tokens[j - 1].text if j > 0 else ""
    abbreviated = tokens[j].text == "." and (before.lower() in _ABBREVIATIONS or len(before) == 1)
    return not abbreviated
