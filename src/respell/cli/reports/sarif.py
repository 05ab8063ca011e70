"""Findings as SARIF 2.1.0."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from respell.cli.reports.finding import Finding, message

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(findings: Iterable[Finding], *, version: str = "") -> Iterator[str]:
    """One SARIF 2.1.0 document, written as the findings come."""
    driver: dict[str, Any] = {
        "name": "respell",
        "rules": [{"id": "misspelling", "shortDescription": {"text": "Misspelled word"}}],
    }
    if version:
        driver["version"] = version
    yield f'{{"$schema": "{_SCHEMA}", "version": "2.1.0", "runs": [{{'
    yield f'"tool": {json.dumps({"driver": driver})}, "columnKind": "unicodeCodePoints", '
    yield '"results": ['
    separator = "\n"
    for found in findings:
        yield separator + json.dumps(_sarif_result(found), ensure_ascii=False)
        separator = ",\n"
    yield "\n]}]}\n"


def _sarif_result(found: Finding) -> dict[str, Any]:
    from urllib.parse import quote  # imported here because no other format needs it

    correction = found.correction
    artifact = {"uri": quote(found.path.replace("\\", "/"), errors="surrogateescape")}
    region = {
        "startLine": found.line,
        "startColumn": found.column,
        "endColumn": found.column + len(correction.original),
        "charOffset": found.start,
        "charLength": len(correction.original),
    }
    return {
        "ruleId": "misspelling",
        "level": "warning",
        "message": {"text": message(correction)},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
        "fixes": [
            {
                "description": {"text": f"Replace with “{suggestion.text}”"},
                "artifactChanges": [
                    {
                        "artifactLocation": artifact,
                        "replacements": [
                            {"deletedRegion": region, "insertedContent": {"text": suggestion.text}}
                        ],
                    }
                ],
            }
            for suggestion in correction.suggestions
        ],
    }
