"""The `presets` command: choose a model's operating points on dev sets."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from respell.bundle import Preset, digest
from respell.corrector import Corrector, apply_to_words
from respell.decode import IDENTITY, Calibration
from respell.lab import systems
from respell.lab.reliability import calibration_error, cross_fitted, fit
from respell.lab.storage import save_text
from respell.types import Error

LOWEST = 0.05
STEPS = 190
CAREFUL_PRECISION = 0.98
LARGEST_SHARE_LEFT = 2 / 3
"""Scores are mended only where that leaves no more of their calibration error."""

SURE = (0.0, 0.7, 0.8, 0.9, 0.95)
"""Probabilities from which corrections of heavily corrupted text may be written in, and the text be
read again; 0 reads it once. Where mistakes are few, a second reading brings nothing."""

TOLD = (1.0, 0.5)
"""Weights of what the model says when it is told that text is heavily corrupted, see `Preset`."""

Sentences = Sequence[list[str]]


@dataclass(frozen=True, slots=True)
class Proposals:
    """Every change a model would make at the lowest threshold."""

    errors: int
    outcomes: tuple[tuple[float, bool, bool], ...]
    """For each change: its score, whether the token was wrong, whether the change is right."""

    def at(self, threshold: float) -> tuple[float, float, float]:
        """Precision, recall and F0.5 by the table rule."""
        kept = [outcome for outcome in self.outcomes if outcome[0] >= threshold]
        right = sum(good for _, _, good in kept)
        damaged = sum(not wrong for _, wrong, _ in kept)
        precision = right / (right + damaged) if right else 0.0
        recall = right / self.errors if self.errors else 0.0
        divisor = 0.25 * precision + recall
        return precision, recall, 1.25 * precision * recall / divisor if divisor else 0.0

    @property
    def judged(self) -> list[tuple[float, bool]]:
        """The score of each change and whether it is right."""
        return [(score, right) for score, _, right in self.outcomes]

    def mended(self, calibration: Calibration) -> "Proposals":
        """The same changes with calibrated scores."""
        outcomes = [(calibration.apply(p), wrong, right) for p, wrong, right in self.outcomes]
        return Proposals(self.errors, tuple(outcomes))


def propose(corrector: Corrector, noisy: Sentences, gold: Sentences) -> Proposals:
    """Collect the changes of a corrector that was given the lowest threshold."""
    outcomes: list[tuple[float, bool, bool]] = []
    errors = 0
    found = corrector.check_tokens_many(noisy)
    for words, right, corrections in zip(noisy, gold, found, strict=True):
        errors += sum(a != b for a, b in zip(words, right, strict=True))
        changed = apply_to_words(words, corrections)
        start = 0
        for word, wanted, said in zip(words, right, changed, strict=True):
            end = start + len(word)
            scores = [c.score for c in corrections if start <= c.start < end]
            if scores:
                outcomes.append((min(scores), word != wanted, said == wanted))
            start = end + 1
    return Proposals(errors, tuple(outcomes))


def dilute(
    noisy: Sentences, gold: Sentences, clean: Sentences, rate: float
) -> tuple[Sentences, Sentences]:
    """Add clean sentences until errors are no more than `rate` of the tokens."""
    errors = sum(
        a != b for n, g in zip(noisy, gold, strict=True) for a, b in zip(n, g, strict=True)
    )
    tokens = sum(map(len, noisy))
    added: list[list[str]] = []
    rest = iter(clean)
    while errors > rate * tokens:
        sentence = next(rest, None)
        if sentence is None:
            raise Error(f"too few clean sentences for an error rate of {rate:.1%}")
        added.append(sentence)
        tokens += len(sentence)
    return [*noisy, *added], [*gold, *added]


def best(proposals: Sequence[Proposals], *, precise: float = 0.0) -> float:
    """The threshold with the best mean F0.5 or, given a precision over all, the best recall."""
    grid: list[float] = [round(LOWEST + i * (1 - LOWEST) / STEPS, 4) for i in range(STEPS)]
    together = Proposals(
        sum(p.errors for p in proposals), tuple(o for p in proposals for o in p.outcomes)
    )

    def value(threshold: float) -> float:
        if not precise:
            return fmean(p.at(threshold)[2] for p in proposals)
        precision, recall, _ = together.at(threshold)
        return recall if precision >= precise else precision - 1

    chosen: float = max(grid, key=value)
    return chosen


def _best_f05(proposals: Sequence[Proposals]) -> float:
    threshold = best(proposals)
    return fmean(p.at(threshold)[2] for p in proposals)


def choose_calibration(proposals: Sequence[Proposals]) -> tuple[Calibration, dict[str, float]]:
    """The map that mends the scores of some sets, or none where it would not clearly pay."""
    judged = [one for p in proposals for one in p.judged]
    before = calibration_error(judged)
    after = calibration_error(cross_fitted(judged)) if len(judged) > 1 else before
    pays = after <= LARGEST_SHARE_LEFT * before
    figures = {"error_before": before, "error_after_cross_fitted": after}
    return fit(judged) if pays else IDENTITY, figures


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `presets`."""
    systems.add_model_arguments(parser)
    add_dev_sets(parser)
    parser.add_argument("--uncalibrated", action="store_true", help="leave scores as they are")
    parser.add_argument("--out", type=Path, required=True, metavar="JSON")


