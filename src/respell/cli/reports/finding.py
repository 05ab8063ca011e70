"""Findings: corrections with their place in a file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from respell.types import Correction


@dataclass(frozen=True, slots=True)
class Finding:
    """A correction and its place; lines and columns count from 1, `start` from 0.

    `start` counts all code points of the file; a byte order mark takes no column.
    """

    path: str
    line: int
    column: int
    start: int
    correction: Correction


def locate(path: str, blocks: Iterable[tuple[str, Iterable[Correction]]]) -> Iterator[Finding]:
    """Find the place of each correction, given the consecutive blocks of a file."""
    line, offset, line_start = 1, 0, 0
    for text, corrections in blocks:
        if offset == 0 and text.startswith("\ufeff"):
            line_start = 1
        seen = 0
        for correction in corrections:
            line, line_start = _advance(text, seen, correction.start, offset, line, line_start)
            seen, start = correction.start, offset + correction.start
            yield Finding(path, line, start - line_start + 1, start, correction)
        line, line_start = _advance(text, seen, len(text), offset, line, line_start)
        offset += len(text)


def _advance(
    text: str, seen: int, end: int, offset: int, line: int, line_start: int
) -> tuple[int, int]:
    """The line number at `end` of a block, and the offset in the file where that line starts."""
    newline = text.rfind("\n", seen, end)
    if newline < 0:
        return line, line_start
    return line + text.count("\n", seen, end), offset + newline + 1


def message(correction: Correction) -> str:
    """One sentence about a correction."""
    suggestions = ", ".join(suggestion.text for suggestion in correction.suggestions)
    problem = "may be the wrong word" if correction.kind == "realword" else "is an unknown word"
    return f"“{correction.original}” {problem}; suggestions: {suggestions}"
