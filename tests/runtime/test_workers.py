"""Worker processes: order, errors, and what happens when one is killed."""

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from respell.cli.main import main
from respell.cli.workers import SHARE, Workers
from respell.types import Correction, Error
from workers import KILLER, die_at_start, open_mortal, open_nothing

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
Capture = pytest.CaptureFixture[bytes]


def numbered(count: int, seed: int = 0) -> Iterator[str]:
    """Texts of all sizes; text number n holds n misspellings."""
    dice = random.Random(seed)
    for n in range(count):
        yield "teh " * n + "a " * dice.choice([0, 10, SHARE // 4, SHARE])


@pytest.fixture(scope="module")
def team() -> Iterator[Workers]:
    jobs = Workers(2, open_mortal)
    yield jobs
    jobs.close()


def counts(answers: Iterator[list[Correction] | Error]) -> list[int | str]:
    return [str(one) if isinstance(one, Error) else len(one) for one in answers]


@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_every_text_is_answered_once_and_in_order(count: int, team: Workers) -> None:
    assert counts(team.check_many(numbered(count))) == list(range(count))


def test_texts_are_read_as_they_are_needed(team: Workers) -> None:
    read = 0

    def texts() -> Iterator[str]:
        nonlocal read
        for _ in range(1000):
            read += 1
            yield "teh " * SHARE

    answers = team.check_many(texts())
    next(answers)
    assert read < 20
    answers.close()  # type: ignore[attr-defined]


def test_a_killed_worker_is_replaced_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    texts = list(numbered(60))
    for n in (3, 30, 31, 59):
        texts[n] += f" kills once: {tmp_path / str(n)}"
    team = Workers(2, open_mortal)
    try:
        assert counts(team.check_many(texts)) == list(range(60))
        assert len(list(tmp_path.iterdir())) == 4  # every one of them has killed
    finally:
        team.close()


def test_workers_killed_from_outside(tmp_path: Path) -> None:
    team = Workers(2, open_mortal)
    try:
        found = []
        for n, answer in enumerate(team.check_many(numbered(60))):
            found.append(answer)
            if n in (5, 25):
                os.kill(team._workers[n % 2].process.pid or 0, signal.SIGKILL)
                time.sleep(0.05)
        assert counts(iter(found)) == list(range(60))
    finally:
        team.close()


def test_a_text_that_kills_again_is_named_and_the_others_are_done(team: Workers) -> None:
    texts = ["teh", KILLER, "teh teh"]
    assert counts(team.check_many(texts)) == [
        1,
        "it crashed two worker processes (killed by SIGKILL)",
        2,
    ]
    assert counts(team.check_many(["teh"])) == [1]


@pytest.mark.parametrize(
    ("text", "message"), [("raises", "this text raises"), ("divides", "ZeroDivisionError: ")]
)
def test_an_error_of_a_worker_is_raised_here(text: str, message: str) -> None:
    team = Workers(2, open_mortal)
    try:
        with pytest.raises(Error, match=message):
            list(team.check_many(["teh", text]))
    finally:
        team.close()


def test_a_model_that_cannot_be_loaded() -> None:
    with pytest.raises(Error, match="no such model folder"):
        Workers(2, open_nothing)
    with pytest.raises(Error, match=r"while loading the model \(killed by SIGKILL\)"):
        Workers(2, die_at_start)


def test_cpu_time_of_workers_counts(team: Workers) -> None:
    before = team.cpu()
    list(team.check_many(["teh " * 200_000] * 2))
    assert team.cpu() > before


def plant(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def test_a_file_that_crashes_workers_is_skipped_and_the_others_are_fixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    long = "a line\n" * 20_000  # several blocks: none of them may be written if one fails
    texts = {f"{n:02}.md": "teh " * n + "\n" for n in range(1, 30)}
    plant(tmp_path, {**texts, "15.md": f"teh\n\n{long}\n{KILLER}\n\n{long}"})
    before = (tmp_path / "15.md").read_bytes()
    assert main(["fix", "--write", "--quiet", "--jobs", "2", "."], load=open_mortal) == 2
    errors = capsysbinary.readouterr().err.decode()
    assert errors == "respell: 15.md: it crashed two worker processes (killed by SIGKILL)\n"
    assert (tmp_path / "15.md").read_bytes() == before
    for name, text in texts.items():
        if name != "15.md":
            assert (tmp_path / name).read_text(encoding="utf-8") == text.replace("teh", "the")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(texts)


def test_answers_do_not_depend_on_the_number_of_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    plant(tmp_path, {f"{n:02}.md": text for n, text in enumerate(numbered(12))})
    said = []
    for jobs in ([], ["--jobs", "1"], ["--jobs", "3"]):
        assert main(["check", "--format", "json", *jobs, "."], load=open_mortal) == 1
        said.append(capsysbinary.readouterr().out)
    assert said[0] == said[1] == said[2]
    assert said[0].count(b"\n") == sum(range(12))


def test_stats_count_what_workers_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    plant(tmp_path, {"a.md": "teh cat\n"})
    assert main(["check", "--jobs", "2", "--stats", "a.md"], load=open_mortal) == 1
    assert b"1 file, 2 words, 1 problem in " in capsysbinary.readouterr().err
