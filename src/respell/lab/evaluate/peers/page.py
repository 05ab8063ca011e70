"""The arena's page, rendered from the files of the peers and of the speed run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.markdown import head, row
from respell.lab.common.storage import read_json, save_text
from respell.lab.evaluate.peers import curve, figures, speed
from respell.lab.evaluate.peers.arena import read_records
from respell.lab.evaluate.peers.standing import (
    CLEAN,
    OURS,
    SETS,
    Record,
    alarms,
    f05,
    front,
    mean_f05,
    measured,
)

FILE = "README.md"
_HEAD = """# Side by side

Every corrector below got the same tokens, one sentence after the other, in a process of its own,
and had to give back as many tokens. Rendered by `python -m respell.lab peers render` from the
files in this folder; [docs/benchmarks.md](../../docs/benchmarks.md) says how to repeat it and how
to add a system."""
_RULES = """A misspelling that is put right is a hit, a correct word that is changed is a false
alarm, a misspelling that stays wrong is a miss; the authors' rule also counts a misspelling
that is changed to another wrong word as a false alarm. Suggestions of two words are passed over
for the first that is one word, and halves of split contractions (`didn 't`) are asked of no
dictionary. A dagger marks peers that were too slow for the whole set: they were scored on a
random part of it, as many sentences as the table of the set tells."""
_SPEED = """Words per second of CPU time, user and system, of the peer and its children, while
they answer; loading is not counted. All peers read the same sentences, the four bench sets in an
order shuffled once ({words:,} tokens, one misspelling in fifteen words), as far as they come in
{seconds:.0f} seconds, and are visited in turns; the median of the rounds, and in brackets the
least and most of the ratio to {base} within a round. Memory is the most that was resident.
On disk: packages, models and dictionaries, without Python or node."""


def write(folder: Path) -> None:
    """Render the page and draw the plots beside it."""
    save_text(render_folder(folder), folder / FILE)
    records, timed, curves = _read(folder)
    figures.draw_alarms(records, folder / figures.ALARMS)
    if timed:
        figures.draw_speed(records, timed, folder / figures.SPEED)
    if curves:
        figures.draw_curves(records, curves, folder / figures.CURVES)


def render_folder(folder: Path) -> str:
    """The page of a folder of results."""
    return render(*_read(folder))


def _read(folder: Path) -> tuple[list[Record], Record | None, Record | None]:
    timed, curves = folder / speed.FILE, folder / curve.FILE
    return (
        read_records(folder),
        read_json(timed) if timed.is_file() else None,
        read_json(curves) if curves.is_file() else None,
    )


def render(records: Sequence[Record], timed: Record | None, curves: Record | None) -> str:
    """The page as Markdown; plots are shown where there is something to plot."""
    present = measured(records)
    lines = [_HEAD, "", "## Sentences with mistakes", "", *_overview(present), "", _RULES]
    if curves:
        lines += ["", f"![precision and recall over thresholds]({figures.CURVES})"]
    for name, title in SETS.items():
        lines += ["", f"### {title}", "", *_set_table(present, name)]
    lines += ["", "## Clean text", "", *_clean_table(present)]
    lines += ["", f"![false alarms per 1,000 words]({figures.ALARMS})"]
    lines += ["", "## Speed and size", "", *_speed_section(present, timed)]
    lines += ["", "## How each was set up", "", *_setups(present)]
    lines += ["", *_absent(records)]
    return "\n".join(lines).rstrip() + "\n"


def _overview(present: Sequence[Record]) -> list[str]:
    best = {name: max(f05(record, name) for record in present) for name in SETS}
    lines = ["F0.5, in the order of the mean.", ""]
    lines += head("system", *SETS.values(), "mean")
    for record in present:
        cells = []
        for name in SETS:
            value, part = f05(record, name), record["sets"][name]
            told = f"**{value:.3f}**" if value == best[name] else f"{value:.3f}"
            cells.append(told + ("†" if part["sentences"] < part["of"] else ""))
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
        figures_ = [table["precision"], table["recall"], table["f05"]]
        figures_ += [scores["all"]["authors"]["f05"]]
        figures_ += [scores[kind]["table"]["recall"] for kind in ("real_words", "non_words")]
        told = [f"{figure:.3f}" for figure in figures_]
        damaged = f"{scores['damaged_per_1000']:.2f}"
        lines.append(row(record["peer"], f"{part['sentences']:,}", *told, damaged))
    return lines


def _clean_table(present: Sequence[Record]) -> list[str]:
    lines = ["Words changed per 1,000; a few of them are real mistakes of the texts.", ""]
    lines += head("system", *CLEAN.values(), "mean", "words")
    for record in sorted(present, key=lambda r: alarms(r)[0]):
        rates = [f"{record['sets'][name]['alarms_per_1000']:.2f}" for name in CLEAN]
        rate, words = alarms(record)
        lines.append(row(record["peer"], *rates, f"{rate:.2f}", f"{words:,}"))
    return lines


def _speed_section(present: Sequence[Record], timed: Record | None) -> list[str]:
    if not timed:
        return ["Not measured yet; run `python -m respell.lab peers speed`."]
    facts = {key: timed[key] for key in ("words", "base", "seconds")}
    lines = [_SPEED.format(**facts), ""]
    lines += [f"![F0.5 against speed]({figures.SPEED})", ""]
    names = ", ".join(front(present, timed))
    lines += [f"Systems than which no other is both faster and better: {names}.", ""]
    base = f"× {timed['base']}"
    lines += head("system", "words per CPU-second", base, "loads in s", "memory MB", "disk MB")
    rows = [r for r in present if r["peer"] in timed["peers"]]
    rate = {r["peer"]: timed["peers"][r["peer"]]["words_per_cpu_second"]["median"] for r in rows}
    for record in sorted(rows, key=lambda r: -rate[r["peer"]]):
        figure = timed["peers"][record["peer"]]
        ratio = figure.get("ratio")
        told = "–"
        if ratio:
            told = f"{ratio['median']:.3g} ({ratio['least']:.3g}–{ratio['most']:.3g})"
        lines.append(
            row(
                record["peer"],
                f"{rate[record['peer']]:,.0f}",
                told,
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
    lines = ["| system | version | set-up |", "|---|---|---|"]
    for record in sorted(present, key=lambda r: r["peer"]):
        told = [f"{name} {version}" for name, version in record["versions"].items()]
        if record["peer"].startswith(OURS):
            told = [f"respell {record['respell']}, bundle {record['sha256']['config.json'][:12]}"]
        lines.append(row(record["peer"], ", ".join(told) or "–", record["about"]))
    return lines


def _absent(records: Sequence[Record]) -> list[str]:
    absent = [record for record in records if record["absent"]]
    if not absent:
        return []
    lines = ["## Absent", "", "| system | why |", "|---|---|"]
    for record in absent:
        reason = str(record["absent"]).replace("|", "\\|")
        lines.append(row(record["peer"], f"{record['about']}: {reason}"))
    return lines


def summary(record: Record) -> str:
    """One line for a peer that was just measured: F0.5 and alarms."""
    if record["absent"]:
        return f"{record['peer']}: absent: {record['absent']}"
    told = []
    for name, part in record["sets"].items():
        if part["clean"]:
            told.append(f"{name} {part['alarms_per_1000']:.2f}/1,000")
        else:
            told.append(f"{name} {part['scores']['all']['table']['f05']:.3f}")
    return f"{record['peer']}: {', '.join(told)}"
