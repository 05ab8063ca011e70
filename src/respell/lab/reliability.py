"""How far scores can be believed: corrections in bins of their score, and a map that mends them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from respell.decode import IDENTITY, Calibration
from respell.lab import svg
from respell.types import Error

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Bins of the score; finer near 1, where most corrections are."""
_CERTAIN = 1e-6
_ROUNDS = 30
_LEAST_SLOPE = 0.05  # a flatter line says that scores tell nothing: no map mends that
_PRIOR = 1.0  # how much the identity weighs against what was seen, so that few cannot rule

Floats = NDArray[np.float64]
Scored = Sequence[tuple[float, bool]]
"""For each correction its score and whether it is right."""


class Judged(NamedTuple):
    """A correction before any map: its probability, that the word is wrong, and the truth."""

    probability: float
    wrong: float
    right: bool


@dataclass(frozen=True, slots=True)
class Bin:
    """Corrections of about the same score: how many, their mean score, the share that is right."""

    least: float
    most: float
    count: int
    score: float
    right: float


def bins(judged: Scored) -> list[Bin]:
    """The corrections by score; bins without any are left out."""
    filled: list[list[tuple[float, bool]]] = [[] for _ in EDGES[1:]]
    for score, right in judged:
        place = int(np.searchsorted(EDGES, score, side="right")) - 1
        filled[min(place, len(filled) - 1)].append((score, right))
    return [
        Bin(
            EDGES[i],
            EDGES[i + 1],
            len(inside),
            sum(score for score, _ in inside) / len(inside),
            sum(right for _, right in inside) / len(inside),
        )
        for i, inside in enumerate(filled)
        if inside
    ]


def calibration_error(judged: Scored) -> float:
    """The expected calibration error: the mean distance of score and share right over bins."""
    distances = (bin_.count * abs(bin_.score - bin_.right) for bin_ in bins(judged))
    return sum(distances) / len(judged) if judged else 0.0


def fit(judged: Sequence[Judged]) -> Calibration:
    """The line through log odds of being wrong under which the corrections are likeliest.

    A score is what the line makes of them, times the share of the suggestion.
    """
    probability, wrong, right = np.array(judged, float).reshape(-1, 3).T
    wrong = np.clip(wrong, _CERTAIN, 1 - _CERTAIN)
    share = np.clip(probability / wrong, _CERTAIN, 1 - _CERTAIN)
    odds = np.stack([np.log(wrong / (1 - wrong)), np.ones_like(wrong)], axis=1)  # [n, 2]
    start = np.array([IDENTITY.slope, IDENTITY.shift])

    def believed(line: Floats) -> tuple[Floats, Floats]:
        likely = np.exp(-np.logaddexp(0, -odds @ line))
        return likely, np.clip(likely * share, _CERTAIN, 1 - _CERTAIN)

    def loss(line: Floats) -> float:
        _, score = believed(line)
        unlikely = -np.sum(right * np.log(score) + (1 - right) * np.log(1 - score))
        return float(unlikely + _PRIOR / 2 * np.sum((line - start) ** 2))

    line = start
    for _ in range(_ROUNDS):
        likely, score = believed(line)
        slope = odds.T @ ((score - right) * (1 - likely) / (1 - score)) + _PRIOR * (line - start)
        bend = (odds * (score * (1 - likely) ** 2 / (1 - score))[:, None]).T @ odds
        step = np.linalg.solve(bend + _PRIOR * np.eye(2), slope)
        while loss(line - step) > loss(line) and np.abs(step).max() > _CERTAIN:
            step = step / 2  # such a step may lead too far
        line = line - step
    if line[0] < _LEAST_SLOPE:
        return IDENTITY
    return Calibration(slope=round(float(line[0]), 4), shift=round(float(line[1]), 4))


def cross_fitted(judged: Sequence[Judged]) -> list[tuple[float, bool]]:
    """Scores mended by a map that was fitted on the other half of the corrections."""
    halves = judged[::2], judged[1::2]
    mended: list[tuple[float, bool]] = []
    for seen, other in (halves, halves[::-1]):
        mend = fit(other)
        mended += [(mend.score(one.probability, one.wrong), one.right) for one in seen]
    return mended


def draw(
    panels: Mapping[str, Mapping[str, Sequence[Bin]]], thresholds: Mapping[str, float], path: Path
) -> None:
    """For every preset and set, the share that is right against the score; dots grow with count."""
    if not any(bins for sets in panels.values() for bins in sets.values()):
        raise Error(f"{path}: there are no corrections to draw")
    figure = svg.figure(4 * len(panels), 4.5)
    axes_of = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for axes, (title, sets) in zip(axes_of, panels.items(), strict=True):
        axes.plot([0, 1], [0, 1], color="tab:gray", linestyle="--", linewidth=1)
        axes.axvline(thresholds[title], color="tab:gray", linestyle=":", linewidth=1)
        for name, shown in sets.items():
            total = sum(bin_.count for bin_ in shown)
            sizes = [8 + 150 * bin_.count / total for bin_ in shown]
            places = [bin_.score for bin_ in shown], [bin_.right for bin_ in shown]
            (line,) = axes.plot(*places, linewidth=1, label=name)
            axes.scatter(*places, s=sizes, color=line.get_color())
        axes.set_title(title)
        axes.set_xlabel("score (dotted: the preset's threshold)")
        axes.legend(loc="upper left", fontsize=7)
    axes_of[0].set_ylabel("share right")
    svg.save(figure, path)
