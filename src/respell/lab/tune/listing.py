"""Choose two thresholds: of the error probability to list a word, of the score to correct it."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from respell.lab.common.metrics import f_half, ratio
from respell.lab.tune.proposals import Proposals


class Thresholds(NamedTuple):
    """The least error probability of a listed word, and the least score of a correction."""

    listed: float
    corrected: float


@dataclass(frozen=True, slots=True)
class _Arrays:
    """The proposals of a set, by rising score."""

    errors: int
    scores: Any  # [n]
    probabilities: Any  # [n] error probabilities
    wrong: Any  # [n] bool: the token was misspelled
    right: Any  # [n] bool: the change gives the right word

    @classmethod
    def of(cls, proposals: Proposals) -> "_Arrays":
        rows = sorted(proposals.outcomes, key=lambda outcome: outcome.score)
        return cls(
            proposals.errors,
            np.array([row.score for row in rows]),
            np.array([row.error_probability for row in rows]),
            np.array([row.error for row in rows], bool),
            np.array([row.right for row in rows], bool),
        )

    def corrected(self, listed: float, grid: Any) -> list[tuple[float, float, float]]:
        """Precision, recall and F0.5 of the corrections at each threshold of the score."""
        kept = self.probabilities >= listed
        first = np.searchsorted(self.scores, grid)
        right, damaged = (
            np.append(np.cumsum((kept & flags)[::-1])[::-1], 0)[first]
            for flags in (self.right, ~self.wrong)
        )
        rows = []
        for good, bad in zip(right.tolist(), damaged.tolist(), strict=True):
            precision, recall = ratio(good, good + bad), ratio(good, self.errors)
            rows.append((precision, recall, f_half(precision, recall)))
        return rows


def scores_at(proposals: Proposals, chosen: Thresholds) -> tuple[float, float, float]:
    """Precision, recall and F0.5 of the corrections."""
    return _Arrays.of(proposals).corrected(chosen.listed, [chosen.corrected])[0]


def best_listing(
    sets: Sequence[Proposals], grid: Sequence[float], *, max_loss: float
) -> Thresholds:
    """The highest listing threshold that loses at most `max_loss` of the best mean F0.5."""
    arrays = [_Arrays.of(one) for one in sets]
    rows = []
    for listed in grid:
        tables = [one.corrected(listed, grid) for one in arrays]
        values = [fmean(scores[2] for scores in row) for row in zip(*tables, strict=True)]
        best = int(np.argmax(values))
        rows.append((values[best], Thresholds(listed, grid[best])))
    most = max(value for value, _ in rows)
    return [chosen for value, chosen in rows if value >= most - max_loss][-1]


def precise_listing(
    sets: Sequence[Proposals], grid: Sequence[float], *, precision: float
) -> Thresholds:
    """The lowest thresholds at which this share of the listed words, and of corrections, is right.

    Without such a threshold, the highest.
    """
    together = Proposals(
        sum(one.errors for one in sets), tuple(o for one in sets for o in one.outcomes)
    )
    arrays = _Arrays.of(together)

    def is_precise(listed: float) -> bool:
        kept = arrays.probabilities >= listed
        return ratio(int((kept & arrays.wrong).sum()), int(kept.sum())) >= precision

    listed = next((one for one in grid if is_precise(one)), grid[-1])
    rows = arrays.corrected(listed, grid)
    precise = (one for one, row in zip(grid, rows, strict=True) if row[0] >= precision)
    return Thresholds(listed, next(precise, grid[-1]))
