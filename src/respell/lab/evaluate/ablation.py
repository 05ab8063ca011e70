"""The `ablation` command: train runs that differ in one setting, and score them on dev sets."""

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from respell.cli.args import count
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.stopping import ENDED
from respell.lab.common.storage import parse_json, read_json, read_text
from respell.lab.evaluate.report.training import FOLDER
from respell.lab.train import command
from respell.lab.train.checkpoint import (
    METRICS,
    RECIPE,
    Checkpoint,
    clear,
    device_name,
    pick_device,
)
from respell.lab.train.trainer import forget_compiled
from respell.lab.tune import presets
from respell.types import Error

_KEYS = {"name": str, "change": str, "against": str, "arguments": list}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """One run, and how it differs from the others."""

    name: str
    change: str
    """A short description of the difference."""
    against: str | None = None
    """The name of the run it is compared with."""
    arguments: tuple[str, ...] = ()
    """Added to the arguments of `train`; `{word}` stands for a path given as `--path word=…`."""

    def filled(self, shared: Sequence[str], paths: Mapping[str, str]) -> list[str]:
        """The shared arguments and its own, with the paths filled in."""
        try:
            return [argument.format_map(paths) for argument in (*shared, *self.arguments)]
        except (KeyError, ValueError) as error:
            raise Error(f"{self.name}: give --path {str(error).strip(chr(39))}=…") from error


def read_ablations(path: Path) -> tuple[Path, list[str], dict[str, Ablation]]:
    """Read the recipe and the arguments of all runs, and the runs by name."""
    try:
        raw = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Error(f"{path}: not a TOML file ({error})") from error
    if not {"recipe", "ablations"} <= raw.keys() <= {"recipe", "arguments", "ablations"}:
        raise Error(
            f"{path}: must have recipe and [[ablations]], may have arguments, and nothing else"
        )
    shared = raw.get("arguments", [])
    if not isinstance(raw["ablations"], list) or not isinstance(shared, list):
        raise Error(f"{path}: ablations and arguments must be lists")
    ablations = [_ablation(entry, path) for entry in raw["ablations"]]
    named = {ablation.name: ablation for ablation in ablations}
    if len(named) < len(ablations):
        raise Error(f"{path}: two ablations have the same name")
    for ablation in ablations:
        if ablation.against is not None and ablation.against not in named:
            raise Error(f"{path}: {ablation.name}: there is no {ablation.against} to compare with")
    return path.parent / raw["recipe"], [*map(str, shared)], named


def _ablation(entry: Any, path: Path) -> Ablation:
    if not isinstance(entry, dict) or not {"name", "change"} <= entry.keys() <= _KEYS.keys():
        raise Error(
            f"{path}: each ablation must have name and change, may have against and arguments"
        )
    if not all(isinstance(value, _KEYS[key]) for key, value in entry.items()):
        raise Error(f"{path}: {entry['name']!r} has a value of the wrong type")
    arguments = tuple(map(str, entry.get("arguments", ())))
    return Ablation(**{**entry, "arguments": arguments})


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `ablation`."""
    parser.add_argument("ablations", type=Path, help="TOML file with the recipe and the runs")
    parser.add_argument(
        "--only", nargs="+", default=(), metavar="NAME", help="runs to train (default: all)"
    )
    parser.add_argument("--data", type=Path, required=True, help="folder written by `build`")
    parser.add_argument("--lists", type=Path, required=True, help="folder of misspelling lists")
    parser.add_argument("--steps", type=count, required=True, help="steps of each run")
    parser.add_argument(
        "--path", action="append", default=[], metavar="WORD=PATH", help="paths to fill in"
    )
    presets.add_dev_sets(parser)
    parser.add_argument("--work", type=Path, default=Path("work") / FOLDER)
    parser.add_argument("--out", type=Path, default=Path("results/model") / FOLDER)
    parser.add_argument("--again", action="store_true", help="repeat runs that have results")


def run(args: argparse.Namespace) -> int:
    """Train and score the runs that have no result yet."""
    recipe, shared, ablations = read_ablations(args.ablations)
    if unknown := [name for name in args.only if name not in ablations]:
        raise Error(f"no ablation {unknown[0]!r}; there are {', '.join(ablations)}")
    paths = dict(map(_path, args.path))
    for name in args.only or ablations:
        path = args.out / f"{name}.json"
        if path.is_file() and not args.again:
            sys.stdout.write(f"{path} exists already\n")
            continue
        folder = args.work / name
        line = [str(recipe), "--data", str(args.data), "--lists", str(args.lists)]
        line += ["--out", str(folder), "--steps", str(args.steps), "--save-minutes", "1e9"]
        line += ablations[name].filled(shared, paths)
        clear(folder)
        if (status := _call(command, line)) in ENDED:
            return status
        chosen = folder / "presets.json"
        _call(presets, ["--checkpoint", str(folder), *_dev_sets(args), "--out", str(chosen)])
        write_json(path, record(ablations[name], folder, read_json(chosen)))
        sys.stdout.write(f"{path}\n")
    return 0


def _path(item: str) -> tuple[str, str]:
    word, equals, path = item.partition("=")
    if not (word and equals and path):
        raise Error(f"--path {item}: write WORD=PATH")
    return word, path


def _call(module: Any, line: Sequence[str]) -> int:
    forget_compiled()
    parser = argparse.ArgumentParser()
    module.configure(parser)
    return int(module.run(parser.parse_args(line)))


def _dev_sets(args: argparse.Namespace) -> list[str]:
    """The dev sets as arguments of `presets`."""
    line = ["--clean", *map(str, args.clean), "--rate", str(args.rate)]
    for kind in ("people", "noisy", "careful"):
        for pair in getattr(args, kind) or ():
            line += [f"--{kind}", *map(str, pair)]
    return line


def record(ablation: Ablation, folder: Path, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a run: its training and its scores at thresholds chosen on dev sets."""
    saved = Checkpoint.read(folder)
    metrics = [parse_json(line, METRICS) for line in read_text(folder / METRICS).splitlines()]
    scores = chosen["precision_recall_f05_on_dev"]
    return {
        "name": ablation.name,
        "change": ablation.change,
        "against": ablation.against,
        "arguments": list(ablation.arguments),
        "steps": saved.facts.step,
        "words": saved.facts.words,
        "seconds": round(saved.facts.seconds, 1),
        "losses": {k: v for k, v in metrics[-1].items() if k not in ("step", "words", "seconds")},
        "dev": {"people": scores["default"], "noisy": scores["noisy"]},
        "sets": {"people": chosen["sets"]["default"], "noisy": chosen["sets"]["noisy"]},
        "sha256": chosen["sha256"],
        "data_hash": saved.facts.data_hash,
        "checkpoint_sha256": saved.digest(),
        "recipe": read_text(folder / RECIPE),
        "device": device_name(pick_device()),
        **provenance(),
    }