def add_dev_sets(parser: argparse.ArgumentParser) -> None:
    """Add the sets that operating points are chosen on."""
    pair = {"nargs": 2, "type": Path, "action": "append", "metavar": ("NOISY", "GOLD")}
    parser.add_argument("--people", required=True, help="people's own errors", **pair)  # type: ignore[arg-type]
    parser.add_argument("--heavy", required=True, help="heavily corrupted text", **pair)  # type: ignore[arg-type]
    parser.add_argument("--careful", help="for the careful preset (default: --people)", **pair)  # type: ignore[arg-type]
    parser.add_argument("--clean", type=Path, required=True, help="token lines to dilute with")
    parser.add_argument("--rate", type=float, default=0.02, help="error rate of people's text")


def run(args: argparse.Namespace) -> int:
    """Choose default and careful on people's errors, noisy on heavy corruption."""
    args.threshold = LOWEST
    careful = args.careful or args.people
    sets = {"people": args.people, "careful": careful, "heavy": args.heavy}
    clean = systems.read_tokens(args.clean)
    proposals: dict[str, list[Proposals]] = {}
    given: dict[str, Preset] = {}
    for kind, files in sets.items():
        args.preset = "noisy" if kind == "heavy" else "default"
        model = systems.load_model(args)
        corrector = model.corrector
        corrector.policy = replace(corrector.policy, calibration=IDENTITY)
        own = corrector.bundle.preset(args.preset)
        if kind == "heavy":
            tries = partial(_try, corrector, files, clean, 1.0)
            told, sure, proposals[kind] = _settle(tries, TOLD if own.wild else TOLD[:1])
            own = replace(own, told=told, sure=sure)
        else:
            proposals[kind] = _try(corrector, files, clean, args.rate, 1.0, 0.0)
        given[kind] = own
    record = {
        **choose(proposals, given, calibrate=not args.uncalibrated),
        "sets": {kind: [[a.name, b.name] for a, b in files] for kind, files in sets.items()},
        "sha256": {path.name: digest(path) for files in sets.values() for f in files for path in f},
        "error_rate_of_people": args.rate,
        "system": {key: model.description[key] for key in ("kind", "name", "sha256")},
        **systems.provenance(),
    }
    save_text(json.dumps(record, indent=1) + "\n", args.out)
    sys.stdout.write(json.dumps(record, indent=1) + "\n")
    return 0


def choose(
    proposals: Mapping[str, Sequence[Proposals]],
    given: Mapping[str, Preset],
    *,
    calibrate: bool = True,
) -> dict[str, Any]:
    """Calibrations, then thresholds of calibrated scores, and what they give on dev."""
    learnt = {kind: choose_calibration(proposals[kind]) for kind in ("people", "heavy")}
    maps = {
        kind: learnt["heavy" if kind == "heavy" else "people"][0] if calibrate else IDENTITY
        for kind in proposals
    }
    mended = {kind: [p.mended(maps[kind]) for p in sets] for kind, sets in proposals.items()}
    used = {"default": "people", "noisy": "heavy", "careful": "careful"}
    chosen = {
        "default": best(mended["people"]),
        "noisy": best(mended["heavy"]),
        "careful": best(mended["careful"], precise=CAREFUL_PRECISION),
    }
    presets = {
        name: replace(
            given[used[name]],
            threshold=threshold,
            sure=maps[used[name]].apply(given[used[name]].sure),
            **asdict(maps[used[name]]),
        )
        for name, threshold in chosen.items()
    }
    on_dev = {
        name: [p.at(preset.threshold) for p in mended[used[name]]]
        for name, preset in presets.items()
    }
    return {
        "presets": {name: asdict(preset) for name, preset in presets.items()},
        "precision_recall_f05_on_dev": on_dev,
        "calibration_on_dev": {kind: figures for kind, (_, figures) in learnt.items()},
    }


def _settle(
    tries: Callable[[float, float], list[Proposals]], weights: Sequence[float]
) -> tuple[float, float, list[Proposals]]:
    """How heavily corrupted text is best read: told or in two ways, then once or twice."""
    first = {told: tries(told, SURE[0]) for told in weights}
    told = max(first, key=lambda told: _best_f05(first[told]))
    again = {SURE[0]: first[told], **{sure: tries(told, sure) for sure in SURE[1:]}}
    sure = max(again, key=lambda sure: _best_f05(again[sure]))
    return told, sure, again[sure]


def _try(
    corrector: Corrector,
    files: Sequence[Sequence[Path]],
    clean: Sentences,
    rate: float,
    told: float,
    sure: float,
) -> list[Proposals]:
    corrector.policy = replace(corrector.policy, told=told, sure=sure)
    return [_propose_on(corrector, pair, clean, rate) for pair in files]


def _propose_on(
    corrector: Corrector, files: Sequence[Path], clean: Sentences, rate: float
) -> Proposals:
    noisy, gold = (systems.read_tokens(path) for path in files)
    systems.check_aligned(noisy, gold, str(files[1]))
    return propose(corrector, *dilute(noisy, gold, clean, rate))
