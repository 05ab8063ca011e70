"""The `presets` command: choose a model's presets on dev sets."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

from respell.corrector import Corrector
from respell.lab.common.arguments import share
from respell.lab.common.provenance import provenance
from respell.lab.common.storage import save_text, to_json
from respell.lab.common.tokens import read_tokens
from respell.lab.evaluate import systems
from respell.lab.tune.caching import CachedForward
from respell.lab.tune.listing import best_listing, precise_listing, scores_at
from respell.lab.tune.proposals import (
    LOWEST,
    Proposals,
    Sentences,
    dilute,
    mix,
    propose,
    read_errors,
    repeat,
)
from respell.model.bundle import digest
from respell.model.presets import Preset

STEPS = 190
GRID = (
    *(round(LOWEST + i * (1 - LOWEST) / STEPS, 4) for i in range(STEPS)),
    *(0.996, 0.997, 0.998, 0.999),
)
"""The thresholds to choose from. Most misspellings have an error probability above 0.99."""
CAREFUL_PRECISION = 0.98
WRITE_PRECISION = 0.99
"""Precision of corrections that are written into files without asking."""
DEFAULT_LOSS = 0.002
"""`default` gives up this much F0.5 for fewer false alarms."""
OOV_LOSS = 0.001
"""`noisy` gives up this much F0.5 to correct more words outside the lexicon: it takes the lowest
threshold for them that loses no more."""
REWRITE_GAIN = 0.002
"""Reading a sentence twice takes time and must gain at least this much F0.5."""
REWRITE_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def best(proposals: Sequence[Proposals], *, min_precision: float = 0.0) -> float:
    """The lowest threshold with the best mean F0.5.

    With `min_precision`, the one with the best recall at this precision over all sets.
    """
    together = Proposals(
        sum(p.errors for p in proposals), tuple(o for p in proposals for o in p.outcomes)
    )

    def value(threshold: float) -> float:
        if not min_precision:
            return fmean(p.at(threshold)[2] for p in proposals)
        precision, recall, _ = together.at(threshold)
        return recall if precision >= min_precision else precision - 1

    return max(GRID, key=value)


def best_oov(proposals: Sequence[Proposals], threshold: float) -> float:
    """The threshold of lower-case words outside the lexicon; 1 if it should not differ."""
    below = [one for one in GRID if one < threshold]
    values = [fmean(p.at(threshold, one)[2] for p in proposals) for one in (*below, threshold)]
    good = (t for t, v in zip(below, values, strict=False) if v >= max(values) - OOV_LOSS)
    return next(good, 1.0)


def _best_f05(proposals: Sequence[Proposals]) -> float:
    threshold = best(proposals)
    return fmean(p.at(threshold)[2] for p in proposals)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `presets`."""
    systems.add_model(parser)
    add_dev_sets(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="JSON", help="presets to write")


