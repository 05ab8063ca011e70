import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny

from fakes import FAKE_CONFIG
from respell.lab.__main__ import main
from respell.lab.export.card import render
from respell.model.bundle import Bundle
from respell.model.lexicon import Lexicon
from respell.model.presets import Preset

BUNDLE = Bundle(
    Path("nowhere"),
    replace(
        FAKE_CONFIG,
        name="little",
        edition=3,
        model="word_char",
        presets={
            "default": Preset(threshold=0.5),
            "noisy": Preset(threshold=0.25, oov_threshold=0.125, mode="noisy"),
        },
        sha256={"model.onnx": "c" * 64},
    ),
    Lexicon(["a", "b", "c"]),
)
FACTS: dict[str, Any] = {
    "parity": {
        "tokens": 12_345,
        "torch": {"f05": 0.91234},
        "bundle": {"bytes": 21_700_000, "agreement": 0.99912, "f05": 0.91119},
    },
    "training": {"words": 2_500_000_000, "step": 90_000, "seconds": 5400, "data_hash": "d" * 64},
    "checkpoint": "e" * 64,
    "parameters": 19_300_000,
    "sources": [],
}
RULE = {"precision": 0.9, "recall": 0.8, "f05": 0.878}
SCORED = {
    "name": "dev",
    "system": {"preset": "noisy"},
    "scores": {
        "all": {"table": RULE, "authors": {**RULE, "f05": 0.861}},
        "damaged_per_1000": 1.234,
    },
}
CLEAN = {
    "total": {"words": 120_000, "alarms": 55, "alarms_per_1000": 0.456},
    "files": [{"file": "novels.txt.xz", "words": 120_000}],
    "system": {"kind": "bundle", "preset": "careful"},
}


def test_card_has_the_facts() -> None:
    card = render(BUNDLE, FACTS, [])
    assert card.startswith("# little, edition 3\n")
    assert "`word_char`, 19.3M parameters, 3 words in the lexicon" in card
    assert "2,500M words (90,000 steps, 90.0 minutes)" in card
    assert f"data {'d' * 16}, checkpoint {'e' * 16}, model.onnx {'c' * 16}" in card
    assert "21.7 MB with 8-bit weights" in card
    assert "On 12,345 dev tokens, 99.912% of its decisions" in card
    assert "F0.5 is 0.9123 before quantization and 0.9112 after it" in card
    assert "| default | light | 0.500 | 0.500 |" in card
    assert "| noisy | noisy | 0.250 | 0.125 |" in card
    sections = [line for line in card.splitlines() if line.startswith("## ")]
    assert sections == ["## Presets", "## Limitations"]


def test_card_lists_the_stages_of_training() -> None:
    stages = [
        {"stage": "trial", "started_from": "random weights", "steps": 36_000, "recipe": "small"},
        {"stage": "run 1", "started_from": "trial", "words": 2_600_000, "checkpoint": "f" * 64},
        {"stage": "average", "teacher": "a large model", "note": "half of each"},
        {"stage": "export"},
    ]
    card = render(BUNDLE, {**FACTS, "lineage": stages}, [])
    assert (
        "## Origin of the weights\n\n"
        "1. **trial**: started from random weights; recipe small; 36,000 steps.\n"
        f"2. **run 1**: started from trial; 3M words; checkpoint {'f' * 16}.\n"
        "3. **average**: teacher: a large model; half of each.\n"
        "4. **export**\n"
    ) in card


def test_card_lists_results_and_sources() -> None:
    sources = [{"file": "a.txt", "licence": "CC BY 4.0", "words": 1_000_000}]
    card = render(BUNDLE, {**FACTS, "sources": sources}, [SCORED, CLEAN])
    assert "| dev | noisy | 0.900 | 0.800 | 0.878 | 0.861 | 1.23 |" in card
    assert "| novels | careful | 120,000 | 0.46 |" in card
    assert "| a.txt | CC BY 4.0 | 1,000,000 |" in card
    assert "## Clean text" not in render(BUNDLE, FACTS, [SCORED])
    assert "## Test sets" not in render(BUNDLE, FACTS, [CLEAN])


def test_card_has_the_reliability_of_dev_sets() -> None:
    one = {"set": "essays", "part": "dev", "error_rate": 0.02, "proposed": 1234}
    one |= {"right": 0.91, "mean_score": 0.95, "ece": 0.0412}
    measured = {"reliability": {"default": [one, {**one, "set": "exam", "part": "test"}]}}
    card = render(BUNDLE, FACTS, [measured], plot="../plot.svg")
    assert "| essays | 2.0% | default | 1,234 | 0.910 | 0.950 | 0.041 |" in card
    assert "exam" not in card
    assert "](../plot.svg)" in card
    assert "](" not in render(BUNDLE, FACTS, [measured])
    assert "Reliability" not in render(BUNDLE, FACTS, [SCORED])


def test_lower_case_runs_are_not_on_the_card() -> None:
    assert "| dev |" not in render(BUNDLE, FACTS, [{**SCORED, "lower": True}])


def test_tables_are_well_formed() -> None:
    sources = [{"file": "a.txt", "licence": "CC0", "words": 1}]
    lines = render(BUNDLE, {**FACTS, "sources": sources}, [SCORED, CLEAN]).splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("|"):
            starts = not before
            assert starts or before.count("|") == line.count("|")
        assert not line.startswith("#") or not before


@pytest.fixture
def bundle(tmp_path: Path, base: Path) -> Path:
    folder = tiny.exported(base)[0]
    return shutil.copytree(folder, tmp_path / "bundle")


def test_command(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = tmp_path / "result.json"
    result.write_text(json.dumps(SCORED), encoding="utf-8")
    before = (bundle / "README.md").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["card", str(result), "--bundle", str(bundle)]) == 0
    assert capsys.readouterr().out == f"{bundle / 'README.md'}\n"
    after = (bundle / "README.md").read_text(encoding="utf-8")
    assert "| dev | noisy |" in after
    assert main(["card", "--bundle", str(bundle)]) == 0
    assert (bundle / "README.md").read_text(encoding="utf-8") == before
    assert Bundle.read(bundle).config.name == "tiny-word_char_keep"


def test_bundle_without_facts_is_an_error(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (bundle / "facts.json").unlink()
    capsys.readouterr()
    assert main(["card", "--bundle", str(bundle)]) == 2
    assert main(["card", "--bundle", str(tmp_path / "none")]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 2
    assert "only exported bundles have a card" in errors[0]
    assert "no such model folder" in errors[1]
