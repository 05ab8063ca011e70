"""Findings as lines of text."""

import os
from collections.abc import Iterable, Iterator
from typing import TextIO

from respell.cli.reports.finding import Finding


def color_wanted(stream: TextIO) -> bool:
    """Whether to write colours: only to a terminal, and not if NO_COLOR is set."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream.isatty()


def as_text(findings: Iterable[Finding], *, color: bool = False) -> Iterator[str]:
    """`path:line:column: word → suggestion (score)`, one line per finding."""
    red, green, plain = ("\x1b[31m", "\x1b[32m", "\x1b[0m") if color else ("", "", "")
    for found in findings:
        correction = found.correction
        yield (
            f"{found.path}:{found.line}:{found.column}: {red}{correction.original}{plain} → "
            f"{green}{correction.replacement}{plain} ({correction.score:.2f})\n"
        )
