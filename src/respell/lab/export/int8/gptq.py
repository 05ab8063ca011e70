"""Weights of a product rounded to few bits so that the product changes least on real inputs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_TINY = float(np.finfo(np.float32).tiny)
Array = NDArray[np.float64]
SAMPLE = 200_000
"""Numbers a range is chosen on."""
DAMPING = 0.01
"""Share of the mean square of an input that is added to each: rare inputs decide nothing alone."""


@dataclass(frozen=True, slots=True)
class Range:
    """How numbers become integers from 0 to `steps`: each is (integer - zero) * scale."""

    scale: float
    zero: int
    steps: int

    def apply(self, numbers: Array) -> Array:
        """The numbers as the integers give them back."""
        integers: Array = np.clip(np.rint(numbers / self.scale) + self.zero, 0, self.steps)
        return (integers - self.zero) * self.scale


def choose_range(numbers: Array, steps: int) -> Range:
    """The range with the least squared error; the rare numbers beyond it are clipped."""
    low, high = min(float(numbers.min()), 0.0), max(float(numbers.max()), 0.0)
    # At random: steps of a fixed size would meet the same few columns again and again.
    chosen = np.random.default_rng(0).integers(numbers.size, size=min(numbers.size, SAMPLE))
    sample = numbers.reshape(-1)[chosen]
    best, least = Range(1.0, 0, steps), np.inf
    for left in np.linspace(0.3, 1.0, 8):
        for right in np.linspace(0.3, 1.0, 8):
            scale = float(np.float32((right * high - left * low) / steps))
            if scale > 0:
                tried = Range(scale, round(-left * low / scale), steps)
                error = float(np.square(tried.apply(sample) - sample).mean())
                if error < least:
                    best, least = tried, error
    return best


@dataclass(frozen=True, slots=True)
class Rounded:
    """`inputs @ weights` is about `rounded inputs @ (integers * scales) + shift`."""

    integers: NDArray[np.int8]  # [in, out]
    scales: NDArray[np.float32]  # [out]
    shift: NDArray[np.float32]  # [out]


def round_weights(weights: Array, inputs: Array, rounded: Array, *, most: int) -> Rounded:
    """Round weights [in, out] to -most..most; inputs [n, in] as they are and as they are rounded.

    The weights are first fitted to the rounded inputs. Then they are rounded one input after the
    other, and what each rounding spoils is made up for by those that follow (GPTQ, Frantar et
    al. 2022).
    """
    second = rounded.T @ rounded / len(rounded)  # [in, in]
    mean_square = float(np.trace(second)) / len(second)
    second += np.eye(len(second)) * max(DAMPING * mean_square, _TINY)
    change = rounded.T @ ((inputs - rounded) @ weights) / len(rounded)
    left = weights + np.linalg.solve(second, change)
    scales = np.maximum(np.abs(left).max(axis=0) / most, _TINY)
    scales = scales.astype(np.float32).astype(np.float64)
    order = np.argsort(-np.diag(second))  # those that matter most first
    spread = np.linalg.cholesky(np.linalg.inv(second[np.ix_(order, order)])).T
    left = left[order]
    integers = np.zeros(weights.shape, np.int8)
    for i, row in enumerate(order):
        whole = np.clip(np.rint(left[i] / scales), -most, most)
        integers[row] = whole
        left[i:] -= np.outer(spread[i, i:], (left[i] - whole * scales) / spread[i, i])
    error = inputs @ weights - rounded @ (integers * scales)
    return Rounded(integers, scales.astype(np.float32), error.mean(axis=0).astype(np.float32))
