"""The page's sections on what the model gets wrong and on what was tried in training."""

from collections.abc import Mapping, Sequence
from typing import Any

from respell.lab.common.markdown import head, plain, row
from respell.lab.evaluate.mistakes import FLAGGED, KINDS

Record = Mapping[str, Any]
_DRAWN = """Drawn at random from all mistakes of the {preset} preset, one for each token. Some are
the fault of the sets: right words that they call wrong, or the reverse."""
FOLDER = "ablations"
"""Of the records of runs with one change changed."""
_TRIED = f"""Runs that differ in one change, of the same number of steps unless that is the change.
F0.5 on dev sets by the table rule, each run at thresholds of its own, `default` for people's errors
and `noisy` for heavily corrupted text, and in brackets what it gained on the run it is compared
with. Single runs: small differences say little, another seed shows how little. Their recipes are in
[{FOLDER}]({FOLDER})."""


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
    """What each change gave on dev."""
    scored = {record["name"]: _scores(record) for record in records}
    names = list(dict.fromkeys(name for scores in scored.values() for name in scores))
    lines = ["## What was tried", "", _TRIED, ""]
    lines += head("run", "change", "steps", *map(plain, names), words=2)
    for record in sorted(records, key=lambda record: record["against"] is not None):
        own, against = scored[record["name"]], scored.get(record["against"], {})
        cells = [plain(record["name"]), plain(record["change"]), f"{record['steps']:,}"]
        lines.append(row(*cells, *(_gained(own.get(n), against.get(n)) for n in names)))
    return lines


def _scores(record: Record) -> dict[str, float]:
    """F0.5 by the name of the set, people's errors first."""
    return {
        noisy.removesuffix(".txt").removesuffix(".noisy"): f05
        for kind in ("people", "noisy")
        for (noisy, _), (_, _, f05) in zip(record["sets"][kind], record["dev"][kind], strict=True)
    }


def _gained(score: float | None, against: float | None) -> str:
    if score is None:
        return "–"
    return f"{score:.3f}" if against is None else f"{score:.3f} ({score - against:+.3f})"


def learning(last: Record) -> list[str]:
    """The curve of the run that made the model."""
    return [
        "## How it learnt",
        "",
        f"{last['step']:,} steps, {last['words'] / 1e6:,.0f} million words, "
        f"{last['seconds'] / 60:.1f} minutes of training ([figures](training.jsonl)); "
        "[models.md](../../docs/models.md) tells what else made these weights.",
        "",
        "![loss and dev scores over steps](training.png)",
    ]
