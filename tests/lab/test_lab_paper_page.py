import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

from respell.lab.__main__ import main
from respell.lab.common.metrics import score
from respell.lab.evaluate.paper import page
from respell.lab.evaluate.paper.claims import CLAIMS, GOAL
from respell.lab.evaluate.paper.rows import read_rows
from respell.types import Error

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "paper"
TABLE = read_rows(ROOT / "recipes" / "paper" / "rows.toml")


def scores(right: int, *, real: int = 1) -> dict[str, Any]:
    """Scores for five misspelled non-words, `right` of them corrected, and one real word."""
    noisy, gold = [["teh"] * 5 + ["form", "cat"]], [["the"] * 5 + ["from", "cat"]]
    real_word = "from" if real else "form"
    answer = [["the"] * right + ["cat"] * (5 - right) + [real_word, "cat"]]
    known = [("from", "form")]
    is_word = {"form", "cat"}.__contains__
    return dataclasses.asdict(score(noisy, gold, answer, is_word=is_word, known=known))


def record(row: str, right: int, *, real: int = 1) -> dict[str, Any]:
    part = {"sentences": 1, "of": 1, "scores": scores(right, real=real)}
    made: dict[str, Any] = {
        "row": row,
        "sets": {"test": {**part, "of": 2}, "test_all": {**part, "ceiling": scores(5)}},
        "sha256": {"lexicon.txt": "c" * 64},
        "files": {"test": {"noisy_sha256": "a" * 64, "gold_sha256": "b" * 64}},
    }
    if row == "authors":
        return made
    made["sets"] |= {"dev": part, "test1b": part}
    training: dict[str, Any] = {
        "seconds": 300.2,
        "steps": 10,
        "words": 2_000_000,
        "words_per_second": 310_000,
    }
    training |= {"device": "NVIDIA H200", "flops_per_word": 4e8, "utilisation": 0.125}
    point = {"step": 10, "seconds": 300.2, "words": 100, "dev_f05": 0.5}
    return {
        **made,
        "parameters": {"all": 9_000_000, "table": 1, "output": 1, "rest": 2_000_000},
        "training": training,
        "curve": {"dev": [point], "loss": []},
        "labels": "first" if row in ("7", "8") else None,
        "data_hash": "d" * 64,
    }


def records(**right: int) -> dict[str, dict[str, Any]]:
    numbers = {name.removeprefix("row"): count for name, count in right.items()}
    return {row: record(row, count) for row, count in numbers.items()}


def test_rows_without_results() -> None:
    text = page.render(TABLE, {}, {})
    assert "None of the 11 rows has been trained yet." in text
    assert "| 5 | Word + Char | not yet | 0.974 |  | 0.882 |  | 0.929 |  | 0.891 |" in text
    assert text.count("not yet known, row") == 6
    assert "confirmed." not in text
    assert "curves.svg" not in text
    assert "the authors' row 11 |" not in text


def test_case_insensitive_scores() -> None:
    made = record("7", 5)
    guessed = score([["teh", "Cat"]], [["the", "Cat"]], [["the", "cat"]])
    made["sets"]["test"]["scores"] |= {
        key: value
        for key, value in dataclasses.asdict(guessed).items()
        if key in ("all", "damaged_per_1000", "lower_cased")
    }
    text = page.render(TABLE, {"7": made}, {})
    section = text[text.index("## Capitals") : text.index("## A second test set")]
    assert "| 7 | Subword | 0.556 | 1.000 | 0.556 | 1.000 | 1000.00 | 0.00 |" in section


def test_results_are_shown_with_published_ones() -> None:
    known = {**records(row5=4, row7=5), "authors": record("authors", 3)}
    text = page.render(TABLE, known, {"scrnn": [{"row": "1", "budget": "--steps 5", "points": []}]})
    assert "2 of 11 rows are trained: 5, 7." in text
    assert "on the same data (dddddddddddd), for 300 seconds each, on NVIDIA H200." in text
    assert "### Test: 1 of 2 sentences" in text
    assert "### Dev: 1 sentences" in text
    # Six misspellings, one of them changed to another wrong word: P 5/6, R 1 by the authors' rule.
    ours = "0.857 | 0.974 | 0.833 | 0.882 | 1.000 | 0.929 | 0.862 | 0.891"
    assert f"| 5 | Word + Char | {ours} |" in text
    assert "| 7 | Subword | 1.000 | 0.968 | 1.000 | 0.831 |" in text
    assert "|  | the authors' row 11 | 0.714 | – | 0.667 | – |" in text
    assert "|  | the authors' row 11 | – | – | – | – | – | – | – | – |" in text  # dev
    assert "| 5 | Word + Char | 0.857 | 1.000 | 0.833 | 0.962 | 1.000 | 1.000 |" in text
    assert "| 1.000 (1/1) | 0.800 (4/5) | 0.00 |" in text
    cost = "9.0 M | 2.0 M | 300 | 10 | 2.0 M | 310,000 | 400 M | 12.5 %"
    assert f"| 5 | Word + Char | word | {cost} |" in text
    assert f"| 7 | Subword | first | {cost} |" in text
    assert "|  | a perfect model with our lexicon | 1.000 |" in text
    assert "| scrnn | row 1 | steps 5 |" in text


