"""Findings as text, JSON Lines, SARIF or GitHub annotations, and changes as a unified diff."""

import json
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

from respell.types import Correction

FORMATS = ("text", "json", "sarif", "github")

_CONTEXT = 3
_LONGEST_HUNK = 4096  # lines: what a diff holds in memory at most, if any line stays the same
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ODD = re.compile(r'[\x00-\x1f\x7f"\\]')  # what git escapes in the name of a file
_ESCAPES = {"\t": r"\t", "\n": r"\n", "\r": r"\r", '"': r"\"", "\\": r"\\"}
_NO_NEWLINE = "\n\\ No newline at end of file\n"


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


def color_wanted(stream: TextIO) -> bool:
    """Whether coloured text may be written: only to a terminal that can, and wants to, show it."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream.isatty()


def render(
    form: str, findings: Iterable[Finding], *, color: bool = False, version: str = ""
) -> Iterator[str]:
    """Write findings in one of `FORMATS`, piece by piece as they come."""
    if form == "sarif":
        return as_sarif(findings, version=version)
    if form == "text":
        return as_text(findings, color=color)
    return {"json": as_json, "github": as_github}[form](findings)


def as_text(findings: Iterable[Finding], *, color: bool = False) -> Iterator[str]:
    """`path:line:column: word → suggestion (probability)`, one a line."""
    red, green, plain = ("\x1b[31m", "\x1b[32m", "\x1b[0m") if color else ("", "", "")
    for found in findings:
        correction = found.correction
        yield (
            f"{found.path}:{found.line}:{found.column}: {red}{correction.original}{plain} → "
            f"{green}{correction.suggestions[0].text}{plain} ({correction.score:.2f})\n"
        )


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


def as_github(findings: Iterable[Finding]) -> Iterator[str]:
    """Workflow commands that GitHub shows as warnings beside the lines."""
    for found in findings:
        end = found.column + len(found.correction.original)
        place = f"file={_property(found.path)},line={found.line},col={found.column}"
        yield f"::warning {place},endColumn={end},title=respell::{_data(_message(found))}\n"


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
    from urllib.parse import quote  # here, because no other format needs it

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
        "message": {"text": _message(found)},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
        "fixes": [
            {
                "description": {"text": f"Replace by “{suggestion.text}”"},
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


def _message(found: Finding) -> str:
    suggestions = ", ".join(suggestion.text for suggestion in found.correction.suggestions)
    return f"“{found.correction.original}” looks misspelled; suggestions: {suggestions}"


def _unicode(path: str) -> str:
    """Make a path whose bytes are no UTF-8 fit for JSON."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def diff(path: str, blocks: Iterable[tuple[str, str]], *, color: bool = False) -> Iterator[str]:
    """Write the changes of consecutive (old, new) blocks of a file as a unified diff.

    Corrections neither add nor remove lines, so lines stand side by side and only the current
    hunk is held in memory.
    """
    red, green, plain = ("\x1b[31m", "\x1b[32m", "\x1b[0m") if color else ("", "", "")
    name = _name_in_diff(path)
    header = f"--- {_quoted(f'a/{name}')}\n+++ {_quoted(f'b/{name}')}\n"
    for number, pairs in _hunks(_line_pairs(blocks)):
        yield f"{header}@@ -{number},{len(pairs)} +{number},{len(pairs)} @@\n"
        header = ""
        for same, group in groupby(pairs, key=lambda pair: pair[0] == pair[1]):
            lines = list(group)
            if same:
                yield from (" " + _ended(old) for old, _ in lines)
            else:
                yield from (f"{red}-{_ended(old, plain)}" for old, _ in lines)
                yield from (f"{green}+{_ended(new, plain)}" for _, new in lines)


def _name_in_diff(path: str) -> str:
    """Name a file as seen from the current folder, or from the root if it lies elsewhere."""
    below = Path(os.path.relpath(path))
    return (Path(path) if ".." in below.parts else below).as_posix().lstrip("/")


def _quoted(name: str) -> str:
    """Write a name as git does: with marks and escapes if it has any signs that need them."""
    escaped = _ODD.sub(lambda sign: _ESCAPES.get(sign[0], f"\\{ord(sign[0]):03o}"), name)
    return name if escaped == name else f'"{escaped}"'


def _line_pairs(blocks: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Cut blocks into lines, old beside new; a line may go on in the next block."""
    held_old = held_new = ""
    for old, new in blocks:
        *olds, held_old = (held_old + old).split("\n")
        *news, held_new = (held_new + new).split("\n")
        yield from ((a + "\n", b + "\n") for a, b in zip(olds, news, strict=True))
    if held_old:
        yield held_old, held_new


def _hunks(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Yield the number of its first line and the lines of each stretch with changes."""
    before: deque[tuple[str, str]] = deque(maxlen=_CONTEXT)
    hunk: list[tuple[str, str]] = []
    first = same = 0
    for number, (old, new) in enumerate(pairs, start=1):
        if old == new and not hunk:
            before.append((old, new))
            continue
        if not hunk:
            first, hunk = number - len(before), list(before)
            before.clear()
        hunk.append((old, new))
        same = same + 1 if old == new else 0
        if same == _CONTEXT or (same and len(hunk) >= _LONGEST_HUNK):
            yield first, hunk
            hunk = []
    if hunk:
        yield first, hunk


def _ended(line: str, plain: str = "") -> str:
    """End a line of a diff, after switching the colour off."""
    return line[:-1] + plain + "\n" if line.endswith("\n") else line + plain + _NO_NEWLINE
