"""The frame in which a word is read that stands alone: models learn from sentences."""

from collections.abc import Sequence

from respell.features import WILD, Ints
from respell.text import TITLE
from respell.types import Token

_NOWHERE = -1
BEFORE = (
    Token(_NOWHERE, "the", "name"),
    Token(_NOWHERE, "word", "name"),
    Token(_NOWHERE, '"', "mark"),
)
BEHIND = (Token(_NOWHERE, '"', "mark"), Token(_NOWHERE, ".", "mark"))
"""Of kinds that are never corrected, at a place where no text is."""
LENGTH = len(BEFORE) + 1 + len(BEHIND)


def lone_word(tokens: Sequence[Token]) -> Token | None:
    """The token that has nothing but marks beside it, if there is one."""
    others = [token for token in tokens if token.kind != "mark"]
    return others[0] if len(others) == 1 else None


def is_framed(tokens: Sequence[Token]) -> bool:
    """Whether a sentence is a frame and the word in it."""
    return bool(tokens) and tokens[0] == BEFORE[0]


def uncapitalize(sentences: Sequence[Sequence[Token]], shapes: Ints) -> None:
    """Have lone words read in small letters: in a heading or a cell a capital says nothing."""
    place = len(BEFORE)
    for tokens, row in zip(sentences, shapes, strict=True):
        if is_framed(tokens) and row[place] % WILD == TITLE:
            row[place] -= TITLE
