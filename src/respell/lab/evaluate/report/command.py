"""The `page` command: render results/model/README.md from the files beside it."""

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from respell.lab.common.storage import parse_json, read_json, read_text, save_text
from respell.lab.evaluate.peers.arena import read_records
from respell.lab.evaluate.peers.standing import CLEAN, SETS
from respell.lab.evaluate.report import faults, scores, trust
from respell.lab.tune import reliability
from respell.types import Error

FILE, CURVE = "README.md", "training.jsonl"
PUBLISHED = Path("benchmarks/published.toml")
_HEAD = """# The model, measured

Rendered by `python -m respell.lab page` from the files in this folder, each of which names its
data, its bundle, its machine and the command that wrote it. Thresholds and calibration were chosen
on development sets; the test sets are for reporting. The
[card](../../src/respell/models/default/README.md) names the sources of the training text,
[docs/models.md](../../docs/models.md) tells what shipped when."""
_AGAIN = """## Measure it again

    export RESPELL_DATA=...                   # the test sets and corpora, see docs/data.md
    python benchmarks/variants.py --write     # spellings that are both right
    python benchmarks/rare.py /usr/share/dict/{american,british}-english
    python benchmarks/model.py                # all the rest; work/dev is from docs/training.md
    python -m respell.lab ablation recipes/ablations.toml ...   # what was tried; docs/training.md
    python benchmarks/model.py --only page    # this page and the card, from what is there
"""


def render_folder(folder: Path, published: Sequence[Mapping[str, Any]] = ()) -> str:
    """The page of a folder of results; sections without a file are left out."""
    results = {path.stem: read_json(path) for path in sorted(folder.glob("*.json"))}
    results.pop("presets", None)  # chosen before the bundle had them
    titles = SETS | CLEAN
    others = _others(folder, published)
    sections = [[_HEAD], _bundles(results), scores.tests(results, others)]
    sections += [scores.clean(results, others)]
    if "calibration" in results:
        sections.append(trust.calibration(results["calibration"], titles))
    if "rare" in results:
        sections.append(trust.rare(results["rare"]))
    if "variants" in results:
        sections.append(trust.variants(results["variants"]))
    if "mistakes" in results:
        sections.append(faults.mistakes(results["mistakes"], titles))
    tried = [read_json(path) for path in sorted((folder / faults.FOLDER).glob("*.json"))]
    if tried:
        sections.append(faults.ablations(tried))
    if (folder / CURVE).is_file():
        sections.append(faults.learning(_last_step(folder / CURVE)))
    sections.append([_AGAIN])
    return "\n\n".join("\n".join(section) for section in sections).rstrip() + "\n"


def _others(folder: Path, published: Sequence[Mapping[str, Any]]) -> scores.Others:
    peers, row11 = folder.parent / "peers", folder.parent / "paper" / "row11.json"
    return scores.Others(
        peers=read_records(peers) if peers.is_dir() else (),
        paper=read_json(row11) if row11.is_file() else None,
        published=published,
    )


def _bundles(results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Which model it was, where, and whether all files are of the same one."""
    systems = {name: one["system"]["sha256"] for name, one in results.items() if "system" in one}
    if not systems:
        return ["Nothing was measured yet."]
    hashes = sorted(set(systems.values()))
    some = next(one for one in results.values() if "machine" in one)
    machine = f"{some['machine']['cpu']}, {some['machine']['cores']} cores"
    days = sorted({one["date"][:10] for one in results.values() if "date" in one})
    told = f"Bundle {', '.join(one[:16] for one in hashes)}; {machine}; {' to '.join(_ends(days))}."
    if len(hashes) > 1:
        told += f" **These files are of {len(hashes)} different bundles: measure again.**"
    return [told]


def _ends(days: Sequence[str]) -> list[str]:
    return [days[0], days[-1]] if days[0] != days[-1] else [days[0]]


def _last_step(path: Path) -> dict[str, Any]:
    rows = [parse_json(line, str(path)) for line in read_text(path).splitlines() if line]
    return next(row for row in reversed(rows) if "words" in row)


def read_published(path: Path) -> list[dict[str, Any]]:
    """Figures of others, copied from where they were published."""
    try:
        figures = tomllib.loads(read_text(path)).get("figure")
    except tomllib.TOMLDecodeError as error:
        raise Error(f"{path}: not a TOML file ({error})") from error
    if not isinstance(figures, list) or not all(isinstance(one, dict) for one in figures):
        raise Error(f"{path}: no figures; add a [[figure]] table for each")
    for number, one in enumerate(figures, start=1):
        if missing := [key for key in scores.PUBLISHED if key not in one]:
            raise Error(f"{path}: figure {number} has no {missing[0]}")
    return figures


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `page`."""
    parser.add_argument("folder", type=Path, nargs="?", default=Path("results/model"))
    parser.add_argument("--published", type=Path, default=PUBLISHED, metavar="TOML")


def run(args: argparse.Namespace) -> int:
    """Render the page into its folder, and draw the plot it shows."""
    if not args.folder.is_dir():
        raise Error(f"{args.folder}: no such folder of results")
    published = read_published(args.published) if args.published.is_file() else ()
    save_text(render_folder(args.folder, published), args.folder / FILE)
    if (args.folder / reliability.FILE).is_file():
        reliability.plot(read_json(args.folder / reliability.FILE), args.folder)
    sys.stdout.write(f"{args.folder / FILE}\n")
    return 0
