"""Values shared by all of respell: tokens, suggestions, corrections, and the one exception."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

TokenKind = Literal["word", "mark", "number", "name", "code"]
"""Only a "word" can be corrected.

"mark" is punctuation; "number" contains a digit; "name" is an acronym or similar, which the model
reads but never changes; "code" is a URL, a path or an identifier, which the model does not read.
"""
CorrectionKind = Literal["nonword", "realword", "variant", "split", "join"]
"""An unknown word, a known word in the wrong place, a spelling of the other variant, two words that
are run together, or one word that is pulled apart."""
SPACING: tuple[CorrectionKind, ...] = ("split", "join")
"""The kinds of corrections that add or remove a blank."""
VARIANTS = ("auto", "en-GB", "en-US")
"""The spelling variants. With "auto" suggestions follow the document, and neither is reported."""

PRESETS = ("default", "noisy", "careful")
"""The presets that every shipped model has."""


class Error(Exception):
    """The one exception that respell raises for bad input. Its message is one line."""


@dataclass(frozen=True, slots=True)
class Token:
    """A slice of a text; `start` counts code points."""

    start: int
    text: str
    kind: TokenKind = "word"

    @property
    def end(self) -> int:
        """The offset after the last code point."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A replacement and the probability that it is the right one."""

    text: str
    probability: float

    def to_dict(self) -> dict[str, Any]:
        """The suggestion as a JSON object."""
        return {"text": self.text, "probability": self.probability}


@dataclass(frozen=True, slots=True)
class Correction:
    """A misspelled slice of a text with suggested replacements, the best first.

    `score` is the probability that the first suggestion is right. `error_probability` is the
    probability that the original is wrong.
    """

    start: int
    original: str
    suggestions: tuple[Suggestion, ...]
    score: float
    error_probability: float = field(default=1.0, compare=False)
    kind: CorrectionKind = field(default="nonword", compare=False)
    automatic: bool = field(default=True, compare=False)
    """Whether the replacement is sure enough to be written without asking."""

    @property
    def end(self) -> int:
        """The offset after the last code point of the original."""
        return self.start + len(self.original)

    @property
    def replacement(self) -> str:
        """The first suggestion."""
        return self.suggestions[0].text

    def to_dict(self) -> dict[str, Any]:
        """The correction as a JSON object."""
        return {
            "start": self.start,
            "end": self.end,
            "original": self.original,
            "replacement": self.replacement,
            "suggestions": [suggestion.to_dict() for suggestion in self.suggestions],
            "kind": self.kind,
            "error_probability": self.error_probability,
            "score": self.score,
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the model says about one word, whether or not it would correct it.

    `keep` is the probability that the word is right; `candidates` are other words, the best first.
    """

    start: int
    original: str
    keep: float
    candidates: tuple[Suggestion, ...]


Answer_co = TypeVar("Answer_co", covariant=True)


class TextChecker(Protocol[Answer_co]):
    """Anything that checks many texts; `respell.Corrector` is one."""

    def check_many(self, texts: Iterable[str]) -> Iterator[Answer_co]:
        """Yield one answer per text, in order."""
