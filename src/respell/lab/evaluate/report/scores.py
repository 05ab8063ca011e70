"""The page's tables of test sets and clean text, with the best other system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from respell.lab.common.markdown import head, heading, row
from respell.lab.evaluate.peers.ranking import CLEAN, OURS, SETS, f05, measured
from respell.types import PRESETS

Record = Mapping[str, Any]
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
_ABOUT = """By the table rule, a misspelling that is changed to another wrong word is a miss; by the
authors' rule it is also a false alarm. Damaged words are correct words that were changed. Words are
compared case-sensitively. In the lower-case rows, the model reads the sentences in lower case and
its answers are compared without case, as many correctors are scored. The best other systems that we
know of are in italics."""
_CLEAN = """Words flagged per 1,000. Some of them are real errors of the texts."""


@dataclass(frozen=True, slots=True)
class OtherSystems:
    """Results of other systems."""

    peers: Sequence[Record] = ()
    """Results of `peers run`."""
    paper: Record | None = None
    """The answers of the paper's best system, scored by us."""
    published: Sequence[Record] = ()
    """Published results."""

    @property
    def best(self) -> list[Record]:
        """Peers other than respell, the best mean F0.5 first."""
        return [one for one in measured(self.peers) if not one["peer"].startswith(OURS)]


def test_sets(results: Mapping[str, Record], others: OtherSystems) -> list[str]:
    """A table for each test set."""
    lines = ["## Test sets", "", _ABOUT]
    for name, title in SETS.items():
        rows = [
            (preset, case, results[f"{name}.{preset}{suffix}"])
            for suffix, case in (("", "original"), (".lower", "lower case"))
            for preset in PRESETS
            if f"{name}.{preset}{suffix}" in results
        ]
        if rows:
            lines += ["", heading(3, title), "", *head(*_COLUMNS, words=2)]
            for preset, case, result in rows:
                scores = result["scores"]
                lower = scores["lower_cased"] if result.get("lower") else None
                lines.append(_scored(preset, case, lower or scores))
            lines += _others(name, others)
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


def _others(name: str, others: OtherSystems) -> list[str]:
    lines: list[str] = []
    sources: list[str] = []
    if others.best:
        best = max(others.best, key=lambda record: f05(record, name))
        part = best["sets"][name]
        lines.append(_scored(f"*{best['peer']}*", "original", part["scores"]))
        of = "" if part["sentences"] == part["of"] else f", on {part['sentences']} sentences"
        sources.append(f"{best['peer']}: the best of [the systems we ran](../peers/README.md){of}")
    if name == "paper" and others.paper:
        lines.append(_scored("*the paper's row 11*", "original", others.paper["scores"]))
        sources.append("row 11: the authors' output, [scored by us](../paper/row11.json)")
    for result in others.published:
        if result["set"] == name:
            damaged = result.get("damaged_per_1000", "–")
            cells = [f"*{result['system']}*", "–", *["–"] * 6]
            lines.append(row(*cells, f"{result['corrected']:.1%}", damaged))
            sources.append(f"{result['system']}: {result['source']}")
    return [*lines, "", *(f"- {source}" for source in sources)] if sources else lines


def clean_text(results: Mapping[str, Record], others: OtherSystems) -> list[str]:
    """Flagged words of every preset, and of the best other system."""
    beside = others.best[:1]
    names = [f"*{record['peer']}*" for record in beside]
    lines = ["## Clean text", "", _CLEAN, "", *head("text", "words", *PRESETS, *names)]
    for name, title in CLEAN.items():
        found = [results.get(f"clean.{name}.{preset}") for preset in PRESETS]
        known = [record["total"] for record in found if record]
        if known:
            rates = [f"{one['total']['alarms_per_1000']:.2f}" if one else "–" for one in found]
            rates += [f"{r['sets'][name]['alarms_per_1000']:.2f}" for r in beside]
            lines.append(row(title, f"{known[0]['words']:,}", *rates))
    return lines
