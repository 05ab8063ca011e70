"""Run a corrector on the cases, and count what it does at any threshold."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

from respell.corrector import Corrector
from respell.lab.common.metrics import ratio
from respell.lab.evaluate.spaces.cases import GROUPS, Case, Material
from respell.text.apply import apply
from respell.types import SPACING, Correction

LOWEST = 0.05
"""The threshold at which corrections are collected for the curve."""
THRESHOLDS = (
    *(round(0.05 * i, 2) for i in range(1, 20)),
    *(0.96, 0.97, 0.98, 0.99, 0.995, 0.998),
)
WANTED_PRECISION = 0.97
MOST_ALARMS = 0.05
"""Wanted false alarms per 1,000 words, at most."""
Found = Mapping[str, Sequence[Correction]]


class Counts(NamedTuple):
    """The counts of some cases at a threshold."""

    cases: int
    right: int
    wrong: int
    """Cases where a blank was added or removed, but not as it is meant."""
    others: int
    """Cases that became other words, without a change of blanks."""
    alarms: int
    """Cases where the right words were changed by adding or removing a blank."""

    @property
    def recall(self) -> float:
        """The share of cases that were put right."""
        return ratio(self.right, self.cases)

    @property
    def precision(self) -> float:
        """The share of right changes of blanks in sentences with and without their mistakes."""
        return ratio(self.right, self.right + self.wrong + self.alarms)

    def to_dict(self) -> dict[str, Any]:
        """The counts and scores as a JSON object."""
        return {
            **self._asdict(),
            "precision": round(self.precision, 5),
            "recall": round(self.recall, 5),
        }


def with_spacing(corrector: Corrector, *, lowest: bool = False) -> Corrector:
    """The corrector with the option on; `lowest` takes every correction of a blank."""
    options = {**corrector.options.arguments(), "spacing": True}
    chosen = Corrector(corrector.bundle, corrector.forward, **options)
    if lowest:
        chosen = copy(chosen)
        chosen.policy = replace(chosen.policy, spacing_threshold=LOWEST)
    return chosen


def read(corrector: Corrector, material: Material) -> Found:
    """The corrections of all sentences, with and without their mistakes."""
    texts = {text for case in material.cases for text in (case.text, case.right)}
    ordered = sorted(texts.union(material.clean))
    return dict(zip(ordered, corrector.check_many(ordered), strict=True))


def count(cases: Iterable[Case], found: Found, threshold: float = 0.0) -> Counts:
    """The counts without corrections of blanks that have a lower score."""
    total = right = wrong = others = alarms = 0
    for case in cases:
        total += 1
        made = changes(case, found, threshold)
        if made and is_right(case, made):
            right += 1
        elif any(c.kind in SPACING for c in made):
            wrong += 1
        else:
            others += bool(made)
        alarms += any(
            c.kind in SPACING and c.score >= threshold
            for c in _touching(found[case.right], case.start, case.right_end)
        )
    return Counts(total, right, wrong, others, alarms)


def changes(case: Case, found: Found, threshold: float = 0.0) -> list[Correction]:
    """The corrections of the mistake."""
    return [
        c
        for c in _touching(found[case.text], case.start, case.end)
        if c.kind not in SPACING or c.score >= threshold
    ]


def is_right(case: Case, made: Iterable[Correction]) -> bool:
    """Whether corrections give the sentence that is meant; case is ignored."""
    return apply(case.text, made).lower() == case.right.lower()


def _touching(corrections: Iterable[Correction], start: int, end: int) -> list[Correction]:
    return [c for c in corrections if c.start < end and c.end > start]


def by_group(cases: Sequence[Case], found: Found, threshold: float = 0.0) -> dict[str, Counts]:
    """The counts of every group that has cases."""
    return {
        group: count(some, found, threshold)
        for group, some in groupby(cases, key=lambda case: case.group)
    }


def by_words(cases: Iterable[Case], found: Found) -> dict[str, Counts]:
    """The counts of every mistake, as *everyday → every day*."""
    named: dict[str, list[Case]] = {}
    for case in cases:
        named.setdefault(f"{case.written.lower()} → {case.meant.lower()}", []).append(case)
    return {name: count(some, found) for name, some in sorted(named.items())}


def alarms(
    material: Material, found: Found, threshold: float = 0.0
) -> Iterator[tuple[str, Correction]]:
    """Corrections of blanks in clean sentences, each with its sentence."""
    for text in dict.fromkeys(material.clean):
        for correction in found[text]:
            if correction.kind in SPACING and correction.score >= threshold:
                yield text, correction


def count_words(texts: Iterable[str]) -> int:
    """The words of different texts."""
    return sum(len(text.split()) for text in set(texts))


def changed_without(corrector: Corrector, cases: Iterable[Case]) -> dict[str, int]:
    """How many words that are run together become another word if the option is off."""
    cases = list(cases)
    answers = corrector.check_many(case.text for case in cases)
    changed = Counter(
        f"{case.written} → {' '.join(c.replacement for c in made)}"
        for case, found in zip(cases, answers, strict=True)
        if (made := _touching(found, case.start, case.end))
    )
    return {"cases": len(cases), "changed": changed.total(), **dict(changed.most_common(20))}


class Point(NamedTuple):
    """The scores at one threshold."""

    threshold: float
    precision: float
    recall_together: float
    recall_apart: float
    alarms_per_1000: float
    """Corrections of blanks per 1,000 words of clean sentences."""


def curve(material: Material, found: Found) -> list[Point]:
    """The scores at all thresholds, without the cases that are misspelled besides."""
    words = count_words(material.clean)
    spelled = [case for case in material.cases if not case.group.endswith("misspelled")]
    rest = material._replace(cases=spelled)
    return [_point(rest, found, threshold, words) for threshold in THRESHOLDS]


def _point(material: Material, found: Found, threshold: float, words: int) -> Point:
    groups = by_group(material.cases, found, threshold)
    half = len(GROUPS) // 2
    together = _sum(groups[g] for g in GROUPS[:half] if g in groups)
    apart = _sum(groups[g] for g in GROUPS[half:] if g in groups)
    flagged = sum(1 for _ in alarms(material, found, threshold))
    return Point(
        threshold,
        round(_sum((together, apart)).precision, 5),
        round(together.recall, 5),
        round(apart.recall, 5),
        round(1000 * ratio(flagged, words), 4),
    )


def _sum(counts: Iterable[Counts]) -> Counts:
    rows = [*counts, Counts(0, 0, 0, 0, 0)]
    return Counts(*(sum(column) for column in zip(*rows, strict=True)))


def best_point(points: Iterable[Point], precision: float = WANTED_PRECISION) -> Point | None:
    """The point of the highest recall that is precise enough and has few false alarms."""
    fine = [
        point
        for point in points
        if point.precision >= precision and point.alarms_per_1000 < MOST_ALARMS
    ]
    return max(fine, key=lambda point: point.recall_together + point.recall_apart, default=None)
