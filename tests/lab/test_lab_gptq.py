import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respell.lab.export.int8.gptq import Array, Range, choose_range, round_weights


def correlated(rows: int, width: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    few = rng.standard_normal((rows, width // 4)) @ rng.standard_normal((width // 4, width))
    noisy: Array = few + 0.1 * rng.standard_normal((rows, width))
    return noisy


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), steps=st.sampled_from([127, 255]), shift=st.floats(-3, 3))
def test_range_keeps_zero_and_most_numbers(seed: int, steps: int, shift: float) -> None:
    numbers = np.random.default_rng(seed).standard_normal((100, 16)) + shift
    found = choose_range(numbers, steps)
    assert 0 <= found.zero <= steps
    assert found.apply(np.zeros(1)) == 0
    inside = np.abs(found.apply(numbers) - numbers) <= found.scale * 0.5001
    assert inside.mean() > 0.9


def test_outliers_are_clipped_if_there_are_few_steps() -> None:
    numbers = np.random.default_rng(1).standard_normal(10_000)
    assert choose_range(numbers, 15).scale < 0.9 * (numbers.max() - numbers.min()) / 15


def test_range_of_zeros() -> None:
    assert choose_range(np.zeros((4, 4)), 255).apply(np.zeros(3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("most", [7, 64])
def test_error_is_smaller_than_with_nearest_integers(most: int) -> None:
    inputs = correlated(2000, 64, 3)
    weights = np.random.default_rng(4).standard_normal((64, 32))
    limits = choose_range(inputs, 255)
    rounded = limits.apply(inputs)
    found = round_weights(weights, inputs, rounded, most=most)
    assert np.abs(found.integers.astype(int)).max() <= most
    sample = inputs[::2]
    scales = np.abs(weights).max(axis=0) / most
    nearest = np.rint(weights / scales) * scales
    product = rounded[::2] @ (found.integers * found.scales) + found.shift
    error = np.square(product - sample @ weights).mean()
    assert error < 0.6 * np.square(rounded[::2] @ nearest - sample @ weights).mean()


def test_inputs_that_are_always_zero() -> None:
    weights = np.random.default_rng(5).standard_normal((8, 4))
    nothing = np.zeros((3, 8))
    found = round_weights(weights, nothing, Range(1.0, 0, 255).apply(nothing), most=64)
    assert np.isfinite(found.scales).all()
    assert np.isfinite(found.shift).all()


@pytest.mark.parametrize("column", [0, 1, 2, 63])
def test_one_large_column_is_in_the_range(column: int) -> None:
    numbers = np.random.default_rng(6).standard_normal((6400, 64))
    numbers[:, column] *= 10
    error = choose_range(numbers, 255).apply(numbers) - numbers
    assert np.square(error).mean() < 0.005 * np.square(numbers).mean()
