"""Windows: the tokens that the model reads together."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from respell.types import Token

_OUTSIDE = -1  # the offset of tokens that are not in the text
_BEFORE = (
    Token(_OUTSIDE, "the", "name"),
    Token(_OUTSIDE, "word", "name"),
    Token(_OUTSIDE, '"', "mark"),
)
_AFTER = (Token(_OUTSIDE, '"', "mark"), Token(_OUTSIDE, ".", "mark"))
BATCH_WORDS = 768
"""Words, padding included, that go through the model at once."""
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
    text: str | None = None
    """The text that the offsets of the tokens count in; None if the caller has split it."""


def cut(
    owner: int, tokens: Sequence[Token], length: int, *, text: str | None = None
) -> Iterator[Window]:
    """A sentence as one window or, if it is too long, as windows that overlap by a quarter."""
    margin = length // 8
    start = 0
    while True:
        end = min(start + length, len(tokens))
        first = margin if start else 0
        last = length - margin if end < len(tokens) else end - start
        yield Window(owner, tokens[start:end], first, last, text=text)
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


def batches(windows: Iterable[Window]) -> Iterator[list[Window]]:
    """Windows of similar length together, in batches of about BATCH_WORDS words."""
    batch: list[Window] = []
    for window in sorted(windows, key=lambda window: len(window.tokens)):
        if batch and (len(batch) + 1) * len(window.tokens) > BATCH_WORDS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def partition(
    windows: Iterable[Window], wanted: Callable[[Window], bool]
) -> tuple[list[Window], list[Window]]:
    """The windows that are not wanted, and those that are."""
    both: tuple[list[Window], list[Window]] = ([], [])
    for window in windows:
        both[wanted(window)].append(window)
    return both
