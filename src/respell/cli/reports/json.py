"""TODO respell.cli.reports.json."""

import json
from collections.abc import Iterable, Iterator

from respell.cli.reports.finding import Finding, _unicode


def as_json(findings: Iterable[Finding]) -> Iterator[str]:
    """JSON Lines: one object a finding."""
    for found in findings:
        correction = found.correction
        value = {
            "path": _unicode(found.path),
            "line": found.line,
            "column": found.column,
            "start": found.start,
            "end": found.start + len(correction.original),
            "original": correction.original,
            "suggestions": [
                {"text": s.text, "probability": s.probability} for s in correction.suggestions
            ],
            "score": correction.score,
        }
        yield json.dumps(value, ensure_ascii=False) + "\n"
