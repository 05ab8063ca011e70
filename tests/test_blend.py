"""Two readings of heavily corrupted text are believed in the mean."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import Fake, fake_bundle
from respell.blend import blend
from respell.corrector import Corrector
from respell.features import WILD, Features, TopK

K, WORDS, LENGTH = 3, 6, 4


@st.composite
def readings(draw: st.DrawFn) -> TopK:
    """What a model may say of one sentence: suspects in order, distinct words, best first."""
    positions = sorted(draw(st.sets(st.integers(0, LENGTH - 1))))
    ids = [draw(st.permutations(range(WORDS)))[:K] for _ in positions]
    numbers = st.lists(st.floats(0.01, 0.33), min_size=K, max_size=K)
    shares = [sorted(draw(numbers), reverse=True) for _ in positions]
    keep = draw(st.lists(st.floats(0, 1), min_size=LENGTH, max_size=LENGTH))
    return TopK(
        keep=np.array([keep], np.float32),
        positions=np.array(positions, np.int64),
        ids=np.array(ids, np.int64).reshape(-1, K),
        probabilities=np.array(shares, np.float32).reshape(-1, K),
        cases=np.array([draw(st.integers(0, 3)) for _ in positions], np.int64),
    )


def by_word(said: TopK, position: int) -> dict[int, float]:
    rows = np.flatnonzero(said.positions == position)
    return {
        int(i): float(p)
        for row in rows
        for i, p in zip(said.ids[row], said.probabilities[row], strict=True)
    }


@given(readings(), readings(), st.floats(0.1, 0.9))
def test_every_word_has_the_mean_of_both(first: TopK, second: TopK, weight: float) -> None:
    both = blend(first, second, weight)
    assert both.positions.tolist() == sorted(
        {*first.positions.tolist(), *second.positions.tolist()}
    )
    assert both.ids.shape == both.probabilities.shape == (len(both.positions), K)
    np.testing.assert_allclose(both.keep, weight * first.keep + (1 - weight) * second.keep, 1e-5)
    for row, position in enumerate(both.positions.tolist()):
        one, other = by_word(first, position), by_word(second, position)
        mean = {i: weight * one.get(i, 0) + (1 - weight) * other.get(i, 0) for i in one | other}
        shares = both.probabilities[row].tolist()
        assert shares == sorted(shares, reverse=True)
        assert shares == pytest.approx(sorted(mean.values(), reverse=True)[:K], abs=1e-6)
        for i, share in zip(both.ids[row].tolist(), shares, strict=True):
            assert share == pytest.approx(mean[i], abs=1e-6)
        said = first if position in first.positions else second
        assert both.cases[row] == said.cases[said.positions == position][0]


@given(readings())
def test_a_reading_blended_with_itself_is_itself(said: TopK) -> None:
    both = blend(said, said, 0.5)
    np.testing.assert_array_equal(both.positions, said.positions)
    np.testing.assert_allclose(both.probabilities, said.probabilities, 1e-5)
    np.testing.assert_array_equal(both.cases, said.cases)


class Listening(Fake):
    """Says something else of text that it is told is wild."""

    def __call__(self, features: Features, gate: float) -> TopK:
        said = super().__call__(features, gate)
        wild = bool((features.shapes >= WILD).any())
        return replace(said, probabilities=said.probabilities * (1.0 if wild else 0.5))


def corrector(told: float, *, wild: bool = True) -> Corrector:
    bundle = fake_bundle()
    noisy = replace(bundle.config.presets["noisy"], wild=wild, told=told)
    presets = {**bundle.config.presets, "noisy": noisy}
    bundle = replace(bundle, config=replace(bundle.config, presets=presets))
    return Corrector(bundle, Listening({"teh": (("the", 0.8),)}), preset="noisy")


@pytest.mark.parametrize(("told", "score"), [(1.0, 0.8), (0.5, 0.6), (0.25, 0.5)])
def test_the_score_is_that_of_both_readings(told: float, score: float) -> None:
    (found,) = corrector(told).check("teh zebra")
    assert found.score == pytest.approx(score)
    said = corrector(told).explain("teh zebra", 0)
    assert said.candidates[0].probability == pytest.approx(score)


def test_text_of_which_nothing_is_told_is_read_once() -> None:
    one = corrector(0.5, wild=False)
    one.check("teh zebra")
    assert isinstance(one.forward, Listening)
    assert len(one.forward.seen) == 1
