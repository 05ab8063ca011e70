"""Spellings that are both right are left alone: no colour becomes a color, nor the reverse."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import variants  # noqa: E402

MOST_FAILURES = 0.03  # of the forms


@pytest.fixture(scope="module")
def pairs() -> list[variants.Pair]:
    return variants.read_pairs()


@pytest.fixture(scope="module")
def now(pairs: list[variants.Pair]) -> list[str]:
    return variants.listed(variants.flagged(pairs))


@pytest.fixture(scope="module")
def known() -> list[str]:
    return variants.KNOWN.read_text(encoding="utf-8").splitlines(keepends=True)


def test_neither_form_is_flagged_but_for_known_failures(now: list[str], known: list[str]) -> None:
    told = variants.changes(known, now)
    assert not told, f"{told}\nIf this is for the better: python benchmarks/variants.py --write"


def test_known_failures_are_few(pairs: list[variants.Pair], now: list[str]) -> None:
    assert len(now) - 1 <= MOST_FAILURES * 2 * len(pairs)


def test_there_are_many_pairs_of_every_kind(pairs: list[variants.Pair]) -> None:
    kinds = [pair.kind for pair in pairs]
    assert kinds.count("spelling") >= 150
    assert kinds.count("contraction") >= 50
    assert kinds.count("short") >= 50
    assert set(kinds) == {"spelling", "contraction", "short"}
    assert len({(pair.first, pair.second) for pair in pairs}) == len(pairs)


def test_every_pair_has_a_sentence_of_its_own_with_one_place(pairs: list[variants.Pair]) -> None:
    assert len({pair.sentence for pair in pairs}) == len(pairs)
    for pair in pairs:
        assert pair.sentence.count("{}") == 1
        assert pair.first != pair.second
        assert all(text.strip() == text for text in pair.texts)


def test_a_failure_that_comes_or_goes_shows_as_a_diff(known: list[str]) -> None:
    row = "spelling\tcolour\tcolour\tcolor\n"
    assert variants.changes(known, known) == ""
    assert f"+{row}" in variants.changes(known, [*known, row])
    assert f"-{row}" in variants.changes([*known, row], known)
