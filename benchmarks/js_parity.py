"""Count how the answers of the JavaScript package and of this package differ."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import js_cases
from js_model import PACKAGE

from respell.model.bundle import Bundle

SEED = 1
ROUNDS = 9
"""The first ones are slower: the engine is still being compiled."""


def compare_answers(model: Path, count: int) -> dict[str, Any]:
    """How the answers to random texts differ, each with its own probabilities."""
    with tempfile.TemporaryDirectory() as folder:
        js_cases.write(Path(folder) / js_cases.NATIVE, Bundle.read(model), count=count, seed=SEED)
        return _run("native", "answers.test.mjs", model, Path(folder), "RESPELL_SUMMARY")


def compare_decisions(model: Path, count: int) -> dict[str, Any]:
    """How the answers to random texts differ, given the same probabilities."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / js_cases.RECORDED
        js_cases.write(path, Bundle.read(model), count=count, seed=SEED)
        return _run("recorded", "recorded.test.mjs", model, Path(folder), "RESPELL_RECORDED")


def seconds_to_check(model: Path, text: str) -> float:
    """The processor time, in seconds, that a check takes in Node on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text(text, encoding="utf-8")
        command = ["node", "test/speed.mjs", str(model), str(path), str(ROUNDS)]
        done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=True)
    seconds: list[float] = json.loads(done.stdout)
    return round(median(seconds), 3)


def _run(pattern: str, script: str, model: Path, folder: Path, summary: str) -> dict[str, Any]:
    path = folder / "summary.json"
    given = {"RESPELL_CASES": folder, "RESPELL_MODEL": model, summary: path}
    subprocess.run(
        ["node", "--test", f"--test-name-pattern={pattern}", f"test/{script}"],
        cwd=PACKAGE,
        env={**os.environ, **{name: str(value) for name, value in given.items()}},
        capture_output=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
