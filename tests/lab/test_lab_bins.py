import random
from pathlib import Path

import pytest

from respell.decision.decode import IDENTITY, Calibration
from respell.lab.tune.bins import Bin, Judged, bins, calibration_error, cross_fitted, draw, fit
from respell.types import Error


def believed(mend: Calibration, count: int = 6000) -> list[Judged]:
    """Corrections that are right as often as the mended score says."""
    chance = random.Random(0)
    judged = []
    for _ in range(count):
        wrong = chance.random()
        probability = wrong * chance.choice([0.3, 0.6, 1.0])
        right = chance.random() < mend.score(probability, wrong)
        judged.append(Judged(probability, wrong, right))
    return judged


def test_bins_tell_score_and_share_right() -> None:
    judged = [(0.05, False), (0.07, True), (0.97, True), (1.0, True), (1.0005, False)]
    low, high, top = bins(judged)
    assert (low.least, low.most, low.count, low.right) == (0.0, 0.1, 2, 0.5)
    assert low.score == pytest.approx(0.06)
    assert (high.least, high.most, high.count, high.right) == (0.95, 0.99, 1, 1.0)
    assert (top.least, top.most, top.count, top.right) == (0.99, 1.0, 2, 0.5)


def test_the_error_is_the_mean_distance() -> None:
    judged = [(0.75, True), (0.75, False), (0.25, False), (0.25, False)]
    assert calibration_error(judged) == pytest.approx((2 * 0.25 + 2 * 0.25) / 4)
    assert calibration_error([]) == 0.0


def test_a_map_is_found_again() -> None:
    wanted = Calibration(slope=0.6, shift=-0.8)
    found = fit(believed(wanted))
    assert found.slope == pytest.approx(wanted.slope, abs=0.08)
    assert found.shift == pytest.approx(wanted.shift, abs=0.12)


def test_true_scores_are_left_as_they_are() -> None:
    found = fit(believed(IDENTITY))
    assert found.slope == pytest.approx(1, abs=0.08)
    assert found.shift == pytest.approx(0, abs=0.12)


def test_few_or_perverse_corrections_give_a_map_that_keeps_the_order() -> None:
    perverse = [Judged(0.9, 0.9, False), Judged(0.1, 0.2, True)] * 50
    for judged in ([], [Judged(0.9, 0.95, True)], [Judged(1.0, 1.0, True)] * 50, perverse):
        found = fit(judged)
        assert found.slope > 0
        assert found.apply(0.3) < found.apply(0.6)


def test_crossed_fitting_mends_what_it_did_not_see() -> None:
    judged = believed(Calibration(slope=0.5, shift=-1))
    mended = cross_fitted(judged)
    assert sorted(right for _, right in mended) == sorted(one.right for one in judged)
    plain = [(one.probability, one.right) for one in judged]
    assert calibration_error(mended) < 0.3 * calibration_error(plain)


def test_a_figure_names_its_panels_and_sets(tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    shown = [Bin(0.0, 0.1, 3, 0.05, 0.2), Bin(0.9, 0.95, 9, 0.93, 0.8)]
    thresholds = {"default": 0.5, "noisy": 0.25}
    draw({"default": {"essays": shown}, "noisy": {"essays": []}}, thresholds, path)
    text = path.read_text(encoding="utf-8")
    assert all(f">{word}<" in text for word in ("default", "noisy", "essays"))
    with pytest.raises(Error, match="no corrections to draw"):
        draw({"default": {"essays": []}}, thresholds, path)
