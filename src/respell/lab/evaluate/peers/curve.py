"""Precision and recall of the shipped model by threshold; for reporting, not to choose one."""

from collections.abc import Sequence
from typing import Any

from respell.corrector import load
from respell.lab.common.provenance import hash_bundle, provenance
from respell.lab.evaluate.peers.sets import Set
from respell.lab.tune.proposals import LOWEST, propose
from respell.model.bundle import default_path
from respell.types import PRESETS

FILE = "curve.json"
_STEPS = 39


def measure(sets: Sequence[Set]) -> dict[str, Any]:
    """The points [threshold, precision, recall, F0.5] of every set, and the presets' thresholds."""
    corrector = load(threshold=LOWEST)
    presets = {name: load(preset=name).policy.threshold for name in PRESETS}
    grid = [LOWEST + i * (1 - LOWEST) / _STEPS for i in range(_STEPS)]
    curves = {}
    for given in sets:
        proposals = propose(corrector, given.noisy, given.gold)
        curves[given.name] = [[round(x, 4) for x in (t, *proposals.at(t))] for t in grid]
    return {
        "bundle": hash_bundle(default_path()),
        "presets": presets,
        "curves": curves,
        **provenance(),
    }
