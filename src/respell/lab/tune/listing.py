"""Choose the error probabilities from which words are listed, and the score of a correction.

Unknown words in lower case, which are rarely right, may have a lower threshold than the words of
the lexicon, and unknown words with a capital, most of which are names, a higher one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from respell.lab.common.metrics import f_half, ratio
from respell.lab.tune.proposals import Proposals

Listed = tuple[float, float, float]
"""The three thresholds of the error probability."""
OOV_STEP = 5
"""Of the thresholds of unknown words, every fifth is tried."""


class Thresholds(NamedTuple):
    """The least error probability of a listed word, and the least score of a correction."""

    listed: float
    oov: float
    """That of unknown words in lower case, at most `listed`."""
    name: float
    """That of unknown words with a capital, at least `listed`."""
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
    name: Any  # [n] bool: the token is unknown and has a capital

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
            np.array([row.name for row in rows], bool),
        )

    def listed(self, least: Listed) -> Any:
        """Which words are listed."""
        listed, oov, name = least
        limits = np.where(self.oov, oov, np.where(self.name, max(listed, name), listed))
        return self.probabilities >= limits

    def corrected(self, least: Listed, grid: Any) -> list[tuple[float, float, float]]:
        """Precision, recall and F0.5 of the corrections at each threshold of the score."""
        kept = self.listed(least)
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
    listed, oov, name, corrected = chosen
    return _Arrays.of(proposals).corrected((listed, oov, name), [corrected])[0]


def best_listing(
    sets: Sequence[Proposals], grid: Sequence[float], *, max_loss: float
) -> Thresholds:
    """The thresholds with the fewest correct words listed, of those with nearly the best F0.5.

    They lose at most `max_loss` of the mean F0.5 of the corrections. Then the threshold of names is
    chosen by the same rule.
    """
    arrays = [_Arrays.of(one) for one in sets]

    def best(least: Listed) -> tuple[float, Thresholds]:
        tables = [one.corrected(least, grid) for one in arrays]
        values = [fmean(scores[2] for scores in row) for row in zip(*tables, strict=True)]
        most = int(np.argmax(values))
        return values[most], Thresholds(*least, grid[most])

    def alarms(chosen: Thresholds) -> float:
        listed, oov, name, _ = chosen
        return fmean(int((one.listed((listed, oov, name)) & ~one.wrong).sum()) for one in arrays)

    rows = [best((listed, oov, grid[-1])) for listed, oov in _pairs(grid)]
    most = max(value for value, _ in rows)
    good = [chosen for value, chosen in rows if value >= most - max_loss]
    listed, oov, _, _ = min(good, key=lambda one: (alarms(one), -one.listed, -one.oov))
    names = [best((listed, oov, name)) for name in grid if name >= listed]
    most = max(value for value, _ in names)
    return [chosen for value, chosen in names if value >= most - max_loss][-1]


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

    def errors(least: Listed) -> tuple[int, Listed]:
        kept = arrays.listed(least)
        found = int((kept & arrays.wrong).sum())
        return found if ratio(found, int(kept.sum())) >= precision else -1, least

    _, (listed, oov, _) = max(errors((*pair, grid[-1])) for pair in _pairs(grid))
    _, least = max(errors((listed, oov, name)) for name in grid if name >= listed)
    rows = arrays.corrected(least, grid)
    precise = (one for one, row in zip(grid, rows, strict=True) if row[0] >= precision)
    return Thresholds(*least, next(precise, grid[-1]))


def _pairs(grid: Sequence[float]) -> Iterator[tuple[float, float]]:
    """The thresholds to try: both alike, or a lower one for unknown words."""
    for listed in grid:
        for oov in (*(one for one in grid[::OOV_STEP] if one < listed), listed):
            yield listed, oov
