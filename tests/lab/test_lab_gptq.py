import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respell.lab.export.int8.gptq import Array, Range, choose_range, round_weights


def correlated(rows: int, width: int, seed: int) -> Array:
    dice = np.random.default_rng(seed)
    few = dice.standard_normal((rows, width // 4)) @ dice.standard_normal((width // 4, width))
    noisy: Array = few + 0.1 * dice.standard_normal((rows, width))
    return noisy


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), steps=st.sampled_from([127, 255]), shift=st.floats(-3, 3))
def test_a_range_keeps_zero_and_most_numbers(seed: int, steps: int, shift: float) -> None:
    numbers = np.random.default_rng(seed).standard_normal((100, 16)) + shift
    found = choose_range(numbers, steps)
    assert 0 <= found.zero <= steps
    assert found.apply(np.zeros(1)) == 0
    inside = np.abs(found.apply(numbers) - numbers) <= found.scale * 0.5001
    assert inside.mean() > 0.9


def test_rare_numbers_are_clipped_where_steps_are_few() -> None:
    numbers = np.random.default_rng(1).standard_normal(10_000)
    assert choose_range(numbers, 15).scale < 0.9 * (numbers.max() - numbers.min()) / 15


def test_a_range_of_zeros() -> None:
    assert choose_range(np.zeros((4, 4)), 255).apply(np.zeros(3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("most", [7, 64])
def test_rounding_spoils_less_than_the_nearest_integers_do(most: int) -> None:
    inputs = correlated(2000, 64, 3)
    weights = np.random.default_rng(4).standard_normal((64, 32))
    limits = choose_range(inputs, 255)
    rounded = limits.apply(inputs)
    made = round_weights(weights, inputs, rounded, most=most)
    assert np.abs(made.integers.astype(int)).max() <= most
    fresh = inputs[::2]
    scales = np.abs(weights).max(axis=0) / most
    nearest = np.rint(weights / scales) * scales
    found = rounded[::2] @ (made.integers * made.scales) + made.shift
    error = np.square(found - fresh @ weights).mean()
    assert error < 0.6 * np.square(rounded[::2] @ nearest - fresh @ weights).mean()


def test_inputs_that_are_always_zero() -> None:
    weights = np.random.default_rng(5).standard_normal((8, 4))
    nothing = np.zeros((3, 8))
    made = round_weights(weights, nothing, Range(1.0, 0, 255).apply(nothing), most=64)
    assert np.isfinite(made.scales).all()
    assert np.isfinite(made.shift).all()


@pytest.mark.parametrize("column", [0, 1, 2, 63])
def test_one_large_column_is_not_overlooked(column: int) -> None:
    numbers = np.random.default_rng(6).standard_normal((6400, 64))
    numbers[:, column] *= 10
    error = choose_range(numbers, 255).apply(numbers) - numbers
    assert np.square(error).mean() < 0.005 * np.square(numbers).mean()
