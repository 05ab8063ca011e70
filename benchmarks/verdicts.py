"""Corrections in clean text and verdicts about them: an error of the source, or a false alarm."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from respell.lab.common.storage import read_text
from respell.types import Correction, Error

TYPO, FALSE, OPEN = "typo of the source", "false alarm", ""
HEADER = "original\tsuggestion\tof these\ttext\tbefore\tafter\ttimes\tmeant\tverdict\n"
VERDICT_HEADER = "original\tbefore\tafter\tmeant\n"
MAX_NEIGHBOUR = 24  # characters of a neighbour that are kept

Key = tuple[str, str, str]
"""A word and its neighbours."""
Verdicts = Mapping[Key, str]
"""The right word: the original itself, if it is a false alarm."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A correction in a text, with the words before and after it."""

    text: str
    original: str
    suggestion: str
    before: str
    after: str

    @property
    def key(self) -> Key:
        """The key of its verdict."""
        return self.original, self.before, self.after


@dataclass(frozen=True, slots=True)
class Row:
    """An alarm and how often it occurred."""

    alarm: Alarm
    times: int


def alarm(text: str, line: str, correction: Correction) -> Alarm:
    """The word and its neighbours; nothing else of the line is kept."""
    before, after = line[: correction.start].split()[-1:], line[correction.end :].split()[:1]
    return Alarm(
        text,
        correction.original,
        correction.replacement,
        "".join(before)[-MAX_NEIGHBOUR:],
        "".join(after)[:MAX_NEIGHBOUR],
    )


def rows(alarms: Iterable[Alarm]) -> list[Row]:
    """Count equal alarms."""
    return [Row(one, times) for one, times in Counter(alarms).items()]


def verdict(alarm: Alarm, verdicts: Verdicts) -> str:
    """The verdict of the reader, if there is one."""
    meant = verdicts.get(alarm.key)
    if meant is None:
        return OPEN
    return FALSE if meant == alarm.original else TYPO


def count(
    rows: Iterable[Row], verdicts: Verdicts, words: int, *, name: str | None = None
) -> dict[str, Any]:
    """Counts for one text or all, and rates with and without errors of the source.

    Alarms without a verdict count as false.
    """
    counts: Counter[str] = Counter()
    right = 0
    for row in rows:
        if name is None or row.alarm.text == name:
            found = verdict(row.alarm, verdicts)
            counts[found] += row.times
            if found == TYPO and verdicts[row.alarm.key] == row.alarm.suggestion:
                right += row.times
    flagged = counts.total()
    return {
        "flagged": flagged,
        "typos_of_the_source": counts[TYPO],
        "of_these_corrected": right,
        "false_alarms": counts[FALSE],
        "not_judged": counts[OPEN],
        "flagged_per_1000": _rate(flagged, words),
        "per_1000_without_typos": _rate(flagged - counts[TYPO], words),
    }


def _rate(count: int, words: int) -> float:
    return round(1000 * count / words, 4) if words else 0.0


def render(rows: Sequence[Row], verdicts: Verdicts) -> str:
    """The list as TSV, the most frequent corrections first."""
    groups: Counter[tuple[str, str]] = Counter()
    for row in rows:
        groups[row.alarm.original, row.alarm.suggestion] += row.times
    lines = [HEADER]
    for row in sorted(rows, key=lambda r: _order(r, groups)):
        one = row.alarm
        group = groups[one.original, one.suggestion]
        cells = (one.original, one.suggestion, group, one.text, one.before, one.after, row.times)
        judged = verdicts.get(one.key, ""), verdict(one, verdicts)
        lines.append("\t".join(map(str, (*cells, *judged))) + "\n")
    return "".join(lines)


def _order(row: Row, groups: Mapping[tuple[str, str], int]) -> tuple[int, Any]:
    one = row.alarm
    pair = one.original, one.suggestion
    return -groups[pair], (*pair, one.text, one.before, one.after)


def read_rows(path: Path) -> list[Row]:
    """Read a list that `render` wrote."""
    found = []
    for original, suggestion, _, text, before, after, times, _, _ in _table(path, HEADER):
        found.append(Row(Alarm(text, original, suggestion, before, after), int(times)))
    return found


def read_verdicts(path: Path) -> dict[Key, str]:
    """Read the verdicts."""
    found: dict[Key, str] = {}
    for original, before, after, meant in _table(path, VERDICT_HEADER):
        if found.setdefault((original, before, after), meant) != meant:
            raise Error(f"{path}: {before} {original} {after}: two verdicts; remove one")
    return found


def _table(path: Path, header: str) -> list[list[str]]:
    head, *lines = read_text(path).split("\n")
    width = header.count("\t") + 1
    cells = [line.split("\t") for line in lines if line]
    if head + "\n" != header or any(len(row) != width for row in cells):
        raise Error(f"{path}: not a table of {header.strip()!r}")
    return cells
