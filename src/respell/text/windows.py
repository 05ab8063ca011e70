"""Windows: the tokens that the model reads together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from respell.types import Token

_OUTSIDE = -1  # the offset of tokens that are not in the text
_BEFORE = (
    Token(_OUTSIDE, "the", "name"),
    Token(_OUTSIDE, "word", "name"),
    Token(_OUTSIDE, '"', "mark"),
)
_AFTER = (Token(_OUTSIDE, '"', "mark"), Token(_OUTSIDE, ".", "mark"))
CARRIER_LENGTH = len(_BEFORE) + 1 + len(_AFTER)
"""Tokens of a carrier sentence, the lone word included."""


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens that the model reads together.

    Only the tokens from `first` to before `last` are judged; the others are context. `owner` is
    the number of the text that the window belongs to. `lone` marks a carrier sentence.
    """

    owner: int
    tokens: Sequence[Token]
    first: int
    last: int
    lone: bool = False
    """The window is a carrier sentence around one word, which is the only token of the text."""


def cut(owner: int, tokens: Sequence[Token], length: int) -> Iterator[Window]:
    """A sentence as one window or, if it is too long, as windows that overlap by a quarter."""
    margin = length // 8
    start = 0
    while True:
        end = min(start + length, len(tokens))
        first = margin if start else 0
        last = length - margin if end < len(tokens) else end - start
        yield Window(owner, tokens[start:end], first, last)
        if end == len(tokens):
            return
        start += max(1, length - 2 * margin)


def in_carrier_sentence(window: Window) -> Window:
    """Put a word that stands alone into the sentence *the word "…" .*

    Models learn from sentences: alone, a word would be read as a sentence of one word. Marks
    around the word are dropped. Other windows stay as they are.
    """
    words = [token for token in window.tokens if token.kind != "mark"]
    if len(words) != 1 or words[0] not in window.tokens[window.first : window.last]:
        return window
    place = len(_BEFORE)
    tokens = (*_BEFORE, words[0], *_AFTER)
    return replace(window, tokens=tokens, first=place, last=place + 1, lone=True)
