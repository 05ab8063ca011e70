"""The corrections of the shipped model on ten clean pages of our own."""

import pytest

import prose

WORDS_PER_ALARM = 500


@pytest.fixture(scope="module")
def now() -> list[str]:
    return [prose.HEADER, *prose.corrections(prose.pages())]


@pytest.fixture(scope="module")
def before() -> list[str]:
    return prose.LIST.read_text(encoding="utf-8").splitlines(keepends=True)


def test_list_is_up_to_date(now: list[str], before: list[str]) -> None:
    diff = prose.changes(before, now)
    assert not diff, f"{diff}\nIf this is better: python benchmarks/prose.py --write"


def test_false_alarms_are_rare(now: list[str]) -> None:
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in prose.pages())
    alarms = sum(line.startswith("default\t") for line in now)
    assert words > 3000
    assert alarms * WORDS_PER_ALARM <= words


def test_changes_are_shown_as_a_diff(before: list[str]) -> None:
    row = "default\tpage.txt\t3\tteh\tthe\t0.99\n"
    assert prose.changes(before, before) == ""
    assert "+default\tpage.txt\t3\tteh\tthe" in prose.changes(before, [*before, row])
    assert "-default\tpage.txt\t3\tteh\tthe" in prose.changes([*before, row], before)
    assert prose.changes([row], [row.replace("0.99", "0.98")]) == ""
