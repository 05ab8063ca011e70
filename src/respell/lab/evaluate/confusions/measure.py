"""Run a corrector on sentences with a confused word, and count what it does at any threshold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from respell.corrector import Corrector
from respell.lab.common.metrics import ratio
from respell.lab.evaluate.confusions.pairs import Direction
from respell.lab.evaluate.confusions.sentences import Place
from respell.text.apply import apply
from respell.text.words import fold_apostrophes
from respell.types import Correction, TextChecker

LOWEST = 0.05
"""The threshold at which corrections are collected for the curve."""
STEP = 0.005
"""The distance of the thresholds of the curve."""
WANTED_PRECISION = 0.998


class Outcome(NamedTuple):
    """What a corrector does with one word."""

    score: float | None
    """The score of the correction; None if the word was left alone."""
    meant: bool
    """The correction is the word that is meant."""

    def is_flagged(self, threshold: float) -> bool:
        """Whether the word is flagged at a threshold."""
        return self.score is not None and self.score >= threshold


@dataclass(frozen=True, slots=True)
class Answers:
    """The outcomes for one direction: in sentences with the wrong and with the right word."""

    direction: Direction
    wrong: tuple[Outcome, ...]
    right: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Clean:
    """The words of all correct sentences, and the scores of every correction in them."""

    words: int
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of one direction at a threshold."""

    direction: Direction
    sentences: int
    restored: int
    miscorrected: int
    """Wrong words that were changed, but not to the word that is meant."""
    alarms: int
    """Right words that were flagged."""

    @property
    def recall(self) -> float:
        """The share of wrong words that were restored."""
        return ratio(self.restored, self.sentences)

    @property
    def behind(self) -> bool:
        """Whether LanguageTool's recall is higher."""
        return self.recall < self.direction.recall

    def to_dict(self) -> dict[str, Any]:
        """The counts and LanguageTool's scores as a JSON object."""
        return {
            "written": self.direction.written,
            "meant": self.direction.meant,
            "sentences": self.sentences,
            "restored": self.restored,
            "miscorrected": self.miscorrected,
            "alarms": self.alarms,
            "languagetool": [self.direction.precision, self.direction.recall],
        }


def at_lowest_threshold(corrector: Corrector, preset: str) -> Corrector:
    """A corrector with the same model and preset, and the lowest threshold."""
    return Corrector(corrector.bundle, corrector.forward, preset=preset, threshold=LOWEST)


def answer(
    corrector: TextChecker[list[Correction]],
    directions: Iterable[Direction],
    places: Mapping[str, Sequence[Place]],
) -> tuple[list[Answers], Clean]:
    """Correct the sentences of every direction, with the wrong and with the right word."""
    wrong = {d: [place.replaced(d.written) for place in places[d.meant]] for d in directions}
    right = {p.text for d in wrong for p in places[d.meant]}
    texts = sorted(right | {place.text for some in wrong.values() for place in some})
    found = dict(zip(texts, corrector.check_many(texts), strict=True))
    answers = [
        Answers(
            d,
            tuple(_outcome(place, d.meant, found[place.text]) for place in wrong[d]),
            tuple(_outcome(place, d.meant, found[place.text]) for place in places[d.meant]),
        )
        for d in wrong
    ]
    scores = tuple(c.score for text in right for c in found[text])
    return answers, Clean(sum(len(text.split()) for text in right), scores)


def _outcome(place: Place, meant: str, corrections: Iterable[Correction]) -> Outcome:
    touching = [c for c in corrections if c.start < place.end and c.end > place.start]
    if not touching:
        return Outcome(None, False)
    score = min(c.score for c in touching)
    if any(c.start < place.start or c.end > place.end for c in touching):
        return Outcome(score, False)
    moved = [replace(c, start=c.start - place.start) for c in touching]
    corrected = apply(place.surface, moved)
    return Outcome(score, fold_apostrophes(corrected.lower()) == fold_apostrophes(meant.lower()))


def count(answers: Answers, threshold: float = 0.0) -> Counts:
    """The counts of one direction, without corrections of a lower score."""
    flagged = [outcome for outcome in answers.wrong if outcome.is_flagged(threshold)]
    restored = sum(outcome.meant for outcome in flagged)
    return Counts(
        answers.direction,
        sentences=len(answers.wrong),
        restored=restored,
        miscorrected=len(flagged) - restored,
        alarms=sum(outcome.is_flagged(threshold) for outcome in answers.right),
    )


def summarize(counts: Sequence[Counts]) -> dict[str, Any]:
    """Averages over directions (macro) and over sentences (micro), and the same of LanguageTool.

    Precision is balanced: every sentence is read once with the wrong word and once with the right
    one. A wrong word that is changed to a third word is a miss.
    """
    sentences = sum(c.sentences for c in counts)
    restored, alarms = sum(c.restored for c in counts), sum(c.alarms for c in counts)
    precise = [ratio(c.restored, c.restored + c.alarms) for c in counts if c.restored + c.alarms]
    theirs = [c.direction for c in counts]
    weighted = sum(c.sentences * c.direction.recall for c in counts)
    return {
        "directions": len(counts),
        "sentences": sentences,
        "restored": restored,
        "miscorrected": sum(c.miscorrected for c in counts),
        "alarms": alarms,
        "macro_recall": _mean([c.recall for c in counts]),
        "micro_recall": ratio(restored, sentences),
        "macro_precision": _mean(precise),
        "balanced_precision": ratio(restored, restored + alarms),
        "not_behind_languagetool": _mean([not c.behind for c in counts]),
        "languagetool": {
            "macro_recall": _mean([d.recall for d in theirs]),
            "micro_recall": ratio(weighted, sentences),
            "macro_precision": _mean([d.precision for d in theirs]),
        },
    }


def _mean(values: Sequence[float]) -> float:
    return ratio(sum(values), len(values))


class Point(NamedTuple):
    """The scores at one threshold."""

    threshold: float
    macro_recall: float
    balanced_precision: float
    flagged_per_1000: float
    """Corrections per 1,000 words of the correct sentences."""


def curve(answers: Sequence[Answers], clean: Clean) -> list[Point]:
    """The scores from the lowest threshold upwards."""
    points = []
    for i in range(round((1 - LOWEST) / STEP)):
        threshold = round(LOWEST + i * STEP, 4)
        summary = summarize([count(each, threshold) for each in answers])
        flagged = sum(score >= threshold for score in clean.scores)
        points.append(
            Point(
                threshold,
                round(summary["macro_recall"], 4),
                round(summary["balanced_precision"], 5),
                round(1000 * ratio(flagged, clean.words), 3),
            )
        )
    return points


def best_point(points: Iterable[Point], precision: float = WANTED_PRECISION) -> Point | None:
    """The point of the highest recall with at least this precision."""
    precise = [point for point in points if point.balanced_precision >= precision]
    return max(precise, key=lambda point: point.macro_recall, default=None)
