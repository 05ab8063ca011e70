"""The values everything in respell speaks: tokens, suggestions, corrections, examples."""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["word", "mark", "number", "name", "code"]
"""What a token is: only a "word" may be corrected.

"mark" is punctuation, "number" holds a digit, "name" is an acronym (seen by the model, kept),
"code" is a URL, path, identifier and the like (opaque to the model, kept).
"""

PRESETS = ("default", "noisy", "careful")
"""The operating points that every shipped model has."""


class Error(Exception):
    """The one exception respell raises for bad input; its message is one plain line."""


@dataclass(frozen=True, slots=True)
class Token:
    """A slice of a text; `start` counts code points."""

    start: int
    text: str
    kind: Kind = "word"

    @property
    def end(self) -> int:
        """One past the last code point."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One replacement and the probability that it is the right one."""

    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class Correction:
    """A misspelled slice of a text and what to write instead, best first.

    `score` is the probability that the first suggestion is right, `wrong` that the original is not.
    """

    start: int
    original: str
    suggestions: tuple[Suggestion, ...]
    score: float
    wrong: float = field(default=1.0, compare=False)

    @property
    def end(self) -> int:
        """One past the last code point of the original."""
        return self.start + len(self.original)


@dataclass(frozen=True, slots=True)
class Example:
    """A text with its gold corrections."""

    text: str
    corrections: tuple[Correction, ...] = ()
