"""Words that look like numbers or code: with digits (*he11o*) or stray capitals (*becFame*)."""

import re

from respell.model.lexicon import Lexicon
from respell.text.words import plain_letters
from respell.types import Token

_STRAY_CAPITAL = re.compile(r"[A-Za-z][a-z]+[A-Z][a-z]*|[a-z][A-Z][a-z]+")
_PART = re.compile("[A-Z]?[a-z]+|[A-Z]")


def is_hidden_word(token: Token, lexicon: Lexicon, *, noisy: bool) -> bool:
    """Whether a number or code is more likely a misspelled word.

    Digits count if the letters that they look like make a word of the lexicon. Capitals count in
    heavily corrupted text only, and not if all parts are words, as in *getName*.
    """
    lower = token.text.lower()
    if token.kind == "number":
        plain = plain_letters(lower)
        return plain != lower and plain in lexicon
    if noisy and token.kind == "code" and _STRAY_CAPITAL.fullmatch(token.text):
        parts = [part.lower() for part in _PART.findall(token.text)]
        return lower not in lexicon and not all(part in lexicon for part in parts)
    return False
