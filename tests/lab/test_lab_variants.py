"""British and American variants are not misspellings of each other."""

import pytest

from respell.lab.misspellings.variants import same_word, without_variants


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("colour", "color"),
        ("organise", "organize"),
        ("organisations", "organizations"),
        ("centre", "center"),
        ("theatres", "theaters"),
        ("travelling", "traveling"),
        ("defence", "defense"),
        ("judgement", "judgment"),
        ("programme", "program"),
        ("grey", "gray"),
        ("dialogue", "dialog"),
        ("encyclopaedia", "encyclopedia"),
        ("analyse", "analyze"),
        ("learnt", "learned"),
    ],
)
def test_variants_are_the_same_word(a: str, b: str) -> None:
    assert same_word(a, b)
    assert same_word(b, a)


@pytest.mark.parametrize(("a", "b"), [("their", "there"), ("to", "too"), ("form", "from")])
def test_confusions_are_different_words(a: str, b: str) -> None:
    assert not same_word(a, b)


def test_only_variants_in_the_lexicon_are_dropped() -> None:
    pairs = {"colour": ["color", "colur"], "finally": ["finaly"], "gray": ["grey"]}
    lexicon = {"colour", "color", "finally", "gray", "grey"}
    assert without_variants(pairs, lexicon) == {"colour": ["colur"], "finally": ["finaly"]}
