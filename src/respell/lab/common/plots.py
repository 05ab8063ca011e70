"""Plot the training curve of a run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.storage import parse_json, read_text, replacing
from respell.types import Error


def plot_metrics(metrics_jsonl: Path, png: Path) -> None:
    """Plot the loss, and the dev scores if there are any, over the steps of a training run."""
    metrics = _read_metrics(metrics_jsonl)
    losses = [(row["step"], row["loss"]) for row in metrics if "loss" in row]
    names = sorted({key for row in metrics for key in row if key.startswith("dev_")})
    figure = _figure()
    axes = figure.subplots()
    axes.plot(*_columns(losses), color="tab:gray", label="loss")
    axes.set_xlabel("step")
    axes.set_ylabel("loss")
    lines = axes.get_lines()
    if names:
        right = axes.twinx()
        right.set_ylabel("dev score")
        for name in names:
            points = [(row["step"], row[name]) for row in metrics if name in row]
            lines += right.plot(*_columns(points), marker=".", label=name.removeprefix("dev_"))
    axes.legend(handles=lines, loc="best")
    _save(figure, png)


def _read_metrics(path: Path) -> list[dict[str, Any]]:
    metrics = []
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            row = parse_json(line, f"{path}:{number}")
            if "step" not in row:
                raise Error(f"{path}:{number}: no step; every line needs one")
            metrics.append(row)
    if not metrics:
        raise Error(f"{path}: no metrics to plot; train first")
    return metrics


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _figure() -> Any:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise Error("plots need matplotlib; run: pip install '.[lab]'") from error
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(figure)  # without pyplot there is no global state and no display
    return figure


def _save(figure: Any, png: Path) -> None:
    with replacing(png) as temporary:
        figure.savefig(temporary, format="png", dpi=120)
