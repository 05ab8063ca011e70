"""Choose the error probabilities from which words are listed, and the score of a correction.

Words of the lexicon, and unknown ones with capitals, have one threshold; unknown words in lower
case, which are rarely right, have a lower one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from respell.lab.common.metrics import f_half, ratio
from respell.lab.tune.proposals import Proposals

OOV_STEP = 5
"""Of the thresholds of unknown words, every fifth is tried."""


class Thresholds(NamedTuple):
    """The least error probability of a listed word, and the least score of a correction."""

    listed: float
    oov: float
    """That of unknown words in lower case, at most `listed`."""
    corrected: float


@dataclass(frozen=True, slots=True)
class _Arrays:
    """The proposals of a set, by rising score."""

    errors: int
    scores: Any  # [n]
    probabilities: Any  # [n] error probabilities
    wrong: Any  # [n] bool: the token was misspelled
    right: Any  # [n] bool: the change gives the right word
    oov: Any  # [n] bool: the token is unknown and in lower case

    @classmethod
    def of(cls, proposals: Proposals) -> "_Arrays":
        rows = sorted(proposals.outcomes, key=lambda outcome: outcome.score)
        return cls(
            proposals.errors,
            np.array([row.score for row in rows]),
            np.array([row.error_probability for row in rows]),
            np.array([row.error for row in rows], bool),
            np.array([row.right for row in rows], bool),
            np.array([row.oov for row in rows], bool),
        )

    def listed(self, least: float, oov: float) -> Any:
        """Which words are listed."""
        return self.probabilities >= np.where(self.oov, oov, least)

    def corrected(self, least: float, oov: float, grid: Any) -> list[tuple[float, float, float]]:
        """Precision, recall and F0.5 of the corrections at each threshold of the score."""
        kept = self.listed(least, oov)
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
    listed, oov, corrected = chosen
    return _Arrays.of(proposals).corrected(listed, oov, [corrected])[0]


def best_listing(
    sets: Sequence[Proposals], grid: Sequence[float], *, max_loss: float
) -> Thresholds:
    """The thresholds with the fewest correct words listed, of those with nearly the best F0.5.

    They lose at most `max_loss` of the mean F0.5 of the corrections.
    """
    arrays = [_Arrays.of(one) for one in sets]
    rows = []
    for listed, oov in _pairs(grid):
        tables = [one.corrected(listed, oov, grid) for one in arrays]
        values = [fmean(scores[2] for scores in row) for row in zip(*tables, strict=True)]
        best = int(np.argmax(values))
        rows.append((values[best], Thresholds(listed, oov, grid[best])))
    most = max(value for value, _ in rows)
    good = [chosen for value, chosen in rows if value >= most - max_loss]

    def alarms(chosen: Thresholds) -> float:
        listed, oov, _ = chosen
        return fmean(int((one.listed(listed, oov) & ~one.wrong).sum()) for one in arrays)

    return min(good, key=lambda chosen: (alarms(chosen), -chosen.listed, -chosen.oov))


def precise_listing(
    sets: Sequence[Proposals], grid: Sequence[float], *, precision: float
) -> Thresholds:
    """The thresholds that list most errors if this share of the listed words is wrong.

    The share holds for the corrections too. Of equal thresholds, the highest.
    """
    together = Proposals(
        sum(one.errors for one in sets), tuple(o for one in sets for o in one.outcomes)
    )
    arrays = _Arrays.of(together)

    def errors(listed: float, oov: float) -> int:
        kept = arrays.listed(listed, oov)
        found = int((kept & arrays.wrong).sum())
        return found if ratio(found, int(kept.sum())) >= precision else -1

    listed, oov = max(_pairs(grid), key=lambda pair: (errors(*pair), pair))
    rows = arrays.corrected(listed, oov, grid)
    precise = (one for one, row in zip(grid, rows, strict=True) if row[0] >= precision)
    return Thresholds(listed, oov, next(precise, grid[-1]))


def _pairs(grid: Sequence[float]) -> Iterator[tuple[float, float]]:
    """The thresholds to try: both alike, or a lower one for unknown words."""
    for listed in grid:
        for oov in (*(one for one in grid[::OOV_STEP] if one < listed), listed):
            yield listed, oov
