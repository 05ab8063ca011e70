"""Signals: an interrupted training run can be resumed, and nothing is left behind."""

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
from respell.lab.__main__ import main
from respell.lab.train import command

class Slow(command.Trainer):
    def run(self, budget):
        for step in super().run(budget):
            time.sleep(0.05)
            yield step

command.Trainer = Slow
sys.exit(main())
"""


def losses(folder: Path) -> dict[int, float]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    steps = [row["step"] for row in rows]
    assert steps == sorted(set(steps))  # no step twice
    return {row["step"]: row["loss"] for row in rows}


def interrupt(arguments: list[str], out: Path, number: signal.Signals) -> int:
    """Start a run, wait for some logged steps, and send a signal; return the exit status."""
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
    process.send_signal(number)
    return process.wait(60)


@pytest.fixture(scope="module")
def whole(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was not interrupted."""
    out = tmp_path_factory.mktemp("stopping") / "whole"
    assert main(tiny.train_arguments(base, CASE, out, *MORE)) == 0
    return out


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        signal.SIGKILL,
        pytest.param(signal.SIGINT, marks=pytest.mark.exhaustive),
    ],
)
def test_resumed_run_has_the_same_losses(
    number: signal.Signals, base: Path, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = tiny.train_arguments(base, CASE, out, *MORE)
    assert interrupt(arguments, out, number) == STATUS[number]
    saved = Checkpoint.read(out).facts.step
    assert 0 < saved < STEPS
    if number != signal.SIGKILL:  # the last logged step was saved
        assert saved == max(losses(out))
    assert main([*arguments, "--resume"]) == 0
    assert Checkpoint.read(out).facts.step == STEPS
    assert losses(out) == pytest.approx(losses(whole), abs=1e-4)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_handlers_are_restored(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with watched() as status:
        assert status() == 0
        os.kill(os.getpid(), number)
        assert status() == STATUS[number]
    assert signal.getsignal(number) is before


def test_threads_set_no_handlers() -> None:
    seen: list[int] = []

    def in_thread() -> None:
        with watched() as status:
            seen.append(status())

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert seen == [0]


def test_second_interrupt_is_not_delayed() -> None:
    with watched() as status:
        os.kill(os.getpid(), signal.SIGINT)
        assert status()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_interrupted_command_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def raise_interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(table, "run", raise_interrupt)
    assert main(["table", "x"]) == INTERRUPTED
    assert capsys.readouterr().err == ""


def test_stopped_build_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
