"""What results look like: training curves as PNG, tables as Markdown."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.markdown import head, row
from respell.lab.storage import parse_json, read_json, read_text, replacing
from respell.types import Error

COLUMNS = (
    "name",
    "F0.5 (table rule)",
    "P",
    "R",
    "F0.5 (authors' rule)",
    "unknown pairs",
    "damaged/1,000",
    "words/s",
)


def plot_metrics(metrics_jsonl: Path, png: Path) -> None:
    """Draw the loss, and the dev scores where there are any, over the steps of a training run."""
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


def table(records: Sequence[Mapping[str, Any]]) -> str:
    """Markdown rows, one per record that `evaluate` wrote, in the order given."""
    lines = head(*COLUMNS)
    lines += [row(*_cells(record)) for record in records]
    return "\n".join(lines) + "\n"


def summary(record: Mapping[str, Any]) -> str:
    """A few aligned lines for a record that `evaluate` made."""
    scores, speed = record["scores"], record["words_per_second"]
    everything = scores["all"]
    lines = [
        f"{record['name']}: {everything['tokens']:,} tokens, {everything['errors']:,} misspelled",
        f"{'':12}{'accuracy':>9}"
        f"{'table P':>10}{'R':>8}{'F0.5':>8}{'authors P':>12}{'R':>8}{'F0.5':>8}",
    ]
    parts = {
        "all": everything,
        "real words": scores["real_words"],
        "non-words": scores["non_words"],
        "lower-cased": scores["lower_cased"]["all"],
    }
    for name, part in parts.items():
        if part is not None:
            t, a = part["table"], part["authors"]
            lines.append(
                f"{name:12}{part['accuracy']:9.4f}"
                f"{t['precision']:10.4f}{t['recall']:8.4f}{t['f05']:8.4f}"
                f"{a['precision']:12.4f}{a['recall']:8.4f}{a['f05']:8.4f}"
            )
    for name in ("known", "unknown"):
        if pairs := scores[name]:
            share = f"{pairs['corrected']:,} of {pairs['count']:,} ({pairs['share']:.4f})"
            lines.append(f"{name} pairs corrected: {share}")
    alarms = f"{scores['false_alarms']:,} ({scores['damaged_per_1000']:.2f} per 1,000)"
    lines.append(f"correct words damaged: {alarms}")
    if speed:
        lines.append(f"{speed:,.0f} words/s")
    return "\n".join(lines) + "\n"


def configure_table(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the `table` command."""
    parser.add_argument("results", nargs="+", type=Path, metavar="JSON", help="from evaluate")


def run_table(args: argparse.Namespace) -> int:
    """Print the table of some result files."""
    sys.stdout.write(table([_read_record(path) for path in args.results]))
    return 0


def _cells(record: Mapping[str, Any]) -> list[str]:
    scores, speed = record["scores"], record["words_per_second"]
    rule, unknown = scores["all"]["table"], scores["unknown"]
    return [
        str(record["name"]).replace("|", "\\|"),
        f"{rule['f05']:.4f}",
        f"{rule['precision']:.4f}",
        f"{rule['recall']:.4f}",
        f"{scores['all']['authors']['f05']:.4f}",
        f"{unknown['share']:.4f} ({unknown['corrected']}/{unknown['count']})" if unknown else "–",
        f"{scores['damaged_per_1000']:.2f}",
        f"{speed:,.0f}" if speed else "–",
    ]


def _read_record(path: Path) -> dict[str, Any]:
    record = read_json(path)
    try:
        _cells(record)
    except (KeyError, TypeError, ValueError) as error:
        told = "not a result of evaluate; give only files that evaluate wrote"
        raise Error(f"{path}: {told}") from error
    return record


def _read_metrics(path: Path) -> list[dict[str, Any]]:
    metrics = []
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            row = parse_json(line, f"{path}:{number}")
            if "step" not in row:
                raise Error(f"{path}:{number}: no step; every line of metrics names its step")
            metrics.append(row)
    if not metrics:
        raise Error(f"{path}: no metrics to draw; train first")
    return metrics


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _figure() -> Any:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise Error("plots need matplotlib: pip install 'respell[lab]'") from error
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(figure)  # a canvas of its own: no pyplot, so no global state and no display
    return figure


def _save(figure: Any, png: Path) -> None:
    with replacing(png) as temporary:
        figure.savefig(temporary, format="png", dpi=120)
