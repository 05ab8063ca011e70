"""Findings as JSON Lines."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from respell.cli.reports.finding import Finding


def as_json(findings: Iterable[Finding]) -> Iterator[str]:
    """One JSON object per finding; offsets count code points of the file."""
    for found in findings:
        place = {"path": _printable(found.path), "line": found.line, "column": found.column}
        correction = replace(found.correction, start=found.start)
        value = {**place, **correction.to_dict(), "automatic": correction.automatic}
        yield json.dumps(value, ensure_ascii=False) + "\n"


def _printable(path: str) -> str:
    """A path with replacement characters for bytes that are not UTF-8."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
