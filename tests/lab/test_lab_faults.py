"""Full disks, damaged checkpoints and shards, and files with false headers."""

import errno
import io
import json
import lzma
import os
import resource
import shutil
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from respell.lab.__main__ import main
from respell.lab.common.storage import finish_replacing, replacing_files
from respell.lab.data.shards import Shard, read_shard, write_shard
from respell.lab.export import command
from respell.lab.export.command import export
from respell.lab.train.checkpoint import FACTS, WEIGHTS, Checkpoint, load_tensors
from respell.types import Error

CASE = "word_char_keep"


@pytest.fixture
def damaged(base: Path, tmp_path: Path) -> Path:
    """A copy of a checkpoint that a test may damage."""
    return shutil.copytree(tiny.checkpoint(base, CASE).path, tmp_path / "checkpoint")


def header(size: int, entry: dict[str, Any] | bytes) -> bytes:
    text = entry if isinstance(entry, bytes) else json.dumps(entry).encode()
    return struct.pack("<Q", size or len(text)) + text


TEN_GIGABYTES = 10_000_000_000
HUGE = {"w": {"dtype": "F32", "shape": [2_500_000_000], "data_offsets": [0, TEN_GIGABYTES]}}
SHORT = {"w": {"dtype": "F32", "shape": [2_500_000_000], "data_offsets": [0, 16]}}
OVERLAP = {
    "a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]},
    "b": {"dtype": "F32", "shape": [4], "data_offsets": [8, 24]},
}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"rubbish that is longer than a header",
        header(TEN_GIGABYTES, b"{}"),
        header(2**64 - 1, b"{}"),
        header(0, HUGE) + bytes(16),
        header(0, SHORT) + bytes(16),
        header(0, OVERLAP) + bytes(24),
        header(0, b"[" * 10_000),
        header(0, b"\xff\xfe{}"),
        b"\x80\x04\x95cposix\nsystem\n(S'true'\ntR.",
    ],
    ids="empty rubbish long longest huge short overlap deep bytes pickle".split(),
)
def test_invalid_weights_are_errors(
    content: bytes, damaged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (damaged / WEIGHTS).write_bytes(content)
    with pytest.raises(Error, match=r"model\.safetensors: not a safetensors file, or damaged"):
        Checkpoint.read(damaged).model()
    arguments = ["average", str(damaged), str(damaged), "--out", str(damaged.parent / "out")]
    assert main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (damaged.parent / "out").exists()


def test_weights_of_another_model_are_an_error(damaged: Path, base: Path) -> None:
    shutil.copyfile(tiny.checkpoint(base, "scrnn").path / WEIGHTS, damaged / WEIGHTS)
    with pytest.raises(Error, match="does not fit"):
        Checkpoint.read(damaged).model()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_weights_with_flipped_bits(data: st.DataObject, base: Path, tmp_path: Path) -> None:
    content = bytearray((tiny.checkpoint(base, CASE).path / WEIGHTS).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, 3000))] ^= 1 << data.draw(st.integers(0, 7))
    kept = data.draw(st.sampled_from([len(content), len(content) - 1, 3000, 9]))
    (tmp_path / "w").write_bytes(content[:kept])
    try:
        tensors = load_tensors(tmp_path / "w")
    except Error:
        return
    assert kept == len(content)
    assert sum(t.numel() * t.element_size() for t in tensors.values()) < kept


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("characters", 3),
        ("length", "8"),
        ("step", None),
        ("casing", []),
        ("words", 1.5),
        ("seconds", "1"),
    ],
)
def test_facts_of_wrong_types_are_errors(key: str, value: object, damaged: Path) -> None:
    facts = json.loads((damaged / FACTS).read_text(encoding="utf-8"))
    (damaged / FACTS).write_text(json.dumps({**facts, key: value}), encoding="utf-8")
    with pytest.raises(Error, match="a value has the wrong type"):
        Checkpoint.read(damaged)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("characters", ""),
        ("length", 0),
        ("length", 10**9),
        ("step", -1),
        ("words", -1),
        ("seconds", float("nan")),
        ("seconds", -1.0),
        ("casing", "upper"),
    ],
)
def test_facts_out_of_range_are_errors(key: str, value: object, damaged: Path) -> None:
    facts = json.loads((damaged / FACTS).read_text(encoding="utf-8"))
    (damaged / FACTS).write_text(json.dumps({**facts, key: value}), encoding="utf-8")
    with pytest.raises(Error, match="damaged"):
        Checkpoint.read(damaged)


def zipped(**arrays: bytes) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for name, content in arrays.items():
            archive.writestr(f"{name}.npy", content)
    return raw.getvalue()


def npy(array: object, *, pickled: bool = False) -> bytes:
    raw = io.BytesIO()
    np.save(raw, np.array(array, object if pickled else None), allow_pickle=pickled)
    return raw.getvalue()


