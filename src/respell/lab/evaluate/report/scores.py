"""The page's tables of test sets and clean text, with the best of others beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from respell.lab.common.markdown import head, row
from respell.lab.evaluate.peers.standing import CLEAN, OURS, SETS, f05, measured
from respell.types import PRESETS

Record = Mapping[str, Any]
PUBLISHED = ("set", "system", "corrected", "source")
"""What every figure that others published must tell."""
_COLUMNS = (
    "system",
    "text",
    "P",
    "R",
    "F0.5",
    "P, authors' rule",
    "R",
    "F0.5",
    "words corrected",
    "damaged per 1,000",
)
_ABOUT = """By the first rule a misspelling that is changed to another wrong word is a miss; by the
authors' rule it is a false alarm as well. Damaged are right words that were changed. Words are
compared with their case; in the lower-cased rows the model is given the sentences without capitals
and its answers are compared without regard to case, as many correctors are scored. Below ours, in
italics, is the best of others that we know of."""


@dataclass(frozen=True, slots=True)
class Others:
    """What is known of other systems."""

    peers: Sequence[Record] = ()
    """Records of the arena."""
    paper: Record | None = None
    """The paper's best system, its own output scored by us."""
    published: Sequence[Record] = ()
    """Figures that others published."""


def tests(results: Mapping[str, Record], others: Others) -> list[str]:
    """A table for each test set."""
    lines = ["## Test sets", "", _ABOUT]
    for name, title in SETS.items():
        rows = [
            (preset, case, results[f"{name}.{preset}{suffix}"])
            for suffix, case in (("", "as it is"), (".lower", "lower-cased"))
            for preset in PRESETS
            if f"{name}.{preset}{suffix}" in results
        ]
        if rows:
            lines += ["", f"### {title}", "", *head(*_COLUMNS, words=2)]
            for preset, case, result in rows:
                figures = result["scores"]
                lower = figures["lower_cased"] if result.get("lower") else None
                lines.append(_scored(preset, case, lower or figures))
            lines += _elsewhere(name, others)
    return lines


def _scored(system: str, case: str, scores: Record) -> str:
    part = scores["all"]
    rules = [
        f"{part[rule][key]:.3f}"
        for rule in ("table", "authors")
        for key in ("precision", "recall", "f05")
    ]
    table = part["table"]
    corrected = f"{table['tp']:,} of {part['errors']:,} ({table['recall']:.1%})"
    return row(system, case, *rules, corrected, f"{scores['damaged_per_1000']:.2f}")


def _elsewhere(name: str, others: Others) -> list[str]:
    lines: list[str] = []
    sources: list[str] = []
    theirs = [record for record in measured(others.peers) if not record["peer"].startswith(OURS)]
    if theirs:
        best = max(theirs, key=lambda record: f05(record, name))
        lines.append(_scored(f"*{best['peer']}*", "as it is", best["sets"][name]["scores"]))
        part = best["sets"][name]
        of = "" if part["sentences"] == part["of"] else f", {part['sentences']} sentences of it"
        sources.append(f"{best['peer']}: the best of [the others we ran](../peers/README.md){of}")
    if name == "paper" and others.paper:
        lines.append(_scored("*the paper's row 11*", "as it is", others.paper["scores"]))
        sources.append("row 11: the authors' output, [scored by us](../paper/row11.json)")
    for figure in others.published:
        if figure["set"] == name:
            damaged = figure.get("damaged_per_1000", "–")
            cells = [f"*{figure['system']}*", "–", *["–"] * 6]
            lines.append(row(*cells, f"{figure['corrected']:.1%}", damaged))
            sources.append(f"{figure['system']}: {figure['source']}")
    return [*lines, "", *(f"- {source}" for source in sources)] if sources else lines


def clean(results: Mapping[str, Record], others: Others) -> list[str]:
    """False alarms of every preset, and of the best other corrector."""
    theirs = [record for record in measured(others.peers) if not record["peer"].startswith(OURS)]
    beside = theirs[:1]
    names = [f"*{record['peer']}*" for record in beside]
    lines = ["## Clean text", "", "Words flagged per 1,000. What is flagged is partly right: these"]
    lines[-1] += " texts hold typos of their own."
    lines += ["", *head("text", "words", *PRESETS, *names)]
    for name, title in CLEAN.items():
        found = [results.get(f"clean.{name}.{preset}") for preset in PRESETS]
        known = [record["total"] for record in found if record]
        if known:
            rates = [f"{one['total']['alarms_per_1000']:.2f}" if one else "–" for one in found]
            rates += [f"{r['sets'][name]['alarms_per_1000']:.2f}" for r in beside]
            lines.append(row(title, f"{known[0]['words']:,}", *rates))
    return lines
