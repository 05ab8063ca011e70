"""One text, one answer: whatever the batch, the threads, the face and the run."""

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import respell
from respell import corrector as module
from respell.cli.main import main
from respell.text import windows
from respell.types import Correction

WORDS = (
    "I recieve teh mail their there its it's form from thier definately seperate a lot of work "
    "was done by the goverment and there children went too school yesterday . , ? \n"
).split(" ")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(" ".join)
TOLERANCE = 1e-4  # 32-bit sums in another order
MARGIN = 1e-3  # so near to the threshold, another order of summing may decide


@cache
def corrector(threads: int) -> respell.Corrector:
    return respell.load(threads=threads)


def assert_same(found: Sequence[Correction], wanted: Sequence[Correction]) -> None:
    """Same places, same words in the same order, same scores but for their last digits."""
    limit = corrector(1).policy.threshold + MARGIN
    found, wanted = ([c for c in some if c.score > limit] for some in (found, wanted))
    assert [(c.start, c.original) for c in found] == [(c.start, c.original) for c in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert one.suggestions[0].text == other.suggestions[0].text
        assert [s.probability for s in one.suggestions] == pytest.approx(
            [s.probability for s in other.suggestions], abs=TOLERANCE
        )


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(TEXTS, min_size=1, max_size=8),
    words=st.sampled_from([1, 7, 64, 5000]),
    threads=st.sampled_from([1, 2, 0]),
)
def test_batches_and_threads(
    texts: list[str], words: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = [corrector(1).check(text) for text in texts]
    with monkeypatch.context() as patch:
        patch.setattr(windows, "BATCH_WORDS", words)
        patch.setattr(module, "LOOK_AHEAD_WORDS", 4 * words)
        together = list(corrector(threads).check_many(texts))
    for found, wanted in zip(together, alone, strict=True):
        assert_same(found, wanted)


def test_the_same_run_twice_is_the_same_to_the_last_digit() -> None:
    texts = [" ".join(WORDS[i:] + WORDS[:i]) for i in range(len(WORDS))]
    first = list(corrector(1).check_many(texts))
    assert list(respell.load(threads=1).check_many(texts)) == first
    assert sum(map(len, first)) > len(texts)


def test_order_of_texts_changes_nothing() -> None:
    texts = [" ".join(WORDS[i : i + 12]) for i in range(len(WORDS))]
    forward = list(corrector(1).check_many(texts))
    backward = list(corrector(1).check_many(texts[::-1]))[::-1]
    for found, wanted in zip(forward, backward, strict=True):
        assert_same(found, wanted)


def test_processes_and_seeds_of_the_interpreter(tmp_path: Path) -> None:
    text = " ".join(WORDS)
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    said = set()
    for seed, jobs in (("0", "1"), ("1", "1"), ("2", "2")):
        command = ["check", "--no-config", "--format", "json", "--jobs", jobs, "a.txt"]
        done = subprocess.run(
            [sys.executable, "-m", "respell", *command],
            cwd=tmp_path,
            env={"PYTHONPATH": str(Path(respell.__file__).parents[1]), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (1, b"")
        said.add(done.stdout)
    assert len(said) == 1


def test_interfaces_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = " ".join(WORDS)
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    wanted = respell.load().correct(text)
    assert main(["fix", "--no-config", "--no-evidence", "a.txt"]) == 0
    assert capsysbinary.readouterr().out.decode() == wanted
    assert main(["check", "--no-config", "--format", "json", "a.txt"]) == 1
    found = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    listed = [(c.start, c.original) for c in respell.load().check(text)]
    assert [(f["start"], f["original"]) for f in found] == listed
    assert (
        main(
            [
                "fix",
                "--no-config",
                "--no-evidence",
                "--fix-threshold=0",
                "--write",
                "--jobs=2",
                "a.txt",
            ]
        )
        == 0
    )
    assert path.read_text(encoding="utf-8") == wanted
