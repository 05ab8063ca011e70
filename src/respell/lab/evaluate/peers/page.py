"""Write the page that compares respell with its peers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.markdown import head, heading, row
from respell.lab.common.storage import read_json, save_text
from respell.lab.evaluate.peers import curve, figures, speed
from respell.lab.evaluate.peers.ranking import (
    CLEAN,
    OURS,
    SETS,
    Record,
    alarms,
    f05,
    mean_f05,
    measured,
    pareto_front,
)
from respell.lab.evaluate.peers.results import read_records

FILE = "README.md"
_HEAD = """# Comparison with other correctors

Every corrector ran in its own process, read the same tokens sentence by sentence, and had to return
as many tokens. Written by `python -m respell.lab peers render` from the files in this folder;
[benchmarks.md](../../docs/internals/benchmarks.md) explains how to repeat it and how to add a
corrector."""
_RULES = """A corrected misspelling is a hit, a changed correct word is a false alarm, and a
misspelling that stays wrong is a miss. By the authors' rule, a misspelling that is changed to
another wrong word is also a false alarm. If a corrector suggests two words, its first suggestion of
one word is used. Halves of contractions (`didn 't`) are not looked up in dictionaries. † marks
correctors that were too slow for the whole set and were scored on a random sample; the tables below
have its size."""
_SPEED = """Words per second of CPU time (user and system, with child processes), without loading.
All correctors read the same sentences: the four bench sets, shuffled ({words:,} tokens, one in
fifteen misspelled), as many as fit into {seconds:.0f} seconds. They ran in turns; the table has the
median of the rounds, and in brackets the smallest and largest ratio to {base} within a round.
Memory is the peak resident size. Disk is the size of packages, models and dictionaries, without
Python or Node."""


def write(folder: Path) -> None:
    """Write the page and its plots."""
    save_text(render_folder(folder), folder / FILE)
    records, timed, curves = _read(folder)
    figures.draw_alarms(records, folder / figures.ALARMS)
    if timed:
        figures.draw_speed(records, timed, folder / figures.SPEED)
    if curves:
        figures.draw_curves(records, curves, folder / figures.CURVES)


def render_folder(folder: Path) -> str:
    """The page for a folder of results."""
    return render(*_read(folder))


def _read(folder: Path) -> tuple[list[Record], Record | None, Record | None]:
    timed, curves = folder / speed.FILE, folder / curve.FILE
    return (
        read_records(folder),
        read_json(timed) if timed.is_file() else None,
        read_json(curves) if curves.is_file() else None,
    )


def render(records: Sequence[Record], timed: Record | None, curves: Record | None) -> str:
    """The page as Markdown."""
    present = measured(records)
    lines = [_HEAD, "", "## Sentences with misspellings", "", *_overview(present), "", _RULES]
    if curves:
        lines += ["", f"![precision and recall by threshold]({figures.CURVES})"]
    for name, title in SETS.items():
        lines += ["", heading(3, title), "", *_set_table(present, name)]
    lines += ["", "## Clean text", "", *_clean_table(present)]
    lines += ["", f"![words changed per 1,000 words]({figures.ALARMS})"]
    lines += ["", "## Speed and size", "", *_speed_section(present, timed)]
    lines += ["", "## Versions and settings", "", *_setups(present)]
    lines += ["", *_absent(records)]
    return "\n".join(lines).rstrip() + "\n"


def _overview(present: Sequence[Record]) -> list[str]:
    best = {name: max(f05(record, name) for record in present) for name in SETS}
    lines = ["F0.5 by the table rule, sorted by the mean.", ""]
    lines += head("system", *SETS.values(), "mean")
    for record in present:
        cells = []
        for name in SETS:
            value, part = f05(record, name), record["sets"][name]
            text = f"**{value:.3f}**" if value == best[name] else f"{value:.3f}"
            cells.append(text + ("†" if part["sentences"] < part["of"] else ""))
        lines.append(row(record["peer"], *cells, f"{mean_f05(record):.3f}"))
    others = [r for r in present if not r["peer"].startswith(OURS)]
    lines.append("")
    for record in present:
        if record["peer"].startswith(OURS):
            won = sum(all(f05(record, n) > f05(other, n) for other in others) for n in SETS)
            lines.append(f"- {record['peer']} beats all others on {won} of {len(SETS)} sets.")
    return lines


def _set_table(present: Sequence[Record], name: str) -> list[str]:
    lines = head(
        "system",
        "sentences",
        "precision",
        "recall",
        "F0.5",
        "F0.5, authors' rule",
        "recall, real words",
        "recall, non-words",
        "damaged per 1,000",
    )
    for record in sorted(present, key=lambda r: -f05(r, name)):
        part = record["sets"][name]
        scores = part["scores"]
        table = scores["all"]["table"]
        values = [table["precision"], table["recall"], table["f05"]]
        values += [scores["all"]["authors"]["f05"]]
        values += [scores[kind]["table"]["recall"] for kind in ("real_words", "non_words")]
        cells = [f"{value:.3f}" for value in values]
        damaged = f"{scores['damaged_per_1000']:.2f}"
        lines.append(row(record["peer"], f"{part['sentences']:,}", *cells, damaged))
    return lines


def _clean_table(present: Sequence[Record]) -> list[str]:
    lines = ["Words changed per 1,000. Some of them are real errors of the texts.", ""]
    lines += head("system", *CLEAN.values(), "mean", "words")
    for record in sorted(present, key=lambda r: alarms(r)[0]):
        rates = [f"{record['sets'][name]['alarms_per_1000']:.2f}" for name in CLEAN]
        rate, words = alarms(record)
        lines.append(row(record["peer"], *rates, f"{rate:.2f}", f"{words:,}"))
    return lines


def _speed_section(present: Sequence[Record], timed: Record | None) -> list[str]:
    if not timed:
        return ["Not measured yet: run `python -m respell.lab peers speed`."]
    facts = {key: timed[key] for key in ("words", "base", "seconds")}
    lines = [_SPEED.format(**facts), ""]
    lines += [f"![F0.5 by speed]({figures.SPEED})", ""]
    names = ", ".join(pareto_front(present, timed))
    lines += [f"No other corrector is both faster and better than these: {names}.", ""]
    base = f"× {timed['base']}"
    lines += head("system", "words per CPU-second", base, "load time, s", "memory, MB", "disk, MB")
    rows = [r for r in present if r["peer"] in timed["peers"]]
    rate = {r["peer"]: timed["peers"][r["peer"]]["words_per_cpu_second"]["median"] for r in rows}
    for record in sorted(rows, key=lambda r: -rate[r["peer"]]):
        figure = timed["peers"][record["peer"]]
        ratio = figure.get("ratio")
        relative = "–"
        if ratio:
            relative = f"{ratio['median']:.3g} ({ratio['least']:.3g}–{ratio['most']:.3g})"
        lines.append(
            row(
                record["peer"],
                f"{rate[record['peer']]:,.0f}",
                relative,
                f"{figure['load_seconds']['median']:.2f}",
                f"{figure['peak_rss_bytes']['median'] / 1e6:,.0f}",
                f"{record['disk_bytes'] / 1e6:,.1f}",
            )
        )
    return [*lines, "", f"Measured on {_machine(timed)}."]


def _machine(record: Mapping[str, Any]) -> str:
    machine = record["machine"]
    return f"{machine['cpu']}, {machine['cores']} cores, {record['date'][:10]}"


def _setups(present: Sequence[Record]) -> list[str]:
    lines = ["| system | version | settings |", "|---|---|---|"]
    for record in sorted(present, key=lambda r: r["peer"]):
        names = [f"{name} {version}" for name, version in record["versions"].items()]
        if record["peer"].startswith(OURS):
            names = [f"respell {record['respell']}, bundle {record['sha256']['config.json'][:12]}"]
        lines.append(row(record["peer"], ", ".join(names) or "–", record["about"]))
    return lines


def _absent(records: Sequence[Record]) -> list[str]:
    absent = [record for record in records if record["absent"]]
    if not absent:
        return []
    lines = ["## Not available", "", "| system | reason |", "|---|---|"]
    for record in absent:
        reason = str(record["absent"]).replace("|", "\\|")
        lines.append(row(record["peer"], f"{record['about']}: {reason}"))
    return lines


def summary(record: Record) -> str:
    """One line about a peer: F0.5 and false alarms."""
    if record["absent"]:
        return f"{record['peer']}: not available: {record['absent']}"
    parts = []
    for name, part in record["sets"].items():
        if part["clean"]:
            parts.append(f"{name} {part['alarms_per_1000']:.2f}/1,000")
        else:
            parts.append(f"{name} {part['scores']['all']['table']['f05']:.3f}")
    return f"{record['peer']}: {', '.join(parts)}"
