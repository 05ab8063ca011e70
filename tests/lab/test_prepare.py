"""recipes/prepare.sh with a stub for the lab: the commands it runs, and repeated runs."""

import lzma
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from respell.lab.misspellings.word_lists import merge, read_tsv

ROOT = Path(__file__).parents[2]
STUB = """#!/bin/sh
[ "$1" = - ] && exec {python} "$@"
echo "$@" >> {log}
[ "$3" = "$FAILS" ] && exit 1
for last; do [ "$before" = --out ] && out=$last; before=$last; done
case $3 in
  build) mkdir -p "$out" ;;
  freeze) echo "$3" > "$out.gold.txt"; echo "$3" > "$out.noisy.txt" ;;
  *) echo "$3" > "$out" ;;
esac
"""
LISTS = ("omega_train80", "omega_heldout20", "typos_rs")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder of data, a list of words and a stub for python."""
    if shutil.which("xz") is None or shutil.which("bash") is None:
        pytest.skip("needs bash and xz")
    for folder in ("data/corpora", "data/misspellings", "words"):
        (tmp_path / folder).mkdir(parents=True)
    for number, name in enumerate(LISTS):
        pairs = "".join(f"word{i}\tw{number}rd{i}\n" for i in range(100))
        (tmp_path / f"data/misspellings/{name}.tsv").write_text(pairs, encoding="utf-8")
    held = "".join(f"sentence {i}\n" for i in range(4000)).encode()
    (tmp_path / "data/corpora/lm1b_heldout_10_11.txt.xz").write_bytes(lzma.compress(held))
    for name in ("american", "british"):
        (tmp_path / f"words/{name}-english").write_text("b\nZoo\nyoghurt\nyogurt\n", "utf-8")
    stub = tmp_path / "stub"
    stub.write_text(STUB.format(python=sys.executable, log=tmp_path / "log"), encoding="utf-8")
    stub.chmod(0o755)
    return tmp_path


def prepare(place: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the script in a folder."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT / "src"),
        "RESPELL_DATA": str(place / "data"),
        "WORDS": str(place / "words"),
        "PYTHON": str(place / "stub"),
    }
    return subprocess.run(
        ["bash", str(ROOT / "recipes" / "prepare.sh"), *arguments],
        cwd=place,
        env=environment | more,
        capture_output=True,
        text=True,
        check=False,
    )


def commands(place: Path) -> list[str]:
    return [line.split()[2] for line in (place / "log").read_text("utf-8").splitlines()]


def test_each_file_is_made_once(place: Path) -> None:
    assert prepare(place).returncode == 0
    assert commands(place) == [
        *("build", "generate", "generate", "vocabulary", "confusions"),
        *("freeze", "generate", "freeze"),
    ]
    assert (place / "work/lists/valid_words.txt").read_text("utf-8") == "yoghurt\nyogurt\n"
    assert prepare(place, "--ablations", "work").returncode == 0
    assert len(commands(place)) == 8 + 7
    known, held, unknown = (
        read_tsv(place / f"work/lists-dev/{name}.tsv")
        for name in ("omega_train80", "dev_pairs", "omega_heldout20")
    )
    before = read_tsv(place / "work/lists/omega_train80.tsv")
    assert held
    assert merge(known, held) == before
    assert unknown == merge(held, read_tsv(place / "work/lists/omega_heldout20.tsv"))
    assert (place / "work/dev/clean.txt").read_text("utf-8").startswith("sentence 1000\n")
    assert prepare(place, "--ablations").returncode == 0
    assert len(commands(place)) == 8 + 7


def test_a_failed_run_can_be_repeated(place: Path) -> None:
    assert prepare(place, "--ablations", FAILS="generate").returncode == 1
    corpus = place / "data/corpora/lm1b_heldout_10_11.txt.xz"
    whole = corpus.read_bytes()
    corpus.write_bytes(whole[:-40])
    assert prepare(place, "--ablations").returncode == 1
    assert not (place / "work/dev/clean.txt").exists()
    corpus.write_bytes(whole)
    assert prepare(place, "--ablations").returncode == 0
    assert (place / "work/dev/clean.txt").stat().st_size > 0
    assert read_tsv(place / "work/lists-dev/dev_pairs.tsv")


def test_missing_data_and_unknown_arguments_are_errors_of_one_line(place: Path) -> None:
    for arguments, more in (
        (["work", "--ablations"], {}),
        ([], {"RESPELL_DATA": ""}),
        ([], {"WORDS": str(place)}),
    ):
        done = prepare(place, *arguments, **more)
        assert done.returncode != 0
        assert done.stderr.count("\n") == 1
        assert not (place / "log").exists()
