"""The benchmark of several processes reads what `respell check --stats` prints."""

from pathlib import Path

import jobs


def test_words_and_problems_are_counted(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("I recieve a letter.\n", encoding="utf-8")
    words, problems, *rates = jobs.measure(tmp_path, 2)
    assert (words, problems) == (8, 2)
    assert min(rates) > 0
