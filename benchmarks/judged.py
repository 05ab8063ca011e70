"""Corrections of clean text and what a reader says of them: a typo of the source, or an alarm."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from respell.lab.common.storage import read_text
from respell.types import Correction, Error

TYPO, FALSE, OPEN = "typo of the source", "false alarm", ""
HEADER = "original\tsuggestion\tof these\ttext\tbefore\tafter\ttimes\tmeant\tverdict\n"
MARK = "original\tbefore\tafter\tmeant\n"
LONGEST = 24  # characters of a neighbour

Key = tuple[str, str, str]
"""A word and its neighbours."""
Verdicts = Mapping[Key, str]
"""What was meant: the word itself, if it is right."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A correction in a text, with the word before it and the word after it."""

    text: str
    original: str
    suggestion: str
    before: str
    after: str

    @property
    def key(self) -> Key:
        """By what a verdict is found again."""
        return self.original, self.before, self.after


@dataclass(frozen=True, slots=True)
class Row:
    """An alarm and how often it came."""

    alarm: Alarm
    times: int


def alarm(text: str, line: str, correction: Correction) -> Alarm:
    """What is kept of a correction: the word and its neighbours, nothing else of the line."""
    before, after = line[: correction.start].split()[-1:], line[correction.end :].split()[:1]
    return Alarm(
        text,
        correction.original,
        correction.suggestions[0].text,
        "".join(before)[-LONGEST:],
        "".join(after)[:LONGEST],
    )


def rows(alarms: Iterable[Alarm]) -> list[Row]:
    """Equal ones once."""
    return [Row(one, times) for one, times in Counter(alarms).items()]


def verdict(alarm: Alarm, verdicts: Verdicts) -> str:
    """What the reader said, if anything."""
    meant = verdicts.get(alarm.key)
    if meant is None:
        return OPEN
    return FALSE if meant == alarm.original else TYPO


def figures(
    rows: Iterable[Row], verdicts: Verdicts, words: int, *, name: str | None = None
) -> dict[str, Any]:
    """Counts of one text or of all, and rates with and without the typos of the source.

    What nobody has judged counts as a false alarm.
    """
    counts: Counter[str] = Counter()
    right = 0
    for row in rows:
        if name is None or row.alarm.text == name:
            said = verdict(row.alarm, verdicts)
            counts[said] += row.times
            if said == TYPO and verdicts[row.alarm.key] == row.alarm.suggestion:
                right += row.times
    flagged = counts.total()
    return {
        "flagged": flagged,
        "typos_of_the_source": counts[TYPO],
        "of_these_put_right": right,
        "false_alarms": counts[FALSE],
        "not_judged": counts[OPEN],
        "flagged_per_1000": _rate(flagged, words),
        "per_1000_without_typos": _rate(flagged - counts[TYPO], words),
    }


def _rate(count: int, words: int) -> float:
    return round(1000 * count / words, 4) if words else 0.0


def render(rows: Sequence[Row], verdicts: Verdicts) -> str:
    """The list: what is flagged most often first, equal corrections together."""
    groups: Counter[tuple[str, str]] = Counter()
    for row in rows:
        groups[row.alarm.original, row.alarm.suggestion] += row.times
    lines = [HEADER]
    for row in sorted(rows, key=lambda r: _order(r, groups)):
        one = row.alarm
        group = groups[one.original, one.suggestion]
        cells = (one.original, one.suggestion, group, one.text, one.before, one.after, row.times)
        said = verdicts.get(one.key, ""), verdict(one, verdicts)
        lines.append("\t".join(map(str, (*cells, *said))) + "\n")
    return "".join(lines)


def _order(row: Row, groups: Mapping[tuple[str, str], int]) -> tuple[int, Any]:
    one = row.alarm
    pair = one.original, one.suggestion
    return -groups[pair], (*pair, one.text, one.before, one.after)


def read_rows(path: Path) -> list[Row]:
    """Read a list back."""
    found = []
    for original, suggestion, _, text, before, after, times, _, _ in _table(path, HEADER):
        found.append(Row(Alarm(text, original, suggestion, before, after), int(times)))
    return found


def read_verdicts(path: Path) -> dict[Key, str]:
    """Read what was meant, by word and neighbours."""
    found: dict[Key, str] = {}
    for original, before, after, meant in _table(path, MARK):
        if found.setdefault((original, before, after), meant) != meant:
            raise Error(f"{path}: {before} {original} {after}: two verdicts; drop one")
    return found


def _table(path: Path, header: str) -> list[list[str]]:
    head, *lines = read_text(path).split("\n")
    width = header.count("\t") + 1
    cells = [line.split("\t") for line in lines if line]
    if head + "\n" != header or any(len(row) != width for row in cells):
        raise Error(f"{path}: not a table of {header.strip()!r}")
    return cells
