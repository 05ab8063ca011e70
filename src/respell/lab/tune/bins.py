"""Group corrections by score, to compare scores with the share of right corrections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from respell.lab.common import svg
from respell.types import Error

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Bins of the score; finer near 1, where most corrections are."""
Scored = Sequence[tuple[float, bool]]
"""The score of each correction and whether it is right."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Corrections with similar scores: their number, mean score, and the share that is right."""

    least: float
    most: float
    count: int
    score: float
    right: float


def bins(scored: Scored) -> list[Bin]:
    """Group corrections by score; empty bins are omitted."""
    filled: list[list[tuple[float, bool]]] = [[] for _ in EDGES[1:]]
    for score, right in scored:
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


def calibration_error(scored: Scored) -> float:
    """Expected calibration error: the mean distance between score and share right, over bins."""
    distances = (bin_.count * abs(bin_.score - bin_.right) for bin_ in bins(scored))
    return sum(distances) / len(scored) if scored else 0.0


def draw(
    panels: Mapping[str, Mapping[str, Sequence[Bin]]], thresholds: Mapping[str, float], path: Path
) -> None:
    """Plot the share right against the score; one panel per preset, dots grow with the count."""
    if not any(bins for sets in panels.values() for bins in sets.values()):
        raise Error(f"{path}: no corrections to plot")
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
