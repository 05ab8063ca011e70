"""Write the page of stored answers from its result files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.markdown import head, heading, plain, row
from respell.lab.common.metrics import ratio
from respell.lab.common.storage import read_json, save_text
from respell.lab.evaluate.stored_answers.error_types import ERROR_TYPES
from respell.lab.evaluate.stored_answers.sets import SETS, SYSTEMS
from respell.types import PRESETS, Error

FILE = "README.md"
BY_TYPE = "wiki_realistic"
"""The set whose recall is shown by type of error."""
OURS = "respell"
Record = Mapping[str, Any]

_HEAD = """# Stored answers of other correctors

These correctors cannot be run here, but their answers to public test sets are stored. respell read
the same raw text with every preset. Written by `python benchmarks/stored_peers.py --render` from
the files in this folder. These are test sets: nothing is chosen on them."""
_RULES = """How answers are scored:

- Lines are split at spaces. Words are compared in lower case and without punctuation at their
  edges.
- A misspelling that becomes the right word is a hit; every other misspelling is a miss, also if it
  was changed to another wrong word. A right word that was changed is a false alarm.
- Answers may have other numbers of words. They are aligned with the given words at the least cost:
  a changed word costs its edit distance divided by its length, an added or dropped word 0.75, a
  word that was split or two that were joined 0.3. A split or a join must keep all letters.
- A dropped word is changed, a split word is changed, and if two words were joined, both are
  changed. A contraction that was split (*I 've* for *I've*) is not changed. Added words are
  counted, but are not false alarms."""


def write(folder: Path) -> None:
    """Write the page."""
    save_text(render(read_records(folder)), folder / FILE)


def read_records(folder: Path) -> Mapping[str, Record]:
    """The result files of a folder, by set."""
    records = {name: folder / f"{name}.json" for name in SETS}
    found = {name: read_json(path) for name, path in records.items() if path.is_file()}
    if not found:
        raise Error(f"{folder}: no results; run: python benchmarks/stored_peers.py")
    return found


def render(records: Mapping[str, Record]) -> str:
    """The page as Markdown."""
    lines = [_HEAD, "", "Precision / recall / F0.5.", "", *_overview(records), "", *_sizes(records)]
    lines += ["", _RULES]
    if BY_TYPE in records:
        title = f"{SETS[BY_TYPE]}: recall by type of error"
        lines += ["", heading(2, title), "", *_types(records[BY_TYPE])]
    for name, record in records.items():
        lines += ["", heading(2, SETS[name]), "", *_details(record)]
    return "\n".join(lines) + "\n"


def _systems(records: Sequence[Record]) -> list[str]:
    """All systems in the order of the page: respell first."""
    ours = [f"{OURS} {preset}" for preset in PRESETS]
    found = {name for record in records for name in record["systems"]}
    order = [name for name in (*ours, *SYSTEMS) if name in found]
    return order + sorted(found - set(order))


def _title(name: str) -> str:
    return plain(SYSTEMS.get(name, name))


def _overview(records: Mapping[str, Record]) -> list[str]:
    best = {
        name: max(scores["f05"] for scores in record["systems"].values())
        for name, record in records.items()
    }
    lines = head("system", *(SETS[name] for name in records))
    for system in _systems(list(records.values())):
        cells = []
        for name, record in records.items():
            scores = record["systems"].get(system)
            cells.append(_cell(scores, best[name]) if scores else "–")
        lines.append(row(_title(system), *cells))
    return lines


def _cell(scores: Mapping[str, float], best: float) -> str:
    f05 = f"{scores['f05']:.3f}"
    f05 = f"**{f05}**" if scores["f05"] == best else f05
    return f"{scores['precision']:.3f} / {scores['recall']:.3f} / {f05}"


def _sizes(records: Mapping[str, Record]) -> list[str]:
    lines = head("set", "lines", "lines of the file", "words", "errors")
    for name, record in records.items():
        counts = (record["lines"], record["of"], record["tokens"], record["errors"])
        lines.append(row(SETS[name], *(f"{count:,}" for count in counts)))
    return lines


def _types(record: Record) -> list[str]:
    present = [kind for kind in ERROR_TYPES if kind in record["error_types"]]
    lines = head("system", *(ERROR_TYPES[kind] for kind in present))
    counts = record["error_types"]
    lines.append(row("errors", *(f"{counts[kind]:,}" for kind in present)))
    for system in _systems([record]):
        corrected = record["systems"][system]["corrected_by_type"]
        cells = [f"{ratio(corrected[kind], counts[kind]):.3f}" for kind in present]
        lines.append(row(_title(system), *cells))
    return lines


def _details(record: Record) -> list[str]:
    lines = head(
        "system", "precision", "recall", "F0.5", "false alarms", "words added", "lines realigned"
    )
    systems = record["systems"]
    for system in sorted(_systems([record]), key=lambda name: -systems[name]["f05"]):
        scores = systems[system]
        rates = [f"{scores[key]:.3f}" for key in ("precision", "recall", "f05")]
        keys = ("alarms", "added", "lines_of_other_length")
        lines.append(row(_title(system), *rates, *(f"{scores[key]:,}" for key in keys)))
    return lines
