"""The `presets` command: choose a model's operating points on dev sets."""

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from respell.bundle import Preset, digest
from respell.corrector import Corrector, apply_to_words
from respell.decode import IDENTITY, Calibration, is_unlisted
from respell.lab import systems
from respell.lab.arguments import share
from respell.lab.reliability import Judged, calibration_error, cross_fitted, fit
from respell.lab.remembering import Remembering
from respell.lab.storage import save_text
from respell.types import Error

LOWEST = 0.05
STEPS = 190
GRID = tuple(round(LOWEST + i * (1 - LOWEST) / STEPS, 4) for i in range(STEPS))
"""Thresholds to choose from."""
CAREFUL_PRECISION = 0.98
LARGEST_SHARE_LEFT = 2 / 3
"""Scores are mended only where that leaves no more of their calibration error."""

QUIET = 0.002
"""F0.5 that `default` gives for quiet: of thresholds that lose no more, it takes the highest, which
raises the fewest false alarms."""

LENIENT = 0.001
"""F0.5 that heavily corrupted text gives for words put right that the lexicon lacks: of thresholds
for them that lose no more, it takes the lowest."""

SLACK = 0.002
"""F0.5 that a second reading, which takes time, must bring."""

SURE = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Scores from which corrections may be written in, and the text be read again."""

TOLD = (1.0, 0.5)
"""Weights of what the model says when it is told that text is heavily corrupted, see `Preset`."""

Sentences = Sequence[list[str]]


class Outcome(NamedTuple):
    """What became of a change that a model proposed."""

    score: float
    wrong: float
    """How likely the model thought the token wrong."""
    error: bool
    """It was wrong."""
    right: bool
    """The change is right."""
    unlisted: bool = False
    """The token is in small letters, and the lexicon lacks it."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """Every change a model would make at the lowest threshold."""

    errors: int
    outcomes: tuple[Outcome, ...]

    def kept(self, threshold: float, unlisted: float = 1.0) -> list[Outcome]:
        """The changes made at a threshold, and at a lower one for words the lexicon lacks."""
        lowest = min(threshold, unlisted)
        return [o for o in self.outcomes if o.score >= (lowest if o.unlisted else threshold)]

    def at(self, threshold: float, unlisted: float = 1.0) -> tuple[float, float, float]:
        """Precision, recall and F0.5 by the table rule."""
        kept = self.kept(threshold, unlisted)
        right = sum(outcome.right for outcome in kept)
        damaged = sum(not outcome.error for outcome in kept)
        precision = right / (right + damaged) if right else 0.0
        recall = right / self.errors if self.errors else 0.0
        divisor = 0.25 * precision + recall
        return precision, recall, 1.25 * precision * recall / divisor if divisor else 0.0

    @property
    def judged(self) -> list[tuple[float, bool]]:
        """The score of each change and whether it is right."""
        return [(outcome.score, outcome.right) for outcome in self.outcomes]


def propose(corrector: Corrector, noisy: Sentences, gold: Sentences) -> Proposals:
    """Collect the changes of a corrector that was given the lowest threshold."""
    outcomes: list[Outcome] = []
    errors = 0
    found = corrector.check_tokens_many(noisy)
    for words, right, corrections in zip(noisy, gold, found, strict=True):
        errors += sum(a != b for a, b in zip(words, right, strict=True))
        changed = apply_to_words(words, corrections)
        start = 0
        for word, wanted, said in zip(words, right, changed, strict=True):
            end = start + len(word)
            said_of = [c for c in corrections if start <= c.start < end]
            if said_of:
                least = min(said_of, key=lambda c: c.score)
                unlisted = is_unlisted(least.original, corrector.bundle.lexicon)
                outcomes.append(
                    Outcome(least.score, least.wrong, word != wanted, said == wanted, unlisted)
                )
            start = end + 1
    return Proposals(errors, tuple(outcomes))


def read_errors(noisy: Path, gold: Path) -> tuple[Sentences, Sentences]:
    """A set to choose on; one without errors tells nothing about a threshold."""
    wrong, right = systems.read_pair(noisy, gold)
    if wrong == right:
        raise Error(f"{noisy}: no errors; it has the same tokens as {gold}")
    return wrong, right


def dilute(
    noisy: Sentences, gold: Sentences, clean: Sentences, rate: float, *, name: object = "--clean"
) -> tuple[Sentences, Sentences]:
    """Add clean sentences, of a file `name`, until errors are no more than `rate` of the tokens."""
    errors = sum(
        a != b for n, g in zip(noisy, gold, strict=True) for a, b in zip(n, g, strict=True)
    )
    tokens = sum(map(len, noisy))
    added: list[list[str]] = []
    rest = iter(clean)
    while errors > rate * tokens:
        sentence = next(rest, None)
        if sentence is None:
            needed, there = math.ceil(errors / rate) - sum(map(len, noisy)), sum(map(len, clean))
            raise Error(
                f"{name}: too few clean sentences for an error rate of {rate:.1%}: {needed:,} "
                f"words are needed and {there:,} are there; give more, or a higher --rate"
            )
        added.append(sentence)
        tokens += len(sentence)
    return [*noisy, *added], [*gold, *added]


def best(proposals: Sequence[Proposals], *, precise: float = 0.0, quiet: float = 0.0) -> float:
    """The lowest threshold with the best mean F0.5 or, given a precision over all, recall.

    With `quiet`, the highest one that loses no more than this.
    """
    together = Proposals(
        sum(p.errors for p in proposals), tuple(o for p in proposals for o in p.outcomes)
    )

    def value(threshold: float) -> float:
        if not precise:
            return fmean(p.at(threshold)[2] for p in proposals)
        precision, recall, _ = together.at(threshold)
        return recall if precision >= precise else precision - 1

    values = [value(threshold) for threshold in GRID]
    good = [t for t, v in zip(GRID, values, strict=True) if v >= max(values) - quiet]
    return good[-1 if quiet else 0]


def lenient(proposals: Sequence[Proposals], threshold: float) -> float:
    """The threshold of words in small letters that the lexicon lacks; 1 for no other."""
    below = [one for one in GRID if one < threshold]
    values = [fmean(p.at(threshold, one)[2] for p in proposals) for one in (*below, threshold)]
    return next((t for t, v in zip(below, values, strict=False) if v >= max(values) - LENIENT), 1.0)


def _best_f05(proposals: Sequence[Proposals]) -> float:
    threshold = best(proposals)
    return fmean(p.at(threshold)[2] for p in proposals)


def choose_calibration(proposals: Sequence[Proposals]) -> tuple[Calibration, dict[str, float]]:
    """The map that mends the scores of some sets, or none where it would not clearly pay."""
    judged = [Judged(o.score, o.wrong, o.right) for p in proposals for o in p.outcomes]
    before = calibration_error([(one.probability, one.right) for one in judged])
    after = calibration_error(cross_fitted(judged)) if len(judged) > 1 else before
    map_ = fit(judged)
    pays = after <= LARGEST_SHARE_LEFT * before
    costs = _best_f05(proposals) - _best_f05([_mended(p, map_) for p in proposals])
    figures = {
        "error_before": before,
        "error_after_cross_fitted": after,
        "f05_lost": costs,
    }
    return map_ if pays and costs <= 0 else IDENTITY, figures


def _mended(proposals: Proposals, calibration: Calibration) -> Proposals:
    outcomes = (o._replace(score=calibration.score(o.score, o.wrong)) for o in proposals.outcomes)
    return Proposals(proposals.errors, tuple(outcomes))


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
    parser.add_argument("--rate", type=share, default=0.02, help="error rate of people's text")


def run(args: argparse.Namespace) -> int:
    """Choose default and careful on people's errors, noisy on heavy corruption."""
    args.threshold = LOWEST
    sets = {"default": args.people, "noisy": args.heavy, "careful": args.careful or args.people}
    clean = systems.read_tokens(args.clean)
    texts = {name: [read_errors(*pair) for pair in files] for name, files in sets.items()}
    settled: dict[str, Settled] = {}
    for name, pairs in texts.items():
        args.preset = name if name == "noisy" else "default"
        model = systems.load_model(args)
        model.corrector.forward = Remembering(model.corrector.forward)
        rate = 1.0 if name == "noisy" else args.rate
        diluted = [dilute(*pair, clean, rate, name=args.clean) for pair in pairs]
        tries = partial(_try, model.corrector, diluted)
        preset = model.corrector.bundle.preset(args.preset)
        own = replace(preset, told=1.0, sure=0.0, **asdict(IDENTITY))
        if name == "careful":  # its few corrections are not read again, its scores are default's
            line = settled["default"].preset
            own = replace(own, slope=line.slope, shift=line.shift)
            settled[name] = Settled(own, tries(own), settled["default"].figures)
        else:
            settled[name] = settle(tries, own, calibrate=not args.uncalibrated)
    record = {
        **choose(settled),
        "sets": {kind: [[a.name, b.name] for a, b in files] for kind, files in sets.items()},
        "sha256": {path.name: digest(path) for files in sets.values() for f in files for path in f},
        "error_rate_of_people": args.rate,
        "system": {key: model.description[key] for key in ("kind", "name", "sha256")},
        **systems.provenance(),
    }
    save_text(json.dumps(record, indent=1) + "\n", args.out)
    sys.stdout.write(json.dumps(record, indent=1) + "\n")
    return 0


