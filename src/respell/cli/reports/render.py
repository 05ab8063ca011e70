"""Choose the output format."""

from collections.abc import Iterable, Iterator

from respell.cli.reports.finding import Finding
from respell.cli.reports.github import as_github
from respell.cli.reports.json_lines import as_json
from respell.cli.reports.sarif import as_sarif
from respell.cli.reports.text import as_text

FORMATS = ("text", "json", "sarif", "github")


def render(
    form: str,
    findings: Iterable[Finding],
    *,
    color: bool = False,
    source: bool = False,
    version: str = "",
) -> Iterator[str]:
    """Write findings in one of FORMATS, piece by piece; colours and source lines are for text."""
    if form == "sarif":
        return as_sarif(findings, version=version)
    if form == "text":
        return as_text(findings, color=color, source=source)
    return {"json": as_json, "github": as_github}[form](findings)
