"""Write the page and the plot of the benchmark of blanks from its result files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from respell.lab.common import svg
from respell.lab.common.markdown import head, heading, plain, row
from respell.lab.common.storage import save_text
from respell.lab.evaluate.records import PARTS, Record, read_records
from respell.lab.evaluate.spaces.cases import PER_CONTEXT, PER_GROUP, PER_PAIR
from respell.lab.evaluate.spaces.measure import MOST_ALARMS, WANTED_PRECISION

FILE, PLOT = "README.md", "curve.svg"
_LINES = (("recall_together", "#c0392b"), ("recall_apart", "#2e86c1"), ("precision", "#5d6d7e"))

_HEAD = f"""# Missing and extra blanks

How often is a missing blank (*alot*) or an extra one (*to gether*) found? Words are run together or
pulled apart in sentences kept from training. Each sentence is read twice: with the mistake, and
unchanged.

- **listed**: pairs of codespell and of Birkbeck's and natural misspellings, without those of
  `omega_heldout20`; at most {PER_PAIR} sentences for each pair and {PER_GROUP} in all.
- **by context**: words that are right both as one and as two, such as *every day* and *everyday*;
  at most {PER_CONTEXT} sentences for each direction.
- **anywhere**: two neighbours, or a word cut at any letter, in sentences drawn at random.
- **misspelled**: words of the first and the third kind with a typing error besides (*alott*).

**Recall** is the share of mistakes that become exactly what is meant. **Precision** is right /
(right + wrong + alarms): *wrong* are mistakes where blanks were changed to something else, and an
*alarm* is a blank that is added or removed at the right words of the unchanged sentence. *Others*
are mistakes that became another word, as without the option. **False alarms** are counted in
sentences drawn at random; a few may be genuine mistakes of their authors.

Written by `python benchmarks/spaces.py --render` from the files in this folder. Choose on the
development text only; the test text and Freiburg's sets are for reporting."""
_BLANKS = """Only the blanks of the answers are compared here; a change of a letter counts neither
for nor against a system. Words with a typing error besides are left out of our cases. SymSpell's
compound mode and wordsegment read no context beyond neighbouring words."""


def write(folder: Path) -> None:
    """Write the page and its plot."""
    records = read_records(folder, "benchmarks/spaces.py")
    save_text(render(records), folder / FILE)
    draw(records, folder / PLOT)


def render(records: Sequence[Record]) -> str:
    """The page as Markdown."""
    lines = [_HEAD]
    for record in records:
        title = f"{PARTS[record['part']]}, `{record['system']['preset']}`"
        lines += ["", heading(2, title), "", *_groups(record), "", *_facts(record)]
        lines += ["", heading(3, "words decided by context"), "", *_words(record)]
        lines += ["", heading(3, "next to other systems"), "", _BLANKS, "", *_blanks(record)]
    lines += ["", "## All thresholds", "", f"![recall and precision by threshold]({PLOT})"]
    return "\n".join(lines) + "\n"


def _groups(record: Record) -> list[str]:
    lines = head("group", "cases", "right", "wrong", "others", "alarms", "precision", "recall")
    for name, counts in record["groups"].items():
        lines.append(row(name, *_counts(counts)))
    return lines


def _counts(counts: Record) -> list[str]:
    numbers = [f"{counts[key]:,}" for key in ("cases", "right", "wrong", "others", "alarms")]
    return [*numbers, *(f"{counts[key]:.3f}" for key in ("precision", "recall"))]


def _facts(record: Record) -> list[str]:
    clean, without, best = record["clean"], record["without_the_option"], record["best_point"]
    found = (
        f"The threshold of the preset is {record['system']['spacing_threshold']:.3f}. "
        f"{clean['per_1000']:.3f} false alarms per 1,000 words in {clean['words']:,} words."
    )
    off = (
        f"With the option off, {without['changed']:,} of {without['cases']:,} listed words that "
        "are run together become another word."
    )
    wanted = f"precision {WANTED_PRECISION} and fewer than {MOST_ALARMS} false alarms per 1,000"
    if not best:
        return [found, off, f"No threshold has {wanted}."]
    return [
        found,
        off,
        f"The best threshold with {wanted} is {best['threshold']:.3f}: recall "
        f"{best['recall_together']:.3f} of words run together, {best['recall_apart']:.3f} of words "
        "pulled apart.",
    ]


def _words(record: Record) -> list[str]:
    lines = head("mistake", "cases", "right", "wrong", "others", "alarms", "precision", "recall")
    return lines + [row(plain(name), *_counts(c)) for name, c in record["words"].items()]


def _blanks(record: Record) -> list[str]:
    lines = head("set", "system", "precision", "recall", "F1", "lines right", words=2)
    for name, systems in record["blanks"].items():
        for system, scores in systems.items():
            if name == "cases":
                lines.append(row("our cases", plain(system), *_cells(scores)))
                continue
            if scores["all"]:
                lines.append(row(plain(name), plain(system), *_cells(scores["all"])))
            first = scores["first"]
            title = f"{plain(name)}, first {first['lines']:,}"
            lines.append(row(title, plain(system), *_cells(first)))
    return lines


def _cells(scores: Record) -> list[str]:
    shares = [f"{scores[key]:.3f}" for key in ("precision", "recall", "f1")]
    return [*shares, f"{scores['exact'] / max(scores['lines'], 1):.1%}"]


def draw(records: Sequence[Record], path: Path) -> None:
    """Plot precision and recall against the threshold, one panel for each part."""
    figure = svg.figure(9, 4.2)
    panels = figure.subplots(1, len(PARTS), sharey=True)
    for axes, (part, title) in zip(panels, PARTS.items(), strict=True):
        some = next((record for record in records if record["part"] == part), None)
        if some:
            _draw_record(axes, some)
        axes.axhline(WANTED_PRECISION, color="#5d6d7e", linewidth=0.6, linestyle=":")
        axes.set_title(title, fontsize=9)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.01)
        axes.grid(alpha=0.25)
    figure.supxlabel("threshold")
    svg.save(figure, path)


def _draw_record(axes: Any, record: Record) -> None:
    names = ("threshold", "precision", "recall_together", "recall_apart")
    columns = dict(zip(names, zip(*record["curve"], strict=True), strict=False))
    for name, colour in _LINES:
        label = name.replace("_", " ")
        axes.plot(columns["threshold"], columns[name], color=colour, linewidth=1, label=label)
    axes.legend(fontsize=8, loc="lower left")
