from pathlib import Path

import pytest

from respell.lab.tune.bins import Bin, bins, calibration_error, draw
from respell.types import Error


def test_bins_have_the_mean_score_and_the_share_right() -> None:
    scored = [(0.05, False), (0.07, True), (0.97, True), (1.0, True), (1.0005, False)]
    low, high, top = bins(scored)
    assert (low.least, low.most, low.count, low.right) == (0.0, 0.1, 2, 0.5)
    assert low.score == pytest.approx(0.06)
    assert (high.least, high.most, high.count, high.right) == (0.95, 0.99, 1, 1.0)
    assert (top.least, top.most, top.count, top.right) == (0.99, 1.0, 2, 0.5)


def test_calibration_error_is_the_mean_distance() -> None:
    scored = [(0.75, True), (0.75, False), (0.25, False), (0.25, False)]
    assert calibration_error(scored) == pytest.approx((2 * 0.25 + 2 * 0.25) / 4)
    assert calibration_error([]) == 0.0


def test_plot_has_titles_and_a_legend(tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    shown = [Bin(0.0, 0.1, 3, 0.05, 0.2), Bin(0.9, 0.95, 9, 0.93, 0.8)]
    thresholds = {"default": 0.5, "noisy": 0.25}
    draw({"default": {"essays": shown}, "noisy": {"essays": []}}, thresholds, path)
    text = path.read_text(encoding="utf-8")
    assert all(f">{word}<" in text for word in ("default", "noisy", "essays"))
    with pytest.raises(Error, match="no corrections to plot"):
        draw({"default": {"essays": []}}, thresholds, path)
