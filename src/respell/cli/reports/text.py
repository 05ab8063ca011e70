"""Findings as lines of text."""

import os
import shutil
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TextIO

from respell.cli.reports.finding import Finding, problem

_RED, _GREEN, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[0m"
_INDENT = "  "


def color_wanted(stream: TextIO) -> bool:
    """Whether to write colours: only to a terminal, and not if NO_COLOR is set."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream.isatty()


def as_text(
    findings: Iterable[Finding], *, color: bool = False, source: bool = False
) -> Iterator[str]:
    """`path:line:column: word → suggestion (score) problem`, one line per finding.

    With `source`, the line of the file follows, with carets below the word.
    """
    width = shutil.get_terminal_size().columns if source else 0
    for found in findings:
        yield describe(found, color=color) + "\n"
        if source:
            yield excerpt(found, width)


def describe(found: Finding, *, color: bool = False) -> str:
    """The line of a finding."""
    red, green, plain = (_RED, _GREEN, _PLAIN) if color else ("", "", "")
    correction = found.correction
    return (
        f"{found.place}: {red}{correction.original}{plain} → "
        f"{green}{correction.replacement}{plain} ({correction.score:.2f}) {problem(correction)}"
    )


def excerpt(found: Finding, width: int) -> str:
    """The line of a file around a finding, and carets below the word. A long line is cut."""
    text, start, end = found.block, found.correction.start, found.correction.end
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last
    room = max(width - len(_INDENT) - 2, 20)  # the line may be cut at both ends
    left, right = start - first, last - end
    if last - first > room:
        spare = max(room - (end - start), 0)
        left = min(left, max(spare // 2, spare - right))
        right = min(right, spare - left)
    before = "…" * (start - left > first) + _printable(text[start - left : start])
    word = _printable(text[start:end])
    behind = _printable(text[end : end + right]) + "…" * (end + right < last)
    before = before.lstrip()
    carets = " " * _columns(before) + "^" * max(_columns(word), 1)
    return f"{_INDENT}{(before + word + behind).rstrip()}\n{_INDENT}{carets}\n"


def _printable(text: str) -> str:
    """The text with spaces for tabs and control characters, which could move the cursor."""
    return "".join(character if character.isprintable() else " " for character in text)


def _columns(text: str) -> int:
    """The width of a text on a terminal."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)
