import json
from pathlib import Path

import pytest

from respell.lab.__main__ import main

ROWS = (
    {"step": 100, "words": 1000, "seconds": 60.0, "loss": 2.0},
    {"step": 100, "dev_f05": 0.5, "dev_precision": 0.6, "dev_recall": 0.4},
    {"step": 200, "words": 2000, "seconds": 120.0, "loss": 1.0},
    {"step": 200, "dev_f05": 0.7, "dev_precision": 0.8, "dev_recall": 0.6},
)


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (folder / "recipe.toml").write_text('name = "tiny"\n')
    return folder


def test_a_run_becomes_a_record(trained: Path, tmp_path: Path) -> None:
    (trained / "facts.json").write_text('{"data_hash": "abc"}')
    presets = tmp_path / "presets.json"
    presets.write_text('{"presets": {}, "precision_recall_f05_on_dev": {"noisy": [[1, 1, 1]]}}')
    dev = [str(trained / "recipe.toml")] * 2
    command = ["ablation", str(trained), "--name", "no-case", "--lever", "no case head"]
    command += ["--against", "base", "--presets", str(presets), "--dev", *dev]
    assert main([*command, "--out", str(tmp_path / "kept")]) == 0
    made = json.loads((tmp_path / "kept" / "no-case.json").read_text(encoding="utf-8"))
    assert (made["name"], made["lever"], made["against"]) == ("no-case", "no case head", "base")
    assert (made["steps"], made["words"], made["seconds"]) == (200, 2000, 120.0)
    assert made["dev"] == {"f05": 0.7, "precision": 0.8, "recall": 0.6}
    assert made["recipe"] == 'name = "tiny"\n'
    assert made["data_hash"] == "abc"
    assert made["presets"]["precision_recall_f05_on_dev"] == {"noisy": [[1, 1, 1]]}
    assert len(made["dev_files"]) == 2
    assert made["machine"]["cores"]


def test_a_run_without_dev_scores_is_refused(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (trained / "metrics.jsonl").write_text(json.dumps(ROWS[0]) + "\n")
    command = ["ablation", str(trained), "--name", "x", "--lever", "y", "--out", str(tmp_path)]
    assert main(command) == 2
    assert "no dev scores; train with --dev" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()
