"""British and American spellings."""

import time
from collections import Counter
from itertools import chain

import pytest

import respell
from respell.decision import variants
from respell.decision.variants import (
    TABLE,
    Variant,
    detect,
    in_variant,
    other_spelling,
    to_variant,
    variant_of,
)
from respell.types import Correction, Suggestion

PAIRS = """
    colour color, favourite favorite, neighbours neighbors, behaviour behavior, centre center,
    kilometres kilometers, litre liter, fibre fiber, travelled traveled, labelling labeling,
    modelled modeled, counsellor counselor, marvellous marvelous, defence defense, offence offense,
    analyse analyze, paralysed paralyzed, grey gray, greyish grayish, plough plow, mould mold,
    aluminium aluminum, manoeuvre maneuver, manoeuvring maneuvering, anaemia anemia,
    paediatric pediatric, oestrogen estrogen, diarrhoea diarrhea, sceptical skeptical, cosy cozy,
    pyjamas pajamas, fulfil fulfill, skilful skillful, enrolment enrollment, jewellery jewelry,
    colourise colorize, anaesthetise anesthetize, draughtsman draftsman, chequered checkered
""".split(",")
OXFORD = (
    "organise organize, realised realized, civilisation civilization, virtualisation virtualization"
)
ORDINARY = """
    practice practise license licence meter metre program programme check cheque tire tyre dialogue
    dialog disc disk draft draught story storey curb kerb glamour advertise exercise surprise
    analyses towards learned the xyzzy
""".split()


@pytest.mark.parametrize("pair", PAIRS)
def test_pairs(pair: str) -> None:
    british, american = pair.split()
    assert variant_of(british) == "en-GB"
    assert variant_of(american) == "en-US"
    assert other_spelling(british) == american
    assert other_spelling(american) == british
    assert to_variant(british, "en-US") == to_variant(american, "en-US") == american
    assert to_variant(british, "en-GB") == to_variant(american, "en-GB") == british


@pytest.mark.parametrize("pair", OXFORD.split(","))
def test_oxford_spelling_is_accepted_in_both(pair: str) -> None:
    british, american = pair.split()
    assert variant_of(british) == "en-GB"
    assert variant_of(american) is None
    assert to_variant(american, "en-US") == american
    assert to_variant(american, "en-GB") == british


@pytest.mark.parametrize(
    ("british", "american"),
    [("cancelled", "canceled"), ("theatre", "theater"), ("catalogue", "catalog")],
)
def test_british_spellings_that_americans_use(british: str, american: str) -> None:
    assert variant_of(british) is None
    assert variant_of(american) == "en-US"
    assert other_spelling(british) == american


@pytest.mark.parametrize("word", ORDINARY)
@pytest.mark.parametrize("variant", ["en-GB", "en-US"])
def test_words_without_a_clear_pair_are_unchanged(word: str, variant: Variant) -> None:
    assert variant_of(word) is None
    assert other_spelling(word) is None
    assert to_variant(word, variant) == word


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("Colour", "Color"),
        ("COLOUR", "COLOR"),
        ("Colour's", "Color's"),
        ("CENTRE\u2019S", "CENTER\u2019S"),
        ("neighbours'", "neighbors'"),
    ],
)
def test_case_and_possessives_are_kept(word: str, other: str) -> None:
    assert variant_of(word) == "en-GB"
    assert other_spelling(word) == other
    assert to_variant(word, "en-US") == other
    assert to_variant(other, "en-GB") == word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the colour of the neighbours in the centre", "en-GB"),
        ("the color of the neighbors in the center", "en-US"),
        ("we organise and analyse and realise", "en-GB"),
        ("we organize and realize and prioritize", None),
        ("the colour and the neighbors in the center and the harbour", None),
        ("the colour", None),
        ("nothing to see here", None),
        (
            "center " * 100
            + "colour neighbours behaviour " * 3
            + "defence grey analyse fibre " * 3,
            "en-GB",
        ),
        ("", None),
    ],
)
def test_detect(text: str, expected: Variant | None) -> None:
    assert detect(Counter(text.split())) == expected


def test_suggestions_that_become_the_same_keep_the_first_place() -> None:
    ranked = (("theaters", 0.6), ("the", 0.2), ("theatres", 0.1))
    suggestions = tuple(Suggestion(text, probability) for text, probability in ranked)
    found = in_variant(Correction(0, "theadrs", suggestions, 0.6), "en-US")
    assert found is not None
    assert found.suggestions == suggestions[:2]


def test_a_word_is_not_its_own_suggestion() -> None:
    customizing, custom = Suggestion("customizing", 0.6), Suggestion("custom", 0.2)
    right = Correction(0, "customising", (customizing, custom), 0.6)
    assert in_variant(right, "en-GB") is None
    wrong = in_variant(Correction(0, "customising", (custom, customizing), 0.2), "en-GB")
    assert wrong is not None
    assert wrong.suggestions == (custom,)


def test_no_word_of_the_table_is_replaced_by_itself() -> None:
    british = [word for word in variants._table().american if word[0] == "c"]
    texts = (f"They said that the {word} was good." for word in british)
    found = chain.from_iterable(respell.load(variant="en-GB").check_many(texts))
    assert all(c.original not in {s.text for s in c.suggestions} for c in found)


def test_the_words_of_the_dictionary_may_have_any_spelling() -> None:
    text = "The colour is nice, and so is the flavour."
    corrector = respell.load(variant="en-US", dictionary={"colour"})
    assert [c.original for c in corrector.check(text)] == ["flavour"]


def test_the_table_is_consistent() -> None:
    table = variants._table()
    assert len(table.american) > 3000
    assert {us: gb for gb, us in table.american.items()} == table.british
    assert not table.american.keys() & table.british.keys()
    assert table.accepted <= table.american.keys() | table.british.keys()
    assert all(word.isalpha() and word.islower() for word in table.american | table.british)
    lines = TABLE.read_text(encoding="utf-8").partition("\n\n")[2].strip().split("\n")
    assert lines == sorted(lines)
    assert {line.split(" ")[2] for line in lines} == {"-", "us", "gb"}


def test_the_table_is_small_and_loads_fast() -> None:
    assert TABLE.stat().st_size < 150_000
    variants._table.cache_clear()
    start = time.perf_counter()
    variant_of("colour")
    assert time.perf_counter() - start < 0.2  # 1 ms on an idle machine
