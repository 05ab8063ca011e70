"""The command line and faults: full disks, read-only folders, loops, files that change."""

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import respell
from respell.cli import files
from respell.cli.main import main
from respell.config import Config, find_config
from workers import open_mortal

TESTS = Path(__file__).parents[1]
PATH = [str(Path(respell.__file__).parents[1]), str(TESTS), str(TESTS / "runtime")]
RUN = """
import sys
from respell.cli.main import main
from workers import open_mortal
sys.exit(main(sys.argv[1:], load=open_mortal))
"""
LONG = "Some words and teh rest of it.\n" * 4000  # 124 kB
Capture = pytest.CaptureFixture[bytes]


def run(
    *arguments: str, folder: Path, before: Callable[[], None] | None = None, out: int | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(PATH)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if out is None else out,
        stderr=subprocess.PIPE,
        preexec_fn=before,
        timeout=60,
    )


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts small file systems, if this user may."""
    places: list[Path] = []

    def mount(options: str) -> Path:
        place = tmp_path / f"mount{len(places)}"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except OSError:
            pytest.skip("needs mount")
        if done.returncode:
            pytest.skip("needs the right to mount")
        places.append(place)
        return place

    yield mount
    for place in places:
        subprocess.run(["umount", str(place)], check=True)


def plant(folder: Path) -> None:
    for name, text in (("a.md", "teh\n"), ("b.md", LONG), ("c.md", "teh\n")):
        (folder / name).write_text(text)


def assert_only_b_failed(folder: Path, done: subprocess.CompletedProcess[bytes], why: str) -> None:
    assert (done.returncode, done.stderr.decode()) == (
        2,
        f"a.md:1:1: teh → the\nrespell: b.md: {why}\nc.md:1:1: teh → the\n"
        "Fixed 2 problems in 2 files.\n",
    )
    assert (folder / "b.md").read_text() == LONG
    assert [(folder / name).read_text() for name in ("a.md", "c.md")] == ["the\n", "the\n"]
    assert sorted(p.name for p in folder.iterdir()) == ["a.md", "b.md", "c.md"]


def test_a_full_disk(mounted: Callable[[str], Path]) -> None:
    folder = mounted("size=200k")
    plant(folder)
    done = run("fix", "--write", ".", folder=folder)
    assert_only_b_failed(folder, done, "No space left on device")


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    plant(tmp_path)
    done = run("fix", "--write", ".", folder=tmp_path, before=limit_files)
    assert_only_b_failed(tmp_path, done, "File too large")


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_fails_late(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("teh\n")
    monkeypatch.setattr(os, call, fail)
    assert main(["fix", "--write", "a.md"], load=open_mortal) == 2
    assert capsysbinary.readouterr().err == b"respell: a.md: No space left on device\n"
    monkeypatch.undo()
    assert (tmp_path / "a.md").read_text() == "teh\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", [("check",), ("fix",), ("fix", "--diff")])
@pytest.mark.parametrize("text", ["teh\n", LONG], ids=["short", "long"])
def test_nowhere_to_print(command: tuple[str, ...], text: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(text)
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = run(*command, "a.md", folder=tmp_path, out=full)
    finally:
        os.close(full)
    assert done.returncode == 2
    assert done.stderr.startswith(b"respell: ")
    assert done.stderr.endswith(b"No space left on device\n")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_closed_stream(stream: int, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("teh\n")
    listed = "a.md:1:1: teh → the (0.90) unknown word\n"
    for arguments, status, out, err in (
        (("check", "a.md", "none.md"), 2, listed, "respell: none.md: "),
        (("teh end",), 0, "the end\n", ""),
        (("fix", "-"), 0, "", ""),
    ):
        done = run(*arguments, folder=tmp_path, before=partial(os.close, stream))
        assert done.returncode == status
        assert done.stdout.decode() == ("" if stream == 1 else out)
        assert done.stderr.decode().startswith("" if stream == 2 else err)
        assert b"Error" not in done.stderr


def test_a_read_only_file_system(mounted: Callable[[str], Path]) -> None:
    folder = mounted("size=1m")
    plant(folder)
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    done = run("fix", "--write", ".", folder=folder)
    assert done.returncode == 2
    names = ("a.md", "b.md", "c.md")
    errors = "".join(f"respell: {name}: Read-only file system\n" for name in names)
    assert done.stderr.decode() == errors
    assert (folder / "b.md").read_text() == LONG


def test_a_read_only_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.md"
    path.write_text("teh\n")
    path.chmod(0o444)
    if os.access(path, os.W_OK):  # root may always
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert main(["fix", "--write", "a.md"], load=open_mortal) == 2
    assert capsysbinary.readouterr().err == b"respell: a.md: not writable\n"
    assert path.read_text() == "teh\n"
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


@pytest.fixture
def locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that no user may enter."""
    folder = tmp_path / "locked"
    folder.mkdir()
    (folder / "a.md").write_text("teh\n")

    def guard(call: Callable[..., object], *, inside: bool) -> Callable[..., object]:
        def guarded(path: object, *arguments: object, **options: object) -> object:
            place = tmp_path / str(path)
            if folder in place.parents or (not inside and place == folder):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return call(path, *arguments, **options)

        return guarded

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "stat", guard(os.stat, inside=True))
    monkeypatch.setattr(os, "scandir", guard(os.scandir, inside=False))
    monkeypatch.setattr("io.open", guard(open, inside=True))
    return folder


