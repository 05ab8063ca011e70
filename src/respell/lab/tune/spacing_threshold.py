"""The `spacing-threshold` command: choose when missing and extra spaces are reported."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from respell.corrector import Corrector
from respell.lab.common.presets_file import add_to_presets, read_presets
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.storage import to_json
from respell.lab.evaluate import systems
from respell.lab.evaluate.spaces.cases import Material
from respell.lab.evaluate.spaces.measure import (
    WANTED_PRECISION,
    Point,
    best_point,
    curve,
    read,
    with_spacing,
)
from respell.lab.evaluate.spaces.record import read_material
from respell.model.presets import Mode, Preset
from respell.types import Error

MARGIN = 0.005
"""What the precision on dev text must be above the wanted one: on other text it is lower."""
CAREFUL = 0.99
NEVER = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `spacing-threshold`."""
    systems.add_model(parser)
    parser.add_argument("--corpora", type=Path, required=True, help="TOML list of corpora")
    parser.add_argument("--data", type=Path, required=True, help="folder of corpora and lists")
    parser.add_argument(
        "--presets", type=Path, required=True, help="JSON file of `presets`, to write into"
    )
    parser.add_argument(
        "--output", type=Path, required=True, metavar="JSON", help="result to write"
    )


def run(args: argparse.Namespace) -> int:
    """Choose the threshold of each preset on dev text."""
    args.preset, args.threshold = "default", None  # those of the file are measured below
    model = systems.load_model(args)
    if not model.corrector.bundle.config.spacing:
        raise Error("this model does not find missing or extra spaces; train it with model.spacing")
    presets = read_presets(args.presets)
    material = read_material("dev", data=args.data, corpora=args.corpora)
    curves: dict[Mode, list[Point]] = {}
    chosen: dict[str, float] = {}
    for name, preset in presets.items():
        if preset.mode not in curves:
            curves[preset.mode] = measure_curve(model.corrector, preset, material)
        chosen[name] = choose(curves[preset.mode], wanted_precision(name))
    record: dict[str, Any] = {
        "thresholds": chosen,
        "wanted_precision": {name: wanted_precision(name) for name in presets},
        "cases": len(material.cases),
        "curves": {mode: [p._asdict() for p in points] for mode, points in curves.items()},
        "system": dict(model.description),
    }
    write_json(args.output, record | provenance())
    add_to_presets(args.presets, "spacing_threshold", chosen)
    sys.stdout.write(to_json({"thresholds": chosen}))
    return 0


def wanted_precision(name: str) -> float:
    """The least precision of a preset on dev text."""
    return CAREFUL if name == "careful" else WANTED_PRECISION + MARGIN


def measure_curve(corrector: Corrector, preset: Preset, material: Material) -> list[Point]:
    """The scores of a preset at all thresholds of spaces."""
    bundle = corrector.bundle
    config = replace(bundle.config, presets={"default": preset})
    chosen = Corrector(replace(bundle, config=config), corrector.forward)
    return curve(material, read(with_spacing(chosen, lowest=True), material))


def choose(points: list[Point], precision: float) -> float:
    """The threshold of the best recall with this precision and few false alarms.

    If there is none, spaces are never reported.
    """
    best = best_point(points, precision)
    return NEVER if best is None else best.threshold