@dataclass(frozen=True, slots=True)
class Settled:
    """A preset that lacks only its threshold, and what it proposes."""

    preset: Preset
    proposals: Sequence[Proposals]
    figures: Mapping[str, float]
    """Of its calibration."""


Tries = Callable[[Preset], Sequence[Proposals]]


def settle(tries: Tries, own: Preset, *, calibrate: bool = True) -> Settled:
    """How text is best read: told or in two ways, then with which scores, then once or twice.

    Twice is for heavily corrupted text alone: where few words are wrong, people wait for the rest.
    """
    told = _pick(tries, [replace(own, told=told) for told in (TOLD if own.wild else TOLD[:1])])
    line, figures = choose_calibration(told.proposals)
    scored = replace(told.preset, **asdict(line)) if calibrate else told.preset
    once = Settled(scored, tries(scored), figures)
    if not own.wild:
        return once
    again = _pick(tries, [replace(scored, sure=sure) for sure in SURE])
    pays = _best_f05(again.proposals) > _best_f05(once.proposals) + SLACK
    return replace(again, figures=figures) if pays else once


def _pick(tries: Tries, presets: Sequence[Preset]) -> Settled:
    """The preset with the best F0.5; the first where they are equal."""
    proposals = [tries(preset) for preset in presets]
    first = max(range(len(presets)), key=lambda i: _best_f05(proposals[i]))
    return Settled(presets[first], proposals[first], {})


