"""Spelling variants: neither *colour* nor *color* is flagged."""

import pytest

import variants

MAX_FAILURES = 0.03  # share of the spellings


@pytest.fixture(scope="module")
def pairs() -> list[variants.Pair]:
    return variants.read_pairs()


@pytest.fixture(scope="module")
def now(pairs: list[variants.Pair]) -> list[str]:
    return variants.listed(variants.flagged(pairs))


@pytest.fixture(scope="module")
def known() -> list[str]:
    return variants.KNOWN.read_text(encoding="utf-8").splitlines(keepends=True)


def test_only_known_failures_are_flagged(now: list[str], known: list[str]) -> None:
    diff = variants.changes(known, now)
    assert not diff, f"{diff}\nIf this is better: python benchmarks/variants.py --write"


def test_known_failures_are_few(pairs: list[variants.Pair], now: list[str]) -> None:
    assert len(now) - 1 <= MAX_FAILURES * 2 * len(pairs)


def test_number_of_pairs_of_each_kind(pairs: list[variants.Pair]) -> None:
    kinds = [pair.kind for pair in pairs]
    assert kinds.count("spelling") >= 150
    assert kinds.count("contraction") >= 50
    assert kinds.count("short") >= 50
    assert set(kinds) == {"spelling", "contraction", "short"}
    assert len({(pair.first, pair.second) for pair in pairs}) == len(pairs)


def test_every_pair_has_its_own_sentence(pairs: list[variants.Pair]) -> None:
    assert len({pair.sentence for pair in pairs}) == len(pairs)
    for pair in pairs:
        assert pair.sentence.count("{}") == 1
        assert pair.first != pair.second
        assert all(text.strip() == text for text in pair.texts)


def test_changes_are_shown_as_a_diff(known: list[str]) -> None:
    row = "spelling\tcolour\tcolour\tcolor\n"
    assert variants.changes(known, known) == ""
    assert f"+{row}" in variants.changes(known, [*known, row])
    assert f"-{row}" in variants.changes([*known, row], known)
