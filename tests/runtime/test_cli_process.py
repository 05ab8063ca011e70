"""The command line as a process: start-up, broken pipes, and being killed."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import respell

TESTS = Path(__file__).parents[1]
PATH = [str(Path(respell.__file__).parents[1]), str(TESTS), str(TESTS / "runtime")]
QUICK = """
import sys, time
from respell.cli.main import main
assert main(sys.argv[1:]) == 0
heavy = {"numpy", "onnxruntime", "torch"} & set(sys.modules)
print(f"\\n{heavy or 'light'} {time.process_time()}")
"""
FAKE = """
import sys
from test_cli import Fake
from respell.cli.main import main
sys.exit(main(sys.argv[2:], load=Fake(wait=float(sys.argv[1])).load))
"""


def start(*arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(PATH)}
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_quick_answers_need_no_numpy(option: str, tmp_path: Path) -> None:
    out, err = start("-c", QUICK, option, folder=tmp_path).communicate()
    assert err == b""
    weight, seconds = out.decode().split()[-2:]
    assert weight == "light"
    assert float(seconds) < 0.2


def test_the_module_runs(tmp_path: Path) -> None:
    process = start("-m", "respell", "--version", folder=tmp_path)
    output, errors = process.communicate()
    version = (
        rf"respell {re.escape(respell.__version__)} \(model [\w-]+, edition \d+, [0-9a-f]{{12}}\)\n"
    )
    assert re.fullmatch(version, output.decode())
    assert errors == b""
    assert process.returncode == 0
    process = start("-m", "respell", "check", "nothing.md", "--model", "none", folder=tmp_path)
    assert process.communicate()[1].startswith(b"respell: ")
    assert process.returncode == 2


def test_a_broken_pipe_is_quiet(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("teh\n" * 50_000)
    process = start("-c", FAKE, "0", "check", "a.md", folder=tmp_path)
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stderr, process.stdout:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.wait() == 141


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_kill_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    old = b"Some words and teh rest of it.\n" * 100_000
    path.write_bytes(old)
    new = old.replace(b"teh", b"the")
    chance = random.Random(0)
    for _ in range(4):
        process = start("-c", FAKE, "0.01", "fix", "--write", "a.md", folder=tmp_path)
        before = len(list(tmp_path.iterdir()))
        while process.poll() is None and len(list(tmp_path.iterdir())) == before:
            time.sleep(0.005)  # until it is writing
        time.sleep(chance.uniform(0, 0.4))
        process.kill()
        process.communicate()
        assert path.read_bytes() in (old, new)
        assert all(p.name.startswith(".") for p in tmp_path.iterdir() if p != path)
    assert len(list(tmp_path.iterdir())) > 1  # at least once it was killed while writing
    process = start("-c", FAKE, "0", "fix", "--write", "--quiet", "a.md", folder=tmp_path)
    assert process.communicate() == (b"", b"")
    assert path.read_bytes() == new


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_no_temporary_file(name: str, tmp_path: Path) -> None:
    number = getattr(signal, name, None)
    if number is None:
        pytest.skip(f"needs {name}")
    path = tmp_path / "a.md"
    old = b"Some words and teh rest of it.\n" * 100_000
    path.write_bytes(old)
    before = signal.signal(number, signal.SIG_DFL)  # nohup ignores it, and so would its children
    try:
        process = start("-c", FAKE, "0.1", "fix", "--write", "a.md", folder=tmp_path)
    finally:
        signal.signal(number, before)
    until = time.monotonic() + 30
    while len(list(tmp_path.iterdir())) == 1 and time.monotonic() < until:
        time.sleep(0.01)
    assert len(list(tmp_path.iterdir())) == 2  # the draft
    process.send_signal(number)
    assert process.communicate(timeout=30) == (b"", b"")
    assert process.returncode == 128 + number
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == old


def test_pipes_are_not_rewritten(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "a.md").write_text("teh")
    process = start("-c", FAKE, "0", "fix", "--write", "-q", "pipe.md", "a.md", folder=tmp_path)
    _, err = process.communicate(timeout=30)
    assert err == b"respell: pipe.md: not a regular file, cannot be changed in place\n"
    assert process.returncode == 2
    assert (tmp_path / "a.md").read_text() == "the"
    assert len(list(tmp_path.iterdir())) == 2
