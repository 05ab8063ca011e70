"""The page's sections about ablations and the training curve."""

from collections.abc import Mapping, Sequence
from typing import Any

from respell.lab.common.markdown import head, plain, row

Record = Mapping[str, Any]
FOLDER = "ablations"
"""The folder with the results of `ablation`."""
_ABOUT = f"""Runs that differ in one setting and have the same number of steps, unless that is
the difference. F0.5 on dev sets by the table rule, each run at its own thresholds: those of
`default` for errors made by people, those of `noisy` for heavily corrupted text. In brackets is
the difference to the run it is compared with. These are single runs, so small differences mean
little; the run with another seed shows how little. The set `ablations`
has the paper's noise, `unknown` has only misspellings that are in no training list. The recipes are
in [{FOLDER}]({FOLDER})."""


def ablations(records: Sequence[Record]) -> list[str]:
    """The dev scores of every run."""
    scored = {record["name"]: _scores(record) for record in records}
    names = list(dict.fromkeys(name for scores in scored.values() for name in scores))
    lines = ["## Ablations", "", _ABOUT, ""]
    lines += head("run", "difference", "steps", *map(plain, names), words=2)
    for record in sorted(records, key=lambda record: record["against"] is not None):
        own, against = scored[record["name"]], scored.get(record["against"], {})
        cells = [plain(record["name"]), plain(record["change"]), f"{record['steps']:,}"]
        lines.append(row(*cells, *(_difference(own.get(n), against.get(n)) for n in names)))
    return lines


def _scores(record: Record) -> dict[str, float]:
    """F0.5 by the name of the set, errors made by people first."""
    return {
        noisy.removesuffix(".txt").removesuffix(".noisy"): f05
        for kind in ("people", "noisy")
        for (noisy, _), (_, _, f05) in zip(record["sets"][kind], record["dev"][kind], strict=True)
    }


def _difference(score: float | None, against: float | None) -> str:
    if score is None:
        return "–"
    return f"{score:.3f}" if against is None else f"{score:.3f} ({score - against:+.3f})"


def curve(last: Record) -> list[str]:
    """The plot of the training run that made the model."""
    return [
        "## Training",
        "",
        f"{last['step']:,} steps, {last['words'] / 1e6:,.0f} million words, "
        f"{last['seconds'] / 60:.1f} minutes ([data](training.jsonl)). "
        "[models.md](../../docs/internals/models.md) lists all stages of the training.",
        "",
        "![loss and dev scores by step](training.png)",
    ]
