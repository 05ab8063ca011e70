"""The prose diary: what the shipped model does to ten clean pages of our own."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import prose  # noqa: E402

WORDS_PER_ALARM = 500


@pytest.fixture(scope="module")
def now() -> list[str]:
    return [prose.HEADER, *prose.diary(prose.pages())]


@pytest.fixture(scope="module")
def then() -> list[str]:
    return prose.DIARY.read_text(encoding="utf-8").splitlines(keepends=True)


def test_the_diary_is_up_to_date(now: list[str], then: list[str]) -> None:
    told = prose.changes(then, now)
    assert not told, f"{told}\nIf this is for the better: python benchmarks/prose.py --write"


def test_clean_pages_stay_clean(now: list[str]) -> None:
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in prose.pages())
    alarms = sum(line.startswith("default\t") for line in now)
    assert words > 3000
    assert alarms * WORDS_PER_ALARM <= words


def test_a_change_shows_as_a_diff(then: list[str]) -> None:
    row = "default\tpage.txt\t3\tteh\tthe\t0.99\n"
    assert prose.changes(then, then) == ""
    assert "+default\tpage.txt\t3\tteh\tthe" in prose.changes(then, [*then, row])
    assert "-default\tpage.txt\t3\tteh\tthe" in prose.changes([*then, row], then)
    assert prose.changes([row], [row.replace("0.99", "0.98")]) == ""
