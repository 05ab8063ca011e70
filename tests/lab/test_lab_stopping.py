"""Training that is told to end, or killed: resumed, it goes on as if nothing had happened."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import tiny

import respell
from respell.lab.__main__ import main
from respell.lab.checkpoint import Checkpoint
from respell.lab.stopping import STOPPED, watched

CASE = "word_char_keep"
STEPS = 40
MORE = ("--steps", str(STEPS), "--set", "train.log_every=2", "--save-minutes", "0")
SLOW = """
import sys, time
from respell.lab import train
from respell.lab.__main__ import main

class Slow(train.Trainer):
    def run(self, budget):
        for step in super().run(budget):
            time.sleep(0.05)
            yield step

train.Trainer = Slow
sys.exit(main())
"""


def losses(folder: Path) -> dict[int, float]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    steps = [row["step"] for row in rows]
    assert steps == sorted(set(steps))  # nothing is doubled
    return {row["step"]: row["loss"] for row in rows}


def interrupted(arguments: list[str], out: Path, how: signal.Signals) -> int:
    """Start a run, let it note some steps, and end it."""
    source = str(Path(respell.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *arguments],
        env={**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"},
        stderr=subprocess.DEVNULL,
    )
    metrics, deadline = out / "metrics.jsonl", time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if metrics.exists() and metrics.read_text(encoding="utf-8").count("\n") >= 5:
            break
        time.sleep(0.01)
    process.send_signal(how)
    return process.wait(60)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["told", "killed"])
def test_the_curve_is_that_of_one_run(how: signal.Signals, base: Path, tmp_path: Path) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert main(tiny.train_arguments(base, CASE, whole, *MORE)) == 0
    arguments = tiny.train_arguments(base, CASE, out, *MORE)
    status = interrupted(arguments, out, how)
    assert status == (STOPPED if how == signal.SIGTERM else -how)
    saved = Checkpoint.read(out).facts.step
    assert 0 < saved < STEPS
    if how == signal.SIGTERM:  # the last step that was noted has been saved
        assert saved == max(losses(out))
    assert main([*arguments, "--resume"]) == 0
    assert Checkpoint.read(out).facts.step == STEPS
    assert losses(out) == pytest.approx(losses(whole), abs=1e-4)


def test_sigterm_is_heard_inside_only() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with watched() as told:
        assert not told()
        os.kill(os.getpid(), signal.SIGTERM)
        assert told()
    assert signal.getsignal(signal.SIGTERM) is before
    heard: list[bool] = []

    def elsewhere() -> None:
        with watched() as told:
            heard.append(told())

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert heard == [False]
