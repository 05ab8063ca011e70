import json
from pathlib import Path

import pytest

from respell.lab.__main__ import main
from respell.lab.evaluate.mistakes import (
    DAMAGED,
    FLAGGED,
    MISSED,
    WRONG,
    flagged_in,
    mistakes_of,
    sample,
)
from respell.model.bundle import default_path
from respell.types import Error

NOISY = [["I", "saw", "teh", "big", "catt", "on", "a", "fline", "mat"]]
GOLD = [["I", "saw", "the", "big", "cat", "on", "a", "fine", "mat"]]
PREDICTED = [["I", "was", "the", "big", "catt", "on", "a", "line", "mat"]]
HEADER = "file\toriginal\tsuggestion\tscore\tcontext\n"


def test_mistakes_have_a_kind_and_two_words_of_context() -> None:
    damaged, missed, wrong = mistakes_of(NOISY, GOLD, PREDICTED)
    assert (damaged.kind, damaged.token, damaged.answer) == (DAMAGED, "saw", "was")
    assert (damaged.before, damaged.after) == ("I", "teh big")
    assert (missed.kind, missed.token, missed.gold) == (MISSED, "catt", "cat")
    assert (missed.before, missed.after) == ("teh big", "on a")
    assert (wrong.kind, wrong.answer, wrong.gold) == (WRONG, "line", "fine")
    assert wrong.after == "mat"


def test_cut_words_are_removed_from_the_context(tmp_path: Path) -> None:
    path = tmp_path / "news.tsv"
    long = "utline of a plan that was drawn up by the council "
    assert len(long) == 50
    rows = [f"news\tthyme\ttime\t0.9\t{long}[thyme]{long[::-1]}", "news\tIto\tInto\t0.9\t[Ito] ran"]
    path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    first, second = flagged_in(path)
    assert (first.kind, first.before, first.answer) == (FLAGGED, "the council", "time")
    assert len(first.after.split()) == 2
    assert (second.before, second.token, second.after) == ("", "Ito", "ran")
    path.write_text(HEADER + "two\tcolumns\n", encoding="utf-8")
    with pytest.raises(Error, match=r"news\.tsv:2: must have five columns"):
        list(flagged_in(path))
    for text in ("", "no findings\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(Error, match=r"news\.tsv: no header"):
            list(flagged_in(path))


def test_sample_counts_all_and_shows_each_token_once() -> None:
    found = [one for one in mistakes_of(NOISY, GOLD, PREDICTED) for _ in range(3)]
    groups = sample(found, 2)
    assert [(group["kind"], group["count"]) for group in groups] == [
        (DAMAGED, 3),
        (WRONG, 3),
        (MISSED, 3),
    ]
    assert all(len(group["examples"]) == 1 for group in groups)  # type: ignore[arg-type]
    assert sample(found, 2) == groups


def test_command(tmp_path: Path) -> None:
    files = []
    for name, side in (("noisy", NOISY), ("gold", GOLD), ("predicted", PREDICTED)):
        files.append(str(tmp_path / f"{name}.txt"))
        Path(files[-1]).write_text(" ".join(side[0]) + "\n", encoding="utf-8")
    findings = tmp_path / "news.default.tsv"
    findings.write_text(HEADER + "news\tIto\tInto\t0.9\t[Ito] ran\n", encoding="utf-8")
    out = tmp_path / "mistakes.json"
    command = ["mistakes", "--set", "essays", *files, "--findings", str(findings)]
    assert main([*command, "--bundle", str(default_path()), "--output", str(out)]) == 0
    made = json.loads(out.read_text(encoding="utf-8"))
    assert [one["set"] for one in made["mistakes"]] == ["essays", "news"]
    assert len(made["files"]) == 4
    assert made["system"]["preset"] == "default"
    Path(files[2]).write_text("short\n", encoding="utf-8")
    assert main([*command, "--output", str(out)]) == 2


def test_nothing_to_sample_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mistakes.json"
    assert main(["mistakes", "--output", str(out)]) == 2
    assert "nothing to sample from" in capsys.readouterr().err
    assert not out.exists()
