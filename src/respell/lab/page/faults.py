"""The page's sections on what the model gets wrong and on what was tried in training."""

from collections.abc import Mapping, Sequence
from typing import Any

from respell.lab.ablation import FOLDER
from respell.lab.mistakes import FLAGGED, KINDS
from respell.lab.page.markdown import head, plain, row

Record = Mapping[str, Any]
_DRAWN = """Drawn at random from all mistakes of the {preset} preset, one for each token. Some are
the fault of the sets: right words that they call wrong, or the reverse."""
_TRIED = f"""Runs that differ in one lever, scored on a development set while they trained; their
recipes are in [{FOLDER}]({FOLDER})."""


def mistakes(record: Record, titles: Mapping[str, str]) -> list[str]:
    """Examples drawn at random, with a couple of words around them."""
    lines = ["## What it gets wrong", "", _DRAWN.format(preset=record["system"]["preset"])]
    flagged: list[str] = []
    for one in record["mistakes"]:
        title = titles.get(one["set"], one["set"])
        rows = {group["kind"]: _examples(group) for group in one["kinds"]}
        if FLAGGED in rows:
            flagged.append(row(title, *rows.pop(FLAGGED)))
        if rows:
            lines += ["", f"### {title}", "", *head("what", "for example", "how many", words=2)]
            lines += [row(KINDS[kind], *cells) for kind, cells in rows.items()]
    if flagged:
        columns = head("text", "for example", "how many", words=2)
        lines += ["", f"### {KINDS[FLAGGED]}", "", *columns, *flagged]
    return lines


def _examples(group: Record) -> tuple[str, str]:
    told = "<br>".join(_example(group["kind"], example) for example in group["examples"])
    return told, f"{group['count']:,}"


def _example(kind: str, example: Record) -> str:
    before, token, after = (plain(example[key]) for key in ("before", "token", "after"))
    quoted = " ".join(filter(None, (before, f"**{token}**", after)))
    said, wanted = plain(example["said"]), plain(example["wanted"])
    if kind == FLAGGED or example["wanted"] == example["token"]:
        return f"{quoted} → {said}"
    if example["said"] == example["token"]:
        return f"{quoted} (meant: {wanted})"
    return f"{quoted} → {said} (meant: {wanted})"


def ablations(records: Sequence[Record]) -> list[str]:
    """What each lever gave on dev."""
    scored = {record["name"]: record["dev"] for record in records}
    lines = ["## What was tried", "", _TRIED, ""]
    lines += head("run", "lever", "steps", "minutes", "P", "R", "F0.5", "F0.5 gained on", words=2)
    for record in records:
        dev = record["dev"]
        against = record.get("against")
        gained = (
            f"{dev['f05'] - scored[against]['f05']:+.3f} {against}" if against in scored else "–"
        )
        figures = [f"{dev[key]:.3f}" for key in ("precision", "recall", "f05")]
        minutes = f"{record['seconds'] / 60:.1f}"
        cells = (plain(record["name"]), plain(record["lever"]), f"{record['steps']:,}", minutes)
        lines.append(row(*cells, *figures, gained))
    return lines


def learning(last: Record) -> list[str]:
    """The curve of the run that made the model."""
    return [
        "## How it learnt",
        "",
        f"{last['step']:,} steps, {last['words'] / 1e6:,.0f} million words, "
        f"{last['seconds'] / 60:.1f} minutes of training ([figures](training.jsonl)).",
        "",
        "![loss and dev scores over steps](training.png)",
    ]
