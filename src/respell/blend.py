"""Two readings of the same words as one: the mean of what they say."""

import numpy as np

from respell.features import Floats, Ints, TopK


def blend(first: TopK, second: TopK, weight: float) -> TopK:
    """What both say of a batch, the first with this weight and the second with the rest.

    A word that only one of them suspects counts as kept by the other.
    """
    positions = np.union1d(first.positions, second.positions)
    ids, shares = _spread(first, positions, weight)
    other_ids, other_shares = _spread(second, positions, 1 - weight)
    same = other_ids[:, :, None] == ids[:, None, :]  # [suspects, k of second, k of first]
    shares += (other_shares[:, :, None] * same).sum(1)
    other_shares[same.any(2)] = -1
    ids, shares = np.concatenate((ids, other_ids), 1), np.concatenate((shares, other_shares), 1)
    best = np.argsort(-shares, axis=1, kind="stable")[:, : first.ids.shape[1]]
    keep = weight * first.keep + (1 - weight) * second.keep
    return TopK(
        keep=keep.astype(np.float32),
        positions=positions,
        ids=np.take_along_axis(ids, best, 1),
        probabilities=np.take_along_axis(shares, best, 1),
        cases=_cases(first, second, positions),
    )


def _spread(said: TopK, positions: Ints, weight: float) -> tuple[Ints, Floats]:
    """Words and weighed probabilities at all positions.

    Where this reading has no doubt they are -1, which is no word and behind all that are.
    """
    rows = np.searchsorted(positions, said.positions)
    ids = np.full((len(positions), said.ids.shape[1]), -1, np.int64)
    shares = np.full(ids.shape, -1, np.float32)
    ids[rows], shares[rows] = said.ids, weight * said.probabilities
    return ids, shares


def _cases(first: TopK, second: TopK, positions: Ints) -> Ints:
    cases = np.zeros(len(positions), np.int64)
    for said in (second, first):  # the first has the last word
        cases[np.searchsorted(positions, said.positions)] = said.cases
    return cases
