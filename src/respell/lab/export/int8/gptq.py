"""GPTQ: round weights so that matrix products change as little as possible on real inputs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_TINY = float(np.finfo(np.float32).tiny)
Array = NDArray[np.float64]
SAMPLE = 200_000
"""Numbers that a range is chosen on, at most."""
DAMPING = 0.01
"""Added to the squares of inputs, as a share of their mean, so that rare inputs do not dominate."""


@dataclass(frozen=True, slots=True)
class Range:
    """Maps numbers to integers from 0 to `steps`: number = (integer - zero) * scale."""

    scale: float
    zero: int
    steps: int

    def apply(self, numbers: Array) -> Array:
        """The numbers after rounding to integers and back."""
        integers: Array = np.clip(np.rint(numbers / self.scale) + self.zero, 0, self.steps)
        return (integers - self.zero) * self.scale


def choose_range(numbers: Array, steps: int) -> Range:
    """The range with the least squared error; outliers are clipped."""
    low, high = min(float(numbers.min()), 0.0), max(float(numbers.max()), 0.0)
    # A random sample: a fixed stride would always hit the same few columns.
    chosen = np.random.default_rng(0).integers(numbers.size, size=min(numbers.size, SAMPLE))
    sample = numbers.reshape(-1)[chosen]
    best, best_error = Range(1.0, 0, steps), np.inf
    for left in np.linspace(0.3, 1.0, 8):
        for right in np.linspace(0.3, 1.0, 8):
            scale = float(np.float32((right * high - left * low) / steps))
            if scale > 0:
                tried = Range(scale, round(-left * low / scale), steps)
                error = float(np.square(tried.apply(sample) - sample).mean())
                if error < best_error:
                    best, best_error = tried, error
    return best


@dataclass(frozen=True, slots=True)
class Rounded:
    """`inputs @ weights` is approximately `rounded inputs @ (integers * scales) + shift`."""

    integers: NDArray[np.int8]  # [in, out]
    scales: NDArray[np.float32]  # [out]
    shift: NDArray[np.float32]  # [out]


def round_weights(weights: Array, inputs: Array, rounded: Array, *, most: int) -> Rounded:
    """Round weights [in, out] to integers from -most to most.

    `inputs` and `rounded` are the inputs [n, in] before and after rounding. The weights are first
    fitted to the rounded inputs. Then they are rounded one input dimension after the other, and
    the remaining ones are adjusted to compensate for the error (GPTQ, Frantar et al. 2022).
    """
    second = rounded.T @ rounded / len(rounded)  # [in, in]
    mean_square = float(np.trace(second)) / len(second)
    second += np.eye(len(second)) * max(DAMPING * mean_square, _TINY)
    change = rounded.T @ ((inputs - rounded) @ weights) / len(rounded)
    left = weights + np.linalg.solve(second, change)
    scales = np.maximum(np.abs(left).max(axis=0) / most, _TINY)
    scales = scales.astype(np.float32).astype(np.float64)
    order = np.argsort(-np.diag(second))  # the largest inputs first
    spread = np.linalg.cholesky(np.linalg.inv(second[np.ix_(order, order)])).T
    left = left[order]
    integers = np.zeros(weights.shape, np.int8)
    for i, row in enumerate(order):
        whole = np.clip(np.rint(left[i] / scales), -most, most)
        integers[row] = whole
        left[i:] -= np.outer(spread[i, i:], (left[i] - whole * scales) / spread[i, i])
    error = inputs @ weights - rounded @ (integers * scales)
    return Rounded(integers, scales.astype(np.float32), error.mean(axis=0).astype(np.float32))
