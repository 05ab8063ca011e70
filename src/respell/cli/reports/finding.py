"""Findings: corrections with their place in a file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from respell.types import SPACING, Correction

_PROBLEMS = {
    "nonword": "unknown word",
    "realword": "may be the wrong word",
    "variant": "is the other spelling variant",
    "split": "should be two words",
    "join": "should be one word",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A correction and its place; lines and columns count from 1, `start` from 0.

    `start` counts all code points of the file; a byte order mark takes no column. `block` is the
    text around the correction, whose own `start` counts from the start of the block.
    """

    path: str
    line: int
    column: int
    start: int
    correction: Correction
    block: str = field(default="", compare=False, repr=False)

    @property
    def place(self) -> str:
        """The start of a line of output: path, line and column."""
        return f"{self.path}:{self.line}:{self.column}"


class Locator:
    """Finds the places of corrections, given the consecutive blocks of one file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._line = 1
        self._line_start = 0  # offsets count from the start of the file
        self._offset = 0

    def locate(self, text: str, corrections: Iterable[Correction]) -> Iterator[Finding]:
        """Yield the findings of the next block; the block counts when all of them are read."""
        if self._offset == 0 and text.startswith("\ufeff"):
            self._line_start = 1
        seen = 0
        for correction in corrections:
            self._advance(text, seen, correction.start)
            seen, start = correction.start, self._offset + correction.start
            column = start - self._line_start + 1
            yield Finding(self._path, self._line, column, start, correction, text)
        self._advance(text, seen, len(text))
        self._offset += len(text)

    def _advance(self, text: str, seen: int, end: int) -> None:
        newline = text.rfind("\n", seen, end)
        if newline >= 0:
            self._line += text.count("\n", seen, end)
            self._line_start = self._offset + newline + 1


def locate(path: str, blocks: Iterable[tuple[str, Iterable[Correction]]]) -> Iterator[Finding]:
    """Find the place of each correction, given the consecutive blocks of a file."""
    locator = Locator(path)
    for text, corrections in blocks:
        yield from locator.locate(text, corrections)


def problem(correction: Correction) -> str:
    """What is wrong with the original, in a few words."""
    return _PROBLEMS.get(correction.kind, "may be misspelled")


def message(correction: Correction) -> str:
    """One sentence about a correction."""
    suggestions = ", ".join(suggestion.text for suggestion in correction.suggestions)
    if correction.kind in SPACING:
        return f"“{correction.original}” {problem(correction)}: {suggestions}"
    verb = "is an " if correction.kind == "nonword" else ""
    return f"“{correction.original}” {verb}{problem(correction)}; suggestions: {suggestions}"
