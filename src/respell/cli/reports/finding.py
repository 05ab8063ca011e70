"""Findings as text, JSON Lines, SARIF or GitHub annotations, and changes as a unified diff."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from respell.types import Correction


@dataclass(frozen=True, slots=True)
class Finding:
    """A correction and where it stands; lines and columns count from 1, `start` from 0.

    `start` counts all code points of the file; a byte order mark takes no column.
    """

    path: str
    line: int
    column: int
    start: int
    correction: Correction


def locate(path: str, blocks: Iterable[tuple[str, Iterable[Correction]]]) -> Iterator[Finding]:
    """Tell where in the file each correction of its consecutive blocks stands."""
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
    """Move from `seen` to `end` of a block; give the line there and where in the file it starts."""
    newline = text.rfind("\n", seen, end)
    if newline < 0:
        return line, line_start
    return line + text.count("\n", seen, end), offset + newline + 1


def _message(found: Finding) -> str:
    suggestions = ", ".join(suggestion.text for suggestion in found.correction.suggestions)
    return f"“{found.correction.original}” looks misspelled; suggestions: {suggestions}"


def _unicode(path: str) -> str:
    """Make a path whose bytes are no UTF-8 fit for JSON."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
