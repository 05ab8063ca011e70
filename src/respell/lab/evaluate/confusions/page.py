"""Write the page and the plot of the confusion benchmark from its result files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common import svg
from respell.lab.common.markdown import head, heading, plain, row
from respell.lab.common.metrics import ratio
from respell.lab.common.storage import save_text
from respell.lab.evaluate.confusions.measure import WANTED_PRECISION
from respell.lab.evaluate.confusions.sentences import (
    MAX_WORDS,
    MIN_SENTENCES,
    MIN_WORDS,
    PER_WORD,
)
from respell.lab.evaluate.records import PARTS, Record, read_records

FILE, PLOT = "README.md", "curve.svg"
LISTED = 60
"""Directions in the list of the widest gaps."""
_PRECISION_FLOOR = 0.985  # of the plot
_COLOURS = ("#c0392b", "#2e86c1", "#7d6608")
_THEIR_COLOUR = "#5d6d7e"

_HEAD = f"""# Confused words

How often is a word restored that was replaced by another real word, such as *plane* by *plain*?
LanguageTool's English confusion sets name 782 pairs of words, with the precision and recall of its
rule, which uses 8 GB of n-grams. For every direction of a pair, up to {PER_WORD} sentences with the
right word were drawn from text that is held out from training ({MIN_WORDS} to {MAX_WORDS} words
each); directions with fewer than {MIN_SENTENCES} are left out. Each sentence is read twice: with
the wrong word in the same case, and unchanged.

- **Macro recall** is the mean over directions, **micro recall** the share of all sentences. A wrong
  word that is changed to a third word is a miss.
- **Balanced precision** is restored / (restored + right words that were flagged).
- LanguageTool's scores are those of its file, for the same directions; they were measured on other
  sentences.

Written by `python benchmarks/confusions.py --render` from the files in this folder. Choose on the
development text only; the test text is for reporting."""


def write(folder: Path) -> None:
    """Write the page and its plot."""
    records = read_records(folder, "benchmarks/confusions.py")
    save_text(render(records), folder / FILE)
    draw(records, folder / PLOT)


def render(records: Sequence[Record]) -> str:
    """The page as Markdown."""
    lines = [_HEAD]
    for part, title in PARTS.items():
        some = [record for record in records if record["part"] == part]
        if some:
            lines += ["", heading(2, title), "", *_table(some), "", *_facts(some[0])]
    lines += ["", "## All thresholds", "", f"![recall and precision by threshold]({PLOT})"]
    listed = next((record for record in records if record["part"] == "dev"), None)
    if listed:
        lines += ["", "## Behind LanguageTool", "", *_behind(listed)]
    return "\n".join(lines) + "\n"


def _table(records: Sequence[Record]) -> list[str]:
    lines = head(
        "system",
        "macro recall",
        "micro recall",
        "balanced precision",
        f"macro recall at precision {WANTED_PRECISION:.3f}",
        "at threshold",
        "flagged per 1,000 there",
        "directions not behind",
    )
    theirs = records[0]["scores"]["languagetool"]
    lines.append(row("LanguageTool's n-grams", *_cells(theirs, "macro_precision"), *["–"] * 4))
    for record in records:
        scores, best = record["scores"], record["best_point"]
        cells = _cells(scores, "balanced_precision")
        cells += [f"{best['macro_recall']:.3f}" if best else "–"]
        cells += [f"{best['threshold']:.3f}" if best else "–"]
        cells += [f"{best['flagged_per_1000']:.2f}" if best else "–"]
        lines.append(row(_name(record), *cells, f"{scores['not_behind_languagetool']:.0%}"))
    return lines


def _cells(scores: Mapping[str, float], precision: str) -> list[str]:
    recalls = [f"{scores[key]:.3f}" for key in ("macro_recall", "micro_recall")]
    return [*recalls, f"{scores[precision]:.4f}"]


def _name(record: Record) -> str:
    system = record["system"]
    return f"{plain(system['name'])} `{system['preset']}`"


def _facts(record: Record) -> list[str]:
    scores, often = record["scores"], record["often"]
    names = ", ".join(f"{name} ({text['part']})" for name, text in record["texts"].items())
    return [
        f"{scores['directions']:,} directions with {scores['sentences']:,} sentences; "
        f"{record['left_out']:,} directions are left out. "
        f"{often['directions']:,} directions have at least {often['at_least']} sentences; there "
        f"the macro recall of `{record['system']['preset']}` is {often['macro_recall']:.3f} "
        f"(LanguageTool {often['languagetool']['macro_recall']:.3f}).",
        "",
        f"Texts: {plain(names)}.",
    ]


def _behind(record: Record) -> list[str]:
    gaps = []
    for each in record["directions"]:
        recall = ratio(each["restored"], each["sentences"])
        if recall < each["languagetool"][1]:
            gaps.append((recall - each["languagetool"][1], each["written"], each["meant"], each))
    lines = [
        f"`{record['system']['preset']}` on the development text is behind on {len(gaps):,} "
        f"directions; these are the {min(LISTED, len(gaps))} widest gaps. The result file has all "
        "directions.",
        "",
        *head("written", "meant", "restored", "sentences", "LanguageTool's recall", words=2),
    ]
    for _, written, meant, each in sorted(gaps, key=lambda gap: gap[:3])[:LISTED]:
        counts = each["restored"], each["sentences"], f"{each['languagetool'][1]:.3f}"
        lines.append(row(plain(written), plain(meant), *counts))
    return lines


def draw(records: Sequence[Record], path: Path) -> None:
    """Plot balanced precision against macro recall at all thresholds, one panel for each part."""
    figure = svg.figure(9, 4.2)
    panels = figure.subplots(1, len(PARTS), sharey=True)
    for axes, (part, title) in zip(panels, PARTS.items(), strict=True):
        some = [record for record in records if record["part"] == part]
        for record, colour in zip(some, _COLOURS, strict=False):
            _draw_record(axes, record, colour)
        if some:
            theirs = some[0]["scores"]["languagetool"]
            axes.scatter(
                [theirs["macro_recall"]],
                [theirs["macro_precision"]],
                color=_THEIR_COLOUR,
                marker="s",
                label="LanguageTool's n-grams",
            )
            axes.legend(fontsize=8, loc="lower left")
        axes.axhline(WANTED_PRECISION, color=_THEIR_COLOUR, linewidth=0.6, linestyle=":")
        axes.set_title(title, fontsize=9)
        axes.set_xlim(0, 1)
        axes.set_ylim(_PRECISION_FLOOR, 1.0005)
        axes.grid(alpha=0.25)
    figure.supxlabel("macro recall")
    figure.supylabel("balanced precision")
    svg.save(figure, path)


def _draw_record(axes: Any, record: Record, colour: str) -> None:
    points = [(point[1], point[2]) for point in record["curve"]]
    axes.plot(*zip(*points, strict=True), color=colour, linewidth=1)
    scores = record["scores"]
    axes.scatter(
        [scores["macro_recall"]],
        [scores["balanced_precision"]],
        color=colour,
        s=25,
        label=record["system"]["preset"],
    )
