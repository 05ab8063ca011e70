"""Rules for heavily corrupted text that the caller has split into tokens.

In the `noisy` mode, a token that would otherwise be code, a number or markup may be a misspelled
word: *any_one*, *0f*, *th?*. These rules were written for the paper's sentences, where they were
measured.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from respell.text.words import APOSTROPHE, CLITICS, is_contraction_in_s

_ODD = re.compile(
    r"[A-Za-z]+(?:_[A-Za-z]+)+ | \[\[[A-Za-z]+ | (?=[A-Za-z]*0)(?=0*[A-Za-z])[A-Za-z0]+", re.VERBOSE
)
# Words that cannot take a possessive: an apostrophe after one of them is an error.
_NO_POSSESSIVE = (
    "i|me|my|you|your|he|him|his|she|her|hers|it|its|we|us|our|they|them|their|this|thi|these|hi|"
    "am|is|are|was|were|be|do|does|did|has|have|had|will|would|can|could|not|say|says|go|goes|got|"
    "always?|the|and|or|but|if|so|to|of|in|on|at|by|for|from|with"
)
# Short words that may end a question. After other short tokens, "?" stands for a lost letter.
_SHORT = "a|i|am|an|as|at|be|by|do|go|he|hi|if|in|is|it|me|my|no|of|oh|ok|on|or|so|to|up|us|we"
_ODD_MARKS = re.compile(
    rf"""
    (?:[a-z]{{1,2}}|(?i:{_NO_POSSESSIVE})){APOSTROPHE}[sS]          # i's, not's, but Ann's
  | (?:[A-Za-z]*[A-RT-Za-rt-z]|(?i:{_NO_POSSESSIVE})){APOSTROPHE}   # its', but workers'
  | [A-Za-z]+\?[A-Za-z]+ | (?!(?i:{_SHORT})\?)[A-Za-z]{{1,2}}\?     # ex?iting, th?
  | [a-z][A-Z][a-z]+                                                # tThe
  | [0-9][A-Za-z]{{3,}} | [A-Za-z]{{2,}}[0-9][A-Za-z]+              # 5the, th3re
    """,
    re.VERBOSE,
)
_POSSESSIVE = re.compile(rf"[A-Za-z]+{APOSTROPHE}[sS]?")
_CLITIC = re.compile(rf"(?i:{APOSTROPHE}(?:{CLITICS})|n{APOSTROPHE}t)")


class Splitting(NamedTuple):
    """What the caller has split off words: punctuation marks, clitics such as 's."""

    marks: bool
    clitics: bool

    @classmethod
    def of(cls, words: Sequence[str]) -> "Splitting":
        """Detect it from the tokens of a sentence."""
        marks = any(word and not any(map(str.isalnum, word)) for word in words)
        return cls(marks, marks and any(map(_CLITIC.fullmatch, words)))


EVERYTHING = Splitting(marks=True, clitics=True)


def is_noisy_word(token: str, splitting: Splitting = EVERYTHING) -> bool:
    """Whether a token of heavily corrupted text may be a misspelled word: any_one, 0f, [[the.

    If marks and clitics are split off, those inside a token are errors: th?, not's, same's.
    """
    if _ODD.fullmatch(token):
        return True
    odd = (splitting.marks and _ODD_MARKS.fullmatch(token)) or (
        splitting.clitics and _POSSESSIVE.fullmatch(token)
    )
    return bool(odd) and not is_contraction_in_s(token)
