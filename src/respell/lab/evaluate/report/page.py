"""Put the sections of the results page together."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.storage import parse_json, read_json, read_text
from respell.lab.evaluate.peers.ranking import CLEAN, SETS
from respell.lab.evaluate.peers.results import read_records
from respell.lab.evaluate.report import checks, mistakes, reliability, scores, training
from respell.lab.export.card import equal_bundles

CURVE = "training.jsonl"
_HEAD = """# Results of the model

Written by `python -m respell.lab report` from the files in this folder. Each file names its data,
its bundle, its machine and its command. Thresholds were chosen on development sets; test sets are
only used for reporting. See also the [model card](../../src/respell/bundles/default/README.md) and
the [list of editions](../../docs/internals/models.md)."""
_REPEAT = """## How to repeat the measurements

    export RESPELL_DATA=...                   # test sets and corpora, see docs/internals/data.md
    python benchmarks/variants.py --write     # spelling variants
    python benchmarks/rare.py /usr/share/dict/{american,british}-english
    python benchmarks/model.py                # everything else; needs work/dev
    python -m respell.lab ablation recipes/ablations.toml ...
    python benchmarks/model.py --only page    # only this page and the model card

[training.md](../../docs/internals/training.md) has the commands for `work/dev` and the ablations.
"""


def render_folder(folder: Path, published: Sequence[Mapping[str, Any]] = ()) -> str:
    """The page for a folder of results; sections without a file are omitted."""
    results = {path.stem: read_json(path) for path in sorted(folder.glob("*.json"))}
    results.pop("presets", None)  # measured before the bundle was exported
    titles = SETS | CLEAN
    others = _others(folder, published)
    sections = [[_HEAD], _bundles(results), scores.test_sets(results, others)]
    sections += [scores.clean_text(results, others)]
    if "reliability" in results:
        sections.append(reliability.section(results["reliability"], titles))
    if "rare" in results:
        sections.append(checks.rare_words(results["rare"]))
    if "variants" in results:
        sections.append(checks.variants(results["variants"]))
    if "mistakes" in results:
        sections.append(mistakes.section(results["mistakes"], titles))
    ablations = [read_json(path) for path in sorted((folder / training.FOLDER).glob("*.json"))]
    if ablations:
        sections.append(training.ablations(ablations))
    if (folder / CURVE).is_file():
        sections.append(training.curve(_last_step(folder / CURVE)))
    sections.append([_REPEAT])
    return "\n\n".join("\n".join(section) for section in sections).rstrip() + "\n"


def _others(folder: Path, published: Sequence[Mapping[str, Any]]) -> scores.OtherSystems:
    peers, row11 = folder.parent / "peers", folder.parent / "paper" / "row11.json"
    return scores.OtherSystems(
        peers=read_records(peers) if peers.is_dir() else (),
        paper=read_json(row11) if row11.is_file() else None,
        published=published,
    )


def _bundles(results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The bundle and the machine, with a warning if the files are about several bundles."""
    systems = {name: one["system"]["sha256"] for name, one in results.items() if "system" in one}
    if not systems:
        return ["Nothing has been measured yet."]
    # Bundles with other key names and the same weights give the same answers.
    current, *equal = equal_bundles()
    hashes = sorted({current if one in equal else one for one in systems.values()})
    some = next(one for one in results.values() if "machine" in one)
    machine = f"{some['machine']['cpu']}, {some['machine']['cores']} cores"
    days = sorted({one["date"][:10] for one in results.values() if "date" in one})
    span = " to ".join(dict.fromkeys((days[0], days[-1])))
    text = f"Bundle {', '.join(one[:16] for one in hashes)}; {machine}; {span}."
    if len(hashes) > 1:
        text += f" **These files are about {len(hashes)} different bundles: measure again.**"
    return [text]


def _last_step(path: Path) -> dict[str, Any]:
    rows = [parse_json(line, str(path)) for line in read_text(path).splitlines() if line]
    return next(row for row in reversed(rows) if "words" in row)