def false_header(shape: str) -> bytes:
    text = f"{{'descr': '<u2', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


NAMES = ("ids", "shapes", "escapes", "lengths")


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04 no archive",
        zipped(),
        zipped(**dict.fromkeys(NAMES, b"")),
        zipped(**dict.fromkeys(NAMES, npy([1.5]))),
        zipped(**dict.fromkeys(NAMES, npy([[1]]))),
        zipped(**dict.fromkeys(NAMES, npy([{}], pickled=True))),
        zipped(**dict.fromkeys(NAMES, false_header("(5000000000,)"))),
        zipped(**dict.fromkeys(NAMES, false_header("(2**62,)"))),
        zipped(**dict.fromkeys(NAMES, false_header("(-1,)"))),
        zipped(**dict.fromkeys(NAMES, false_header("__import__('os')"))),
        npy([1, 2]),
        npy([{}], pickled=True),
    ],
    ids="half nothing empty float deep pickle long overflow negative code array object".split(),
)
def test_invalid_shards_are_errors(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "s.npz.xz").write_bytes(lzma.compress(content))
    with pytest.raises(Error, match="not a shard") as caught:
        read_shard(tmp_path / "s.npz.xz")
    assert "\n" not in str(caught.value)


def test_shard_with_negative_numbers_is_an_error(tmp_path: Path) -> None:
    ids, ones = np.full(1, 65_535, np.uint16), np.ones(1, np.uint16)
    write_shard(Shard(ids, np.zeros(1, np.uint8), np.full(1, -3, np.int32), ones), tmp_path / "s")
    with pytest.raises(Error, match="a negative line number"):
        read_shard(tmp_path / "s")


@contextmanager
def limited_files() -> Iterator[None]:
    """No file may be larger than 20,000 bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def quick_export(base: Path, out: Path) -> None:
    checkpoint = tiny.checkpoint(base, CASE)
    noisy, gold = tiny.parity_sentences(6)
    export(checkpoint, out, noisy=noisy, gold=gold, presets=checkpoint.presets())


@pytest.mark.parametrize("old", [False, True], ids=["new", "again"])
@pytest.mark.parametrize("name", ["config.json", "README.md"])
def test_export_to_a_full_disk(
    name: str, old: bool, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "bundle"
    if old:
        shutil.copytree(tiny.exported(base)[0], out)
    graph = tiny.graphs(base, CASE)[0]
    monkeypatch.setattr(command, "to_onnx", lambda model, path: shutil.copyfile(graph, path))
    before = {path.name: path.read_bytes() for path in out.iterdir()} if old else {}
    real: Callable[..., int] = Path.write_text

    def write(path: Path, *arguments: Any, **options: Any) -> int:
        if name in path.name:
            real(path, "half", encoding="utf-8")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return real(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", write)
    with pytest.raises(OSError, match="No space left"):
        quick_export(base, out)
    left = {path.name: path.read_bytes() for path in out.iterdir()} if old else {}
    assert left == before
    assert [path.name for path in tmp_path.iterdir()] == (["bundle"] if old else [])


def test_export_with_a_limit_of_file_sizes(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = tiny.graphs(base, CASE)[0]
    monkeypatch.setattr(command, "to_onnx", lambda model, path: shutil.copyfile(graph, path))
    with limited_files(), pytest.raises(OSError, match="File too large"):
        quick_export(base, tmp_path / "bundle")
    assert list(tmp_path.iterdir()) == []


def test_training_with_a_limit_of_file_sizes(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = tiny.train_arguments(base, CASE, out, "--steps", "2", "--set", "train.log_every=1")
    with limited_files():
        assert main(arguments) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("respell.lab: ")
    assert "File too large" in last
    assert not (out / WEIGHTS).exists()
    assert not [path for path in out.iterdir() if path.name.startswith(".")]


def test_files_are_replaced_together(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")

    def write(fail: bool) -> None:
        with replacing_files(tmp_path) as drafts:
            (drafts / "a").write_text("new")
            (drafts / "b").write_text("new")
            if fail:
                raise Error("failed")

    with pytest.raises(Error, match="failed"):
        write(fail=True)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a", "old")]
    write(fail=False)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a": "new", "b": "new"}


def test_files_are_replaced_together_even_if_the_process_is_killed(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("old")
    killed = f"""
import os
from pathlib import Path
from respell.lab.common.storage import finish_replacing, replacing_files

def replace_once(path, target, replace=Path.replace):
    replace(path, target)
    os._exit(9)

Path.replace = replace_once
with replacing_files(Path({str(tmp_path)!r})) as drafts:
    for name in ("a", "b"):
        (drafts / name).write_text("new")
"""
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == 9
    assert [(tmp_path / name).read_text() for name in ("a", "b")] == ["new", "old"]
    finish_replacing(tmp_path)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a": "new", "b": "new"}
    finish_replacing(tmp_path)