def test_a_folder_one_may_not_enter(locked: Path, capsysbinary: Capture) -> None:
    locked.with_name("b.md").write_text("teh\n")
    assert main(["fix", "--write", "locked", "locked/a.md", "b.md"], load=open_mortal) == 2
    assert capsysbinary.readouterr().err.decode() == (
        "respell: locked: Permission denied\nrespell: locked/a.md: Permission denied\n"
        "b.md:1:1: teh → the\nFixed 1 problem in 1 file.\n"
    )
    assert locked.with_name("b.md").read_text() == "the\n"
    assert main(["fix", "locked/a.md"], load=open_mortal) == 2
    assert capsysbinary.readouterr().err.decode() == "respell: locked/a.md: Permission denied\n"


def test_a_working_folder_one_may_not_enter(locked: Path) -> None:
    assert find_config(locked) == Config(base=locked)


def test_a_clean_file_needs_no_right_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("respell.cli.rewrite._open_privately", refuse)
    (tmp_path / "a.md").write_text("fine\n")
    (tmp_path / "b.md").write_text("teh\n")
    assert main(["fix", "--write", "a.md"], load=open_mortal) == 0
    assert capsysbinary.readouterr().err == b"No problems found in 1 file.\n"
    assert main(["fix", "--write", "."], load=open_mortal) == 2
    assert capsysbinary.readouterr().err.splitlines() == [
        b"respell: b.md: Permission denied",
        b"No problems found in 1 file.",
    ]


def test_loops_of_links(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("teh\n")
    (tmp_path / "self.md").symlink_to("self.md")
    (tmp_path / "there.md").symlink_to("back.md")
    (tmp_path / "back.md").symlink_to("there.md")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "up").symlink_to(tmp_path)
    done = run("fix", "--write", "self.md", "there.md", ".", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.decode() == "".join(
        f"respell: {name}: Too many levels of symbolic links\n" for name in ("self.md", "there.md")
    ) + ("a.md:1:1: teh → the\nFixed 1 problem in 1 file.\n")
    assert (tmp_path / "a.md").read_text() == "the\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.unlink(), "No such file or directory"),
        (lambda path: path.write_text("shorter"), "changed while it was being read"),
        (lambda path: path.write_text(LONG + "teh more"), "changed while it was being read"),
        (lambda path: path.write_bytes(b"\xff" * 200_000), "not UTF-8"),
        (lambda path: path.write_bytes(b"teh\n" + bytes(200_000)), "changed while"),
    ],
    ids="gone shorter longer bytes binary".split(),
)
def test_a_file_that_changes_while_it_is_read(
    change: Callable[[Path], object],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: Capture,
) -> None:
    path = tmp_path / "a.md"
    path.write_text(LONG)
    monkeypatch.chdir(tmp_path)
    real = files._decode
    after: list[bytes] = []

    def decode(stream: object, name: str) -> Iterator[str]:
        for number, chunk in enumerate(real(stream, name)):  # type: ignore[arg-type]
            yield chunk
            if number == 0:
                change(path)
                after.extend(p.read_bytes() for p in tmp_path.iterdir() if p == path)

    monkeypatch.setattr(files, "_decode", decode)
    assert main(["fix", "--write", "a.md"], load=open_mortal) == 2
    errors = capsysbinary.readouterr().err.decode()
    assert message in errors
    assert errors.count("\n") == 1
    assert [p.read_bytes() for p in tmp_path.iterdir()] == after


ORPHANS = """
import sys, time
from respell.cli.workers import Workers
from workers import open_mortal
if __name__ == "__main__":
    team = Workers(2, open_mortal)
    print(*(worker.process.pid for worker in team._workers), flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_workers_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", ORPHANS],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(PATH)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    with process.stdout:
        workers = [int(pid) for pid in process.stdout.readline().split()]
        process.kill()
        process.wait()
    deadline = time.monotonic() + 20
    while any(map(_runs, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(workers) == 2
    assert not any(map(_runs, workers))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