def choose(settled: Mapping[str, Settled]) -> dict[str, Any]:
    """Thresholds, and what they give on dev."""
    wanted = {"default": {"quiet": QUIET}, "careful": {"precise": CAREFUL_PRECISION}}
    presets = {
        name: replace(one.preset, threshold=best(one.proposals, **wanted.get(name, {})))
        for name, one in settled.items()
    }
    for name, one in settled.items():
        if one.preset.wild:
            unlisted = lenient(one.proposals, presets[name].threshold)
            presets[name] = replace(presets[name], unlisted=unlisted)
    on_dev = {
        name: [p.at(presets[name].threshold, presets[name].unlisted) for p in one.proposals]
        for name, one in settled.items()
    }
    return {
        "presets": {name: asdict(preset) for name, preset in presets.items()},
        "precision_recall_f05_on_dev": on_dev,
        "calibration_on_dev": {name: dict(one.figures) for name, one in settled.items()},
    }


def _try(
    corrector: Corrector,
    pairs: Sequence[tuple[Sentences, Sentences]],
    preset: Preset,
) -> list[Proposals]:
    line = Calibration(slope=preset.slope, shift=preset.shift)
    corrector.policy = replace(
        corrector.policy, told=preset.told, sure=preset.sure, calibration=line
    )
    return [propose(corrector, *pair) for pair in pairs]