def add_dev_sets(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the sets that presets are chosen on."""
    pair = {"nargs": 2, "type": Path, "action": "append", "metavar": ("NOISY", "GOLD")}
    parser.add_argument("--people", required=True, help="errors made by people", **pair)  # type: ignore[arg-type]
    parser.add_argument("--noisy", required=True, help="heavily corrupted text", **pair)  # type: ignore[arg-type]
    parser.add_argument("--careful", help="for the careful preset (default: --people)", **pair)  # type: ignore[arg-type]
    parser.add_argument(
        "--clean",
        type=Path,
        nargs="+",
        required=True,
        help="clean sentences to dilute --people with, as tokens; files are mixed line by line",
    )
    parser.add_argument(
        "--rate", type=share, default=0.02, help="error rate after dilution (default 0.02)"
    )


def run(args: argparse.Namespace) -> int:
    """Choose default and careful on errors made by people, noisy on heavily corrupted text."""
    args.threshold = LOWEST
    sets = {"default": args.people, "noisy": args.noisy, "careful": args.careful or args.people}
    clean = mix([read_tokens(path) for path in args.clean])
    texts = {name: [read_errors(*pair) for pair in files] for name, files in sets.items()}
    drafts: dict[str, Draft] = {}
    for name, pairs in texts.items():
        args.preset = name if name == "noisy" else "default"
        model = systems.load_model(args)
        model.corrector.forward = CachedForward(model.corrector.forward)
        rate = 1.0 if name == "noisy" else args.rate
        names = " ".join(map(str, args.clean))
        diluted = [dilute(*repeat(*pair, clean, rate), clean, rate, name=names) for pair in pairs]
        preset = replace(model.corrector.bundle.preset(args.preset), rewrite_threshold=0.0)
        drafts[name] = choose_rewriting(partial(_propose, model.corrector, diluted), preset)
    record = {
        **choose_thresholds(drafts),
        "sets": {kind: [[a.name, b.name] for a, b in files] for kind, files in sets.items()},
        "clean": [path.name for path in args.clean],
        "sha256": {path.name: digest(path) for path in (*_paths(sets), *args.clean)},
        "error_rate_of_people": args.rate,
        "system": {key: model.description[key] for key in ("kind", "name", "sha256")},
        **provenance(),
    }
    save_text(to_json(record), args.out)
    sys.stdout.write(to_json(record))
    return 0


def _paths(sets: Mapping[str, Sequence[Sequence[Path]]]) -> Iterator[Path]:
    for pairs in sets.values():
        yield from chain.from_iterable(pairs)


@dataclass(frozen=True, slots=True)
class Draft:
    """A preset whose thresholds are still to be chosen, and its proposals."""

    preset: Preset
    proposals: Sequence[Proposals]


Propose = Callable[[Preset], Sequence[Proposals]]


def choose_rewriting(propose: Propose, preset: Preset) -> Draft:
    """Choose whether sentences are read once or twice.

    Only heavily corrupted text may be read twice: elsewhere few words are wrong, and it takes time.
    """
    once = Draft(preset, propose(preset))
    if preset.mode != "noisy":
        return once
    tried = [replace(preset, rewrite_threshold=threshold) for threshold in REWRITE_THRESHOLDS]
    twice = max((Draft(one, propose(one)) for one in tried), key=lambda d: _best_f05(d.proposals))
    gain = _best_f05(twice.proposals) - _best_f05(once.proposals)
    return twice if gain > REWRITE_GAIN else once


def choose_thresholds(drafts: Mapping[str, Draft]) -> dict[str, Any]:
    """Choose the thresholds; return the presets and their scores on the dev sets."""
    chosen = {name: _choose(name, draft) for name, draft in drafts.items()}
    return {
        "presets": {name: asdict(preset) for name, (preset, _) in chosen.items()},
        "precision_recall_f05_on_dev": {name: scores for name, (_, scores) in chosen.items()},
    }


def _choose(name: str, draft: Draft) -> tuple[Preset, list[tuple[float, float, float]]]:
    """The preset, and its scores on each set.

    In text that people have written, words are listed by their error probability. In heavily
    corrupted text only the corrections matter, so they are listed by their score.
    """
    sets = draft.proposals
    preset = replace(draft.preset, write_threshold=best(sets, min_precision=WRITE_PRECISION))
    if preset.mode == "noisy":
        threshold = best(sets)
        preset = replace(preset, threshold=threshold, oov_threshold=best_oov(sets, threshold))
        return preset, [one.at(threshold, preset.oov_threshold) for one in sets]
    if name == "careful":
        chosen = precise_listing(sets, GRID, precision=CAREFUL_PRECISION)
    else:
        chosen = best_listing(sets, GRID, max_loss=DEFAULT_LOSS)
    preset = replace(
        preset,
        threshold=chosen.listed,
        threshold_on="error_probability",
        oov_threshold=chosen.oov if chosen.oov < chosen.listed else 1.0,
        name_threshold=chosen.name if chosen.name > chosen.listed else 0.0,
        fix_threshold=chosen.corrected,
        write_threshold=max(preset.write_threshold, chosen.corrected),
    )
    return preset, [scores_at(one, chosen) for one in sets]


def _propose(
    corrector: Corrector, pairs: Sequence[tuple[Sentences, Sentences]], preset: Preset
) -> list[Proposals]:
    corrector.policy = replace(
        corrector.policy,
        rewrite_threshold=preset.rewrite_threshold,
        oov_threshold=1.0,
        name_threshold=0.0,
    )
    return [propose(corrector, *pair) for pair in pairs]
