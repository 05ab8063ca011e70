"""Plots: F0.5 by speed, precision by recall, false alarms in clean text."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common import labels, svg
from respell.lab.evaluate.peers.ranking import (
    OURS,
    SETS,
    Record,
    alarms,
    mean_f05,
    measured,
    pareto_front,
)

SPEED, CURVES, ALARMS = "speed.svg", "curve.svg", "alarms.svg"
_NAME_SIZE = 9.0  # points
_OUR_COLOUR, _THEIR_COLOUR = "#c0392b", "#5d6d7e"


def draw_speed(records: Sequence[Record], timed: Record, path: Path) -> None:
    """Plot the mean F0.5 against words per CPU-second, with the Pareto front."""
    figure = svg.figure(8, 4.6)
    axes = figure.subplots()
    present = [r for r in measured(records) if r["peer"] in timed["peers"] and mean_f05(r)]
    speeds = {name: figure["words_per_cpu_second"] for name, figure in timed["peers"].items()}
    points = {r["peer"]: (speeds[r["peer"]]["median"], mean_f05(r)) for r in present}
    edge = [points[name] for name in pareto_front(present, timed)]
    axes.plot(*zip(*edge, strict=True), color=_OUR_COLOUR, linestyle=":", linewidth=1, zorder=0)
    for name, (x, y) in points.items():
        axes.scatter([x], [y], color=_colour(name), s=45 if name == OURS else 20)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.margins(x=0.12, y=0.1)
    axes.grid(alpha=0.25)
    axes.set_xlabel("words per CPU-second")
    axes.set_ylabel("F0.5, mean of five sets")
    axes.set_title(
        "dotted: no system is both faster and better than these", fontsize=8, loc="right"
    )
    _name_points(figure, axes, dict(sorted(points.items(), key=lambda p: p[0] != OURS)))
    svg.save(figure, path)


def _name_points(figure: Any, axes: Any, points: Mapping[str, tuple[float, float]]) -> None:
    """Label the points where there is room."""
    figure.draw_without_rendering()  # the layout must be known and stay fixed
    figure.set_layout_engine("none")
    scale = 72 / figure.dpi  # from pixels to points
    places = {name: tuple(axes.transData.transform(p) * scale) for name, p in points.items()}
    frame = axes.get_window_extent()
    edges = (frame.x0 * scale, frame.y0 * scale, frame.x1 * scale, frame.y1 * scale)
    boxes = labels.place(places, labels.Box(*edges), size=_NAME_SIZE, radius=4)
    for name, box in boxes.items():
        x, y = places[name]
        side = "left" if box.left >= x else "right" if box.right <= x else "center"
        at = {"left": box.left, "right": box.right, "center": (box.left + box.right) / 2}[side]
        axes.annotate(
            name,
            points[name],
            xytext=(at - x, (box.bottom + box.top) / 2 - y),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=_NAME_SIZE,
            color=_colour(name),
            fontweight="bold" if name == OURS else "normal",
        )


def draw_curves(records: Sequence[Record], curves: Record, path: Path) -> None:
    """Plot every set: respell by threshold as a line, the others as numbered points."""
    figure = svg.figure(11, 7)
    panels = figure.subplots(2, 3).flatten()
    present = measured(records)
    others = [r for r in present if not r["peer"].startswith(OURS) and mean_f05(r)]
    for axes, (name, title) in zip(panels, SETS.items(), strict=False):
        points = [(recall, precision) for _, precision, recall, _ in curves["curves"][name]]
        axes.plot(*zip(*points, strict=True), color=_OUR_COLOUR)
        for record in present:
            table = record["sets"][name]["scores"]["all"]["table"]
            if table["tp"]:
                label = str(others.index(record) + 1) if record in others else ""
                _mark(axes, label, table["recall"], table["precision"], ours=not label)
        axes.set_title(title, fontsize=9)
        axes.set_xlim(0, 1)
    legend = [f"{number}  {record['peer']}" for number, record in enumerate(others, start=1)]
    panels[-1].axis("off")
    panels[-1].text(0, 0.95, "respell at all thresholds; dots are presets", color=_OUR_COLOUR)
    panels[-1].text(0, 0.9, "\n".join(legend), color=_THEIR_COLOUR, va="top", fontsize=9)
    figure.supxlabel("recall")
    figure.supylabel("precision")
    svg.save(figure, path)


def draw_alarms(records: Sequence[Record], path: Path) -> None:
    """Plot the words changed per 1,000 words of clean text."""
    rates = {r["peer"]: alarms(r)[0] for r in measured(records)}
    names = sorted((name for name in rates if rates[name]), key=lambda name: -rates[name])
    figure = svg.figure(8, 0.8 + 0.28 * len(names))
    axes = figure.subplots()
    bars = axes.barh(names, [rates[name] for name in names], color=list(map(_colour, names)))
    axes.bar_label(bars, fmt="%.1f", padding=3, fontsize=8)
    axes.set_xlabel("words changed per 1,000 words of clean text")
    axes.margins(x=0.1)
    svg.save(figure, path)


def _colour(name: str) -> str:
    return _OUR_COLOUR if name.startswith(OURS) else _THEIR_COLOUR


def _mark(axes: Any, label: str, x: float, y: float, *, ours: bool) -> None:
    colour = _OUR_COLOUR if ours else _THEIR_COLOUR
    axes.scatter([x], [y], color=colour, s=20)
    offset = {"xytext": (4, 3), "textcoords": "offset points", "fontsize": 8}
    axes.annotate(label, (x, y), color=colour, **offset)
