"""The soak test: a few seconds of it against a real server, and how it detects a leak."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from live import SOURCE

pytestmark = pytest.mark.clients
pytest.importorskip("uvicorn")
pytest.importorskip("matplotlib")

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import soak  # noqa: E402


def test_a_short_soak(tmp_path: Path) -> None:
    output, plot = tmp_path / "soak.json", tmp_path / "soak.png"
    command = [sys.executable, str(BENCHMARKS / "soak.py"), "--minutes", "0.1", "--every", "0.2"]
    done = subprocess.run(
        # Such a short time is all warm-up, so memory may grow.
        [*command, "--max-growth", "1", "--output", str(output), "--plot", str(plot)],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    value = json.loads(output.read_text(encoding="utf-8"))
    assert value["errors"] == 0
    assert value["requests"] == sum(value["by_kind"].values()) > 20
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_a_leak_is_detected() -> None:
    flat = [(float(i), 100.0 if i > 10 else 50.0 + i) for i in range(100)]
    leaking = [(float(i), 100.0 + i) for i in range(100)]
    assert soak.growth(flat) == 0
    assert soak.growth(leaking) > 0.3