def test_different_data_is_reported() -> None:
    known = records(row1=1, row2=1)
    known["2"]["data_hash"] = "e" * 64
    assert "on DIFFERENT DATA (dddddddddddd, eeeeeeeeeeee)" in page.render(TABLE, known, {})


def test_claims_depend_on_the_numbers() -> None:
    both, _, random, encoder, beats = CLAIMS
    known = records(row3=2, row4=3, row5=4, row6=5, row7=3, row8=3, row9=4, row10=4, row11=5)
    assert both.verdict(known).startswith(f"**{both.text}**: not confirmed. F0.5 of row 5 0.8621 >")
    known["3"] = record("3", 2, real=0)
    assert ": confirmed. " in both.verdict(known)
    assert ": confirmed. unknown pairs of row 6 1.0000 > 0.8000" in random.verdict(known)
    assert ": confirmed. F0.5 of row 7 0.7143 ≥ 0.7143 F0.5 of row 8" in encoder.verdict(known)
    assert ": not confirmed. F0.5 of row 5 0.8621 ≤ 0.8621 F0.5" in beats.verdict(known)
    known["8"] = record("8", 4)
    text = encoder.verdict(known)
    assert ": not confirmed. F0.5 of row 7 0.7143 < 0.8621" in text
    assert text.endswith(
        "case-insensitive F0.5 of row 7 0.7143; case-insensitive F0.5 of row 8 0.8621."
    )


def test_pretraining_must_help_most_on_real_words() -> None:
    claim = CLAIMS[1]
    known = records(row7=3, row9=3, row10=4, row11=4)
    assert "not confirmed" in claim.verdict(known)
    known["7"] = record("7", 4, real=0)
    text = claim.verdict(known)
    assert ": confirmed." in text
    assert "gain in real-word F0.5 from row 7 to 10 1.0000 > 0.0000 gain in non-word" in text


def test_goal_is_the_authors_row() -> None:
    assert "not yet known, rows 11, authors missing" in GOAL.verdict({})
    theirs = {"authors": record("authors", 4)}
    assert ": confirmed." in GOAL.verdict({**theirs, **records(row11=4)})
    assert ": not confirmed." in GOAL.verdict({**theirs, **records(row11=3)})


def write(folder: Path, **right: int) -> None:
    (folder / "rows").mkdir(exist_ok=True)
    for row, made in records(**right).items():
        (folder / "rows" / f"{row}.json").write_text(json.dumps(made))


def test_page_is_written_with_its_plots(tmp_path: Path) -> None:
    write(tmp_path, row5=4, row7=5)
    (tmp_path / "authors.json").write_text(json.dumps(record("authors", 3)))
    arguments = ["--results", str(tmp_path), "--rows", str(ROOT / "recipes/paper/rows.toml")]
    assert main(["paper", "render", *arguments]) == 0
    text = (tmp_path / page.FILE).read_text()
    assert text == page.render_folder(tmp_path, TABLE)
    shown = re.findall(r"\]\((\w+\.svg)\)", text)
    assert sorted(shown) == ["curves.svg", "f05.svg", "pairs.svg"]
    before = {name: (tmp_path / name).read_bytes() for name in shown}
    assert all(b"<svg" in data for data in before.values())
    assert b"Word + Char" in before["curves.svg"]
    page.write(tmp_path, TABLE)
    assert before == {name: (tmp_path / name).read_bytes() for name in shown}


def test_inconsistent_results_are_errors(tmp_path: Path) -> None:
    write(tmp_path, row5=4, row7=5)
    path = tmp_path / "rows" / "7.json"
    path.write_text(path.read_text().replace("cccc", "eeee"))
    with pytest.raises(Error, match="different lexicons"):
        page.read_records(tmp_path, TABLE)
    path.write_text(json.dumps(record("8", 5)))
    with pytest.raises(Error, match=r"7\.json: not a result of row 7"):
        page.read_records(tmp_path, TABLE)


def test_our_page_is_up_to_date() -> None:
    text = (RESULTS / page.FILE).read_text(encoding="utf-8")
    assert text == page.render_folder(RESULTS, TABLE), "run: python -m respell.lab paper render"
    for name in re.findall(r"\]\((\w+\.svg)\)", text):
        assert (RESULTS / name).is_file()
