"""Training that is told to end, or killed: resumed, it goes on as if nothing had happened."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

import pytest
import tiny

import respell
from respell.lab.__main__ import main
from respell.lab.common.stopping import INTERRUPTED, STOPPED, watched
from respell.lab.data import build
from respell.lab.evaluate import table
from respell.lab.train.checkpoint import Checkpoint

STATUS = {signal.SIGTERM: STOPPED, signal.SIGINT: INTERRUPTED, signal.SIGKILL: -signal.SIGKILL}
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
    metrics, deadline = out / "metrics.jsonl", time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if metrics.exists() and metrics.read_text(encoding="utf-8").count("\n") >= 5:
            break
        time.sleep(0.01)
    process.send_signal(how)
    return process.wait(60)


@pytest.mark.parametrize("how", STATUS, ids=["told", "interrupted", "killed"])
def test_the_curve_is_that_of_one_run(how: signal.Signals, base: Path, tmp_path: Path) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert main(tiny.train_arguments(base, CASE, whole, *MORE)) == 0
    arguments = tiny.train_arguments(base, CASE, out, *MORE)
    assert interrupted(arguments, out, how) == STATUS[how]
    saved = Checkpoint.read(out).facts.step
    assert 0 < saved < STEPS
    if how != signal.SIGKILL:  # the last step that was noted has been saved
        assert saved == max(losses(out))
    assert main([*arguments, "--resume"]) == 0
    assert Checkpoint.read(out).facts.step == STEPS
    assert losses(out) == pytest.approx(losses(whole), abs=1e-4)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_signals_are_heard_inside_only(how: signal.Signals) -> None:
    before = signal.getsignal(how)
    with watched() as told:
        assert told() == 0
        os.kill(os.getpid(), how)
        assert told() == STATUS[how]
    assert signal.getsignal(how) is before
    heard: list[int] = []

    def elsewhere() -> None:
        with watched() as told:
            heard.append(told())

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert heard == [0]


def test_a_second_interrupt_ends_at_once() -> None:
    with watched() as told:
        os.kill(os.getpid(), signal.SIGINT)
        assert told()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupted_command_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(table, "run_table", interrupt)
    assert main(["table", "x"]) == INTERRUPTED
    assert capsys.readouterr().err == ""


def test_a_build_that_is_stopped_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "out" / "data"
    text.write_text("\n".join(tiny.sentences(50)), encoding="utf-8")

    def stop(*_: object) -> NoReturn:  # while workers are waiting
        os.kill(os.getpid(), signal.SIGTERM)
        raise AssertionError("still here")

    monkeypatch.setattr(build, "first_seen", stop)
    with pytest.raises(SystemExit) as caught:
        main(["build", str(text), "--out", str(out), "--jobs", "2"])
    assert caught.value.code == STOPPED
    assert list(tmp_path.iterdir()) == [text]
    assert multiprocessing.active_children() == []
