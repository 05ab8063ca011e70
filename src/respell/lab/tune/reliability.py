"""The `reliability` command: measure how often corrections are right, by score and preset."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from respell.corrector import Corrector
from respell.lab.common.arguments import share
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.tokens import read_pair, read_tokens
from respell.lab.evaluate import systems
from respell.lab.tune.bins import Bin, bins, calibration_error, draw
from respell.lab.tune.proposals import LOWEST, Outcome, Proposals, Sentences, dilute, propose
from respell.model.bundle import digest
from respell.model.presets import Preset
from respell.types import PRESETS, Error

FILE, FIGURE = "reliability.json", "reliability.svg"


@dataclass(frozen=True, slots=True)
class SetProposals:
    """The changes that a model proposes on a set."""

    name: str
    part: str
    """dev or test: settings are never chosen on a test set."""
    tokens: int
    proposals: Proposals

    @property
    def rate(self) -> float:
        """Errors per token."""
        return self.proposals.errors / self.tokens if self.tokens else 0.0


@dataclass(frozen=True, slots=True)
class _Set:
    name: str
    part: str
    noisy: Sentences
    gold: Sentences
    rate: float | None
    """The error rate to which it is also diluted; None if it is not."""


def measure(corrector: Corrector, one: _Set, clean: Sentences) -> Iterator[SetProposals]:
    """The proposals on a set, and on the diluted set if it has a rate."""
    own = propose(corrector, one.noisy, one.gold)
    tokens = sum(map(len, one.noisy))
    yield SetProposals(one.name, one.part, tokens, own)
    if one.rate is None:
        return
    added = dilute(one.noisy, one.gold, clean, one.rate)[0][len(one.noisy) :]
    more = propose(corrector, added, added)
    together = Proposals(own.errors, (*own.outcomes, *more.outcomes))
    yield SetProposals(one.name, one.part, tokens + sum(map(len, added)), together)


def summarize(found: SetProposals, preset: Preset) -> dict[str, Any]:
    """The reliability of the corrections at a preset; the bins include lower scores."""
    proposed = [(o.score, o.right) for o in _reported(found.proposals, preset)]
    count = len(proposed)
    return {
        "set": found.name,
        "part": found.part,
        "tokens": found.tokens,
        "error_rate": found.rate,
        "proposed": count,
        "mean_score": sum(score for score, _ in proposed) / count if count else 0.0,
        "right": sum(right for _, right in proposed) / count if count else 0.0,
        "ece": calibration_error(proposed),
        "ece_from_lowest": calibration_error(found.proposals.scored),
        "bins": [asdict(bin_) for bin_ in bins(found.proposals.scored)],
    }


def _reported(proposals: Proposals, preset: Preset) -> list[Outcome]:
    """The changes that a preset reports."""
    if preset.threshold_on == "score":
        return proposals.kept(preset.threshold, preset.oov_threshold)
    lowest = min(preset.threshold, preset.oov_threshold)
    highest = max(preset.threshold, preset.name_threshold)
    return [
        outcome
        for outcome in proposals.outcomes
        if outcome.error_probability
        >= (lowest if outcome.oov else highest if outcome.name else preset.threshold)
    ]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `reliability`."""
    systems.add_model(parser)
    pair = {"nargs": 3, "action": "append", "default": [], "metavar": ("NAME", "NOISY", "GOLD")}
    parser.add_argument("--people", help="dev set of errors made by people, also diluted", **pair)  # type: ignore[arg-type]
    parser.add_argument("--noisy", help="dev set of heavily corrupted text", **pair)  # type: ignore[arg-type]
    parser.add_argument("--test", help="test set, for reporting", **pair)  # type: ignore[arg-type]
    parser.add_argument(
        "--clean", type=Path, required=True, help="clean sentences to dilute with, as tokens"
    )
    parser.add_argument(
        "--rate", type=share, default=0.02, help="error rate after dilution (default 0.02)"
    )
    parser.add_argument("--out", type=Path, default=Path("results/model"), metavar="DIR")


def run(args: argparse.Namespace) -> int:
    """Measure every preset and write the results and the plot."""
    named = [*args.people, *args.noisy, *args.test]
    if not (args.people or args.noisy):
        raise Error("no dev sets; give --people or --noisy")
    sets = [_read(one, "dev", args.rate) for one in args.people]
    sets += [_read(one, "dev", None) for one in args.noisy]
    sets += [_read(one, "test", None) for one in args.test]
    clean = read_tokens(args.clean)
    args.threshold = LOWEST
    found: dict[Preset, list[SetProposals]] = {}
    measured: dict[str, list[dict[str, Any]]] = {}
    described: dict[str, Any] = {}
    for name in PRESETS:
        args.preset = name
        model = systems.load_model(args)
        preset = model.corrector.bundle.preset(name)
        kind = _without_thresholds(preset)
        if kind not in found:
            found[kind] = [each for one in sets for each in measure(model.corrector, one, clean)]
        measured[name] = [summarize(each, preset) for each in found[kind]]
        described[name] = asdict(preset)
    system = {k: v for k, v in model.description.items() if k not in ("preset", "threshold")}
    paths = [args.clean, *(Path(file) for _, *files in named for file in files)]
    record = {
        "reliability": measured,
        "presets": described,
        "lowest": LOWEST,
        "files": [{"file": path.name, "sha256": digest(path)} for path in dict.fromkeys(paths)],
        "system": system,
        **provenance(),
    }
    plot(record, args.out)  # first, because it fails if there is no correction
    write_json(args.out / FILE, record)
    sys.stdout.write(_table(measured))
    return 0


def plot(record: Mapping[str, Any], folder: Path) -> None:
    """Plot the dev sets of every preset."""
    panels = {
        preset: {
            f"{one['set']}, {one['error_rate']:.0%} errors": [Bin(**bin_) for bin_ in one["bins"]]
            for one in sets
            if one["part"] == "dev"
        }
        for preset, sets in record["reliability"].items()
    }
    thresholds = {name: preset["threshold"] for name, preset in record["presets"].items()}
    draw(panels, thresholds, folder / FIGURE)


def _without_thresholds(preset: Preset) -> Preset:
    """Presets that differ only in their thresholds have the same proposals."""
    return replace(preset, threshold=0.0, oov_threshold=1.0, name_threshold=0.0)


def _read(named: Sequence[str], part: str, rate: float | None) -> _Set:
    name, *files = named
    return _Set(name, part, *read_pair(*map(Path, files)), rate)


def _table(measured: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    lines = [f"{'preset':10}{'set':28}{'errors':>8}{'proposed':>10}{'right':>8}{'ECE':>8}"]
    lines += [
        f"{preset:10}{one['set']:28}{one['error_rate']:8.1%}{one['proposed']:10,}"
        f"{one['right']:8.3f}{one['ece']:8.3f}"
        for preset, sets in measured.items()
        for one in sets
    ]
    return "\n".join(lines) + "\n"
