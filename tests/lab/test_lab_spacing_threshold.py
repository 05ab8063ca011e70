"""The `spacing-threshold` command."""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import pytest

from fakes import doubt_unknown, fake_bundle
from respell.corrector import Corrector
from respell.lab.common.presets_file import read_presets
from respell.lab.common.storage import to_json
from respell.lab.evaluate import systems
from respell.lab.evaluate.spaces.cases import GROUPS, Case, Material
from respell.lab.evaluate.spaces.measure import Point
from respell.lab.tune import spacing_threshold
from respell.model.bundle import Bundle
from respell.model.encode import NOISE_FLAG, WORD_PAD
from respell.model.forward import SPLIT, Features, TopK
from respell.types import Error

LEXICON = ("a", "lot", "i", "like", "it", "now")
SURE, UNSURE = 0.92, 0.72
TEXT, RIGHT = "i like it alot now", "i like it a lot now"


def two_words(features: Features, gate: float) -> TopK:
    """Take unknown words for two words, more surely if the noise flag is set."""
    noisy = bool((features.shapes[features.words != WORD_PAD] >= NOISE_FLAG).any())
    return doubt_unknown(features, error=SURE if noisy else UNSURE, kind=SPLIT)


def model(*, spacing: bool = True) -> systems.Model:
    made: Bundle = fake_bundle(words=LEXICON)
    bundle = replace(made, config=replace(made.config, spacing=spacing, noise_flag=True))
    return systems.Model(Corrector(bundle, two_words), {"name": "fake"})


def arguments(folder: Path) -> argparse.Namespace:
    presets = {
        "default": {"threshold": 0.5},
        "noisy": {"threshold": 0.3, "mode": "noisy"},
        "careful": {"threshold": 0.9},
    }
    (folder / "presets.json").write_text(to_json({"presets": presets, "other": 1}))
    parser = argparse.ArgumentParser()
    spacing_threshold.configure(parser)
    names = ("presets", "output")
    files = [f"--{name}={folder / name}.json" for name in names]
    return parser.parse_args([*files, "--corpora=corpora.toml", "--data=data"])


def test_each_mode_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(GROUPS[0], TEXT, 10, 14, RIGHT, 15)
    monkeypatch.setattr(systems, "load_model", lambda args: model())
    monkeypatch.setattr(
        spacing_threshold, "read_material", lambda part, **where: Material([case], [RIGHT])
    )
    args = arguments(tmp_path)
    spacing_threshold.run(args)
    record = json.loads(args.output.read_text())
    found = {
        mode: [p["threshold"] for p in points if p["recall_together"]]
        for mode, points in record["curves"].items()
    }
    assert max(found["light"]) == 0.7
    assert max(found["noisy"]) == 0.9
    presets = read_presets(args.presets)
    assert {name: p.spacing_threshold for name, p in presets.items()} == record["thresholds"]
    assert presets["noisy"].mode == "noisy"
    assert json.loads(args.presets.read_text())["other"] == 1


def test_rule() -> None:
    points = [
        Point(0.3, 0.96, 0.9, 0.9, 0.01),
        Point(0.5, 0.98, 0.8, 0.8, 0.06),
        Point(0.7, 0.98, 0.7, 0.7, 0.01),
        Point(0.9, 0.995, 0.6, 0.6, 0.0),
    ]
    wanted = spacing_threshold.wanted_precision
    assert spacing_threshold.choose(points, wanted("default")) == 0.7
    assert spacing_threshold.choose(points, wanted("careful")) == 0.9
    assert spacing_threshold.choose(points[:2], wanted("default")) == spacing_threshold.NEVER


def test_a_model_without_the_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "load_model", lambda args: model(spacing=False))
    args = arguments(tmp_path)
    with pytest.raises(Error, match=r"does not find missing or extra spaces; train it with"):
        spacing_threshold.run(args)
    assert not args.output.exists()
