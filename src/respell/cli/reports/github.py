"""Findings as GitHub annotations."""

from collections.abc import Iterable, Iterator

from respell.cli.reports.finding import Finding, message


def as_github(findings: Iterable[Finding]) -> Iterator[str]:
    """Workflow commands that GitHub shows as warnings next to the lines."""
    for found in findings:
        end = found.column + len(found.correction.original)
        place = f"file={_property(found.path)},line={found.line},col={found.column}"
        text = _data(message(found.correction))
        yield f"::warning {place},endColumn={end},title=respell::{text}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
