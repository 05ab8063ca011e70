"""Run a peer in its own process and exchange JSON lines with it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

from respell.lab.common.tokens import check_aligned
from respell.lab.evaluate.peers.registry import Peer
from respell.lab.evaluate.peers.usage import cpu_seconds
from respell.types import Error

TIMEOUT = 600.0
"""Seconds a peer may take to load, or to answer one group of sentences."""
MIN_GROUP, MAX_GROUP = 16, 4096
"""Sentences sent at once; groups grow while they take less than GROUP_SECONDS."""
GROUP_SECONDS = 0.5
EXIT_SECONDS = 5.0
"""Time to wait for the error message of a process that stopped answering."""
_WARM_UP = [["Hello", "."]]
Sentences = Sequence[list[str]]


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a peer to the first sentences of a set, and the time they took."""

    sentences: list[list[str]]
    words: int
    seconds: float
    cpu_seconds: float


class Running:
    """A running peer; `load_seconds` is the time from its start to its first answer."""

    def __init__(self, process: subprocess.Popen[str], name: str, errors: IO[bytes]) -> None:
        self._process = process
        self._name = name
        self._errors = errors
        self._timed_out = False
        self.load_seconds = 0.0

    @property
    def pid(self) -> int:
        """Its process ID."""
        return self._process.pid

    def ask(self, sentences: Sentences) -> list[list[str]]:
        """Correct some sentences; each answer must have as many tokens as its sentence."""
        timer = threading.Timer(TIMEOUT, self._time_out)
        timer.start()
        try:
            answers = list(self._exchange(sentences))
        except (BrokenPipeError, EOFError) as error:
            raise Error(f"{self._name}: {self._failure()}") from error
        finally:
            timer.cancel()
        check_aligned(sentences, answers, self._name)
        return answers

    def _exchange(self, sentences: Sentences) -> Iterator[list[str]]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write("".join(json.dumps(tokens) + "\n" for tokens in sentences) + "\n")
        stdin.flush()
        for _ in sentences:
            line = stdout.readline()
            if not line:
                raise EOFError
            yield _tokens(line, self._name)

    def ask_all(self, sentences: Sentences, *, limit_seconds: float) -> Answers:
        """Correct a set, or as much of it as fits into the time, in growing groups."""
        answers: list[list[str]] = []
        size, start, cpu = MIN_GROUP, time.perf_counter(), cpu_seconds(self.pid)
        while len(answers) < len(sentences) and time.perf_counter() - start < limit_seconds:
            began = time.perf_counter()
            answers += self.ask(sentences[len(answers) : len(answers) + size])
            if time.perf_counter() - began < GROUP_SECONDS:
                size = min(2 * size, MAX_GROUP)
        return Answers(
            answers,
            sum(map(len, answers)),
            time.perf_counter() - start,
            cpu_seconds(self.pid) - cpu,
        )

    def _time_out(self) -> None:
        self._timed_out = True
        _kill(self._process)

    def _failure(self) -> str:
        """Why it stopped: the last line of its stderr, without paths of this machine."""
        if self._timed_out:
            return f"no answer in {TIMEOUT:.0f} seconds"
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(EXIT_SECONDS)
        self._errors.seek(0)
        return last_line(self._errors.read().decode("utf-8", "replace"))


def _tokens(line: str, name: str) -> list[str]:
    try:
        answer = json.loads(line)
    except ValueError:
        answer = None
    if not isinstance(answer, list) or not all(isinstance(token, str) for token in answer):
        raise Error(f"{name}: an answer must be a JSON list of strings, not {last_line(line)}")
    return answer


def last_line(text: str) -> str:
    """The last meaningful line of an error message, shortened and without paths."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"[\w.]*(?:Error|Exception|Exit)\b", line)]
    line = (errors or lines or ["it exited without a message"])[-1]
    return re.sub(r"(?<![\w:/])/[\w./@+-]+/", "", line)[:300]


@contextmanager
def start(peer: Peer) -> Iterator[Running]:
    """Start a peer and wait for its first answer; it is stopped at the end of the block."""
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",  # CPU times are comparable only without spinning threads
        "PEER_FOLDER": str(peer.home.resolve()),
        **dict(peer.set),
    }
    if not _is_installed(peer):
        raise Error(f"{peer.name}: not installed; run: python -m respell.lab peers install")
    began = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command(peer),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
            env=environment,
            start_new_session=True,  # so that its children can be stopped too
        )
        try:
            running = Running(process, peer.name, errors)
            running.ask(_WARM_UP)
            running.load_seconds = time.perf_counter() - began
            yield running
        finally:
            _stop(process)


def command(peer: Peer, *more: str) -> list[str]:
    """The command that starts a peer: its own Python or Node, and the adapter."""
    folder = peer.adapter.parent.parent
    if peer.is_node:
        return ["node", str(folder / "serve.mjs"), str(peer.adapter), *more]
    own = peer.home / "venv" / "bin" / "python"
    python = str(own) if peer.pip or own.is_file() else sys.executable
    return [python, str(folder / "serve.py"), str(peer.adapter), *more]


def _is_installed(peer: Peer) -> bool:
    return shutil.which(command(peer)[0]) is not None and (not peer.npm or peer.home.is_dir())


def _kill(process: subprocess.Popen[str]) -> None:
    """Stop a peer and its children, which are a process group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _stop(process: subprocess.Popen[str]) -> None:
    _kill(process)
    for pipe in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):  # nobody reads the rest
            if pipe:
                pipe.close()
    process.wait()
