"""Plots: F0.5 of our and the published rows, learning curves, known and unknown pairs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common import svg
from respell.lab.evaluate.paper.claims import AUTHORS, Record, Records
from respell.lab.evaluate.paper.rows import Row
from respell.lab.evaluate.paper.sets import PAPER

F05, CURVES, PAIRS = "f05.svg", "curves.svg", "pairs.svg"
_OURS, _THEIRS = "#c0392b", "#5d6d7e"


def draw_f05(rows: Sequence[Row], records: Records, path: Path) -> None:
    """Plot F0.5 of every row by the authors' rule, ours next to the published."""
    figure = svg.figure(9, 4.5)
    axes = figure.subplots()
    published = {
        i: row.published["test"][3] for i, row in enumerate(rows) if "test" in row.published
    }
    ours = {
        i: _scores(records[row.row])["all"]["authors"]["f05"]
        for i, row in enumerate(rows)
        if row.row in records
    }
    for bars, shift, colour, label in (
        (published, -0.2, _THEIRS, "the paper, on its 5,844 sentences"),
        (ours, 0.2, _OURS, "ours, on those of 2,922 sentences inside our lexicon"),
    ):
        if bars:
            places = [place + shift for place in bars]
            drawn = axes.bar(places, list(bars.values()), 0.4, color=colour, label=label)
            axes.bar_label(drawn, fmt="%.3f", fontsize=6)
    if AUTHORS in records:
        level = _scores(records[AUTHORS])["all"]["authors"]["f05"]
        label = f"the authors' row 11 on our sentences, {level:.3f}"
        axes.axhline(level, color=_OURS, linestyle=":", linewidth=1, label=label)
    _name_rows(axes, rows)
    axes.set_ylabel("F0.5, authors' rule")
    axes.set_ylim(0, 1.2)
    axes.legend(fontsize=8, loc="upper left")
    svg.save(figure, path)


def draw_curves(rows: Sequence[Row], records: Records, path: Path) -> None:
    """Plot F0.5 on dev during the training of each row."""
    figure = svg.figure(9, 4.5)
    axes = figure.subplots()
    for row in rows:
        points = curve_points(records.get(row.row))
        if points:
            places = [point["seconds"] / 60 for point in points]
            label = f"{row.row} {row.name}"
            axes.plot(places, [p["dev_f05"] for p in points], marker=".", label=label)
    axes.set_xlabel("minutes of training")
    axes.set_ylabel("F0.5 on dev, table rule")
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    svg.save(figure, path)


def draw_pairs(rows: Sequence[Row], records: Records, path: Path) -> None:
    """Plot the share of corrected misspellings, by whether they are in the training list."""
    figure = svg.figure(9, 4.5)
    axes = figure.subplots()
    present = [(row.row, row.name) for row in rows if row.row in records]
    if AUTHORS in records:
        present.append(("authors'", "row 11"))
    keys = [row.row for row in rows if row.row in records] + [AUTHORS] * (AUTHORS in records)
    for kind, shift, colour in (("known", -0.2, _THEIRS), ("unknown", 0.2, _OURS)):
        shares = [_scores(records[key])[kind]["share"] for key in keys]
        places = [place + shift for place in range(len(keys))]
        drawn = axes.bar(places, shares, 0.4, color=colour, label=f"{kind} pairs")
        axes.bar_label(drawn, fmt="%.3f", fontsize=6)
    names = [f"{number} {name}" for number, name in present]
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=7)
    axes.set_ylabel("share corrected")
    axes.set_ylim(0, 1.15)
    axes.legend(fontsize=8, loc="upper left", ncols=2)
    svg.save(figure, path)


def curve_points(record: Record | None) -> list[Mapping[str, Any]]:
    """The dev scores of a row during its training."""
    return [p for p in record["curve"]["dev"] if "dev_f05" in p] if record else []


def _scores(record: Record) -> Mapping[str, Any]:
    scores: Mapping[str, Any] = record["sets"][PAPER]["scores"]
    return scores


def _name_rows(axes: Any, rows: Sequence[Row]) -> None:
    names = [f"{row.row} {row.name}" for row in rows]
    axes.set_xticks(range(len(rows)), names, rotation=30, ha="right", fontsize=7)
