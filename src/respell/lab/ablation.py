"""The `ablation` command: keep what a training run with one lever changed gave on dev."""

import argparse
import sys
from pathlib import Path
from typing import Any

from respell.bundle import digest
from respell.lab import systems
from respell.lab.evaluate import PROGRAM
from respell.lab.storage import parse_json, read_json, read_text
from respell.types import Error

METRICS, RECIPE, FACTS = "metrics.jsonl", "recipe.toml", "facts.json"
FOLDER = "ablations"
_DEV = "dev_"


def read_run(folder: Path) -> dict[str, Any]:
    """How far a run came and what it last scored on dev."""
    path = folder / METRICS
    rows = [
        parse_json(line, f"{path}:{number}")
        for number, line in enumerate(read_text(path).splitlines(), start=1)
        if line.strip()
    ]
    trained = [row for row in rows if "words" in row]
    scored = [row for row in rows if any(key.startswith(_DEV) for key in row)]
    if not trained or not scored:
        raise Error(f"{path}: no dev scores; train with --dev")
    last = scored[-1]
    return {
        "steps": last["step"],
        "words": trained[-1]["words"],
        "seconds": trained[-1]["seconds"],
        "dev": {k.removeprefix(_DEV): v for k, v in last.items() if k.startswith(_DEV)},
    }


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `ablation`."""
    parser.add_argument("run", type=Path, help=f"a folder of `train`: {METRICS}, {RECIPE}")
    parser.add_argument("--name", required=True, help="short, also the name of the file")
    parser.add_argument("--lever", required=True, help="what was changed, in a few words")
    parser.add_argument("--against", help="the name of the run it is compared with")
    parser.add_argument(
        "--dev", nargs=2, type=Path, metavar=("NOISY", "GOLD"), help="what train was given"
    )
    parser.add_argument("--presets", type=Path, help="JSON of `presets`: scores at its thresholds")
    parser.add_argument("--out", type=Path, default=Path("results/model") / FOLDER)


def run(args: argparse.Namespace) -> int:
    """Write the record of one run."""
    facts = args.run / FACTS
    record: dict[str, Any] = {
        "name": args.name,
        "lever": args.lever,
        "against": args.against,
        **read_run(args.run),
        "dev_files": [{"file": path.name, "sha256": digest(path)} for path in args.dev or ()],
        "recipe": read_text(args.run / RECIPE),
        "data_hash": read_json(facts).get("data_hash") if facts.is_file() else None,
    }
    if args.presets:
        chosen = read_json(args.presets)
        record["presets"] = {
            key: chosen.get(key) for key in ("precision_recall_f05_on_dev", "sets")
        }
    path = args.out / f"{args.name}.json"
    systems.write_json(path, record | systems.provenance(PROGRAM))
    sys.stdout.write(f"{path}\n")
    return 0
