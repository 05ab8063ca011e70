"""Noise channels: missing and extra blanks, real words in place of others, valid rare words."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from noise_reference import ALPHABET, read, spell
from torch import Tensor

from respell.lab.misspellings.spacing import SpacingLists, read_spacing
from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.confusions import MOST, Choices, confusion_choices
from respell.lab.noise.sampler import Channels, Classes, Noised, Noiser
from respell.lab.noise.spacing import (
    FIRST_PART,
    LEAST_LISTED,
    SECOND_PART,
    TOGETHER,
    WHOLE,
    Spacer,
    SpacingRates,
    run_together_typos,
    spacing_tables,
)
from respell.lab.noise.surfaces import Pairs, SurfaceTable
from respell.lab.noise.synthetic import Dice
from respell.model.encode import WORD_OFFSET, WORD_UNKNOWN
from respell.model.forward import JOIN, REPLACE, SPLIT
from respell.model.lexicon import Lexicon
from respell.model.vocabulary import ABSENT, ODD
from respell.text.case import TITLE, UPPER
from respell.types import Error

WORDS = [
    *("the", "a", "lot", "every", "day", "everyday", "there", "their", "form", "from", "together"),
    *("knead", "need", "water", "little", "wonderful"),
]
LEXICON = Lexicon(WORDS)
SURFACES = [*WORDS, "thyme", "zorblax"]
TABLE = SurfaceTable.build(spell(SURFACES), lexicon_size=len(WORDS))
INDEX = {word: i for i, word in enumerate(SURFACES)}
ELIGIBLE = torch.tensor([word != "zorblax" for word in SURFACES])
NO_PAIRS = Pairs.from_lists({}, INDEX, WORDS)


def rows(*sentences: str, length: int = 12) -> tuple[Tensor, Tensor]:
    """Surfaces and segments of rows with one sentence each."""
    surfaces = torch.full((len(sentences), length), -1)
    for row, sentence in enumerate(sentences):
        ids = [INDEX[word] for word in sentence.split()]
        surfaces[row, : len(ids)] = torch.tensor(ids)
    return surfaces, torch.where(surfaces >= 0, 0, -1)


def spacer(*, lists: SpacingLists | None = None, text: str = "", **rates: float) -> Spacer:
    tokens = torch.tensor([INDEX[word] for word in text.split()], dtype=torch.long)
    listed = rates.get("listed", 0.0)
    defaults = {"anywhere": 0.0, "listed": 0.0, "confused": listed, "balance": 1.0}
    chosen = SpacingRates(**{**defaults, **rates})
    joins, cuts = spacing_tables(lists or SpacingLists(), LEXICON, {"everyday"}, tokens, chosen)
    return Spacer(TABLE.characters, ELIGIBLE, joins, cuts, chosen)


def dice(seed: int = 0) -> Dice:
    return Dice(torch.device("cpu"), torch.Generator().manual_seed(seed))


@settings(max_examples=60)
@given(
    sentences=st.lists(
        st.lists(st.sampled_from(SURFACES), max_size=12).map(" ".join), min_size=1, max_size=4
    ),
    anywhere=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 1000),
)
def test_blanks_move_but_nothing_is_lost(sentences: list[str], anywhere: float, seed: int) -> None:
    surfaces, segments = rows(*sentences)
    shapes = torch.zeros_like(surfaces, dtype=torch.uint8)
    spaced = spacer(anywhere=anywhere)(surfaces, segments, shapes, dice(seed))
    assert spaced.surfaces.shape == surfaces.shape
    spelled = spacer().spell(
        spaced, TABLE.characters[spaced.surfaces.clamp(min=0)], TABLE.characters[spaced.seconds]
    )
    for row, sentence in enumerate(sentences):
        words, letters = [], []
        for j in range(surfaces.shape[1]):
            if spaced.surfaces[row, j] < 0:
                continue
            part = int(spaced.parts[row, j])
            letters += read(spelled[row, j : j + 1])
            if part != SECOND_PART:
                words.append(SURFACES[int(spaced.surfaces[row, j])])
            if part == TOGETHER:
                words.append(SURFACES[int(spaced.seconds[row, j])])
            assert part != WHOLE or letters[-1] == words[-1]
        assert words == sentence.split()
        assert "".join(letters) == "".join(words)


def test_words_in_other_scripts_and_sentences_are_not_joined() -> None:
    surfaces, segments = rows("zorblax zorblax the the")
    segments[0, 3:4] = 1
    shapes = torch.zeros_like(surfaces, dtype=torch.uint8)
    spaced = spacer(anywhere=1.0)(surfaces, segments, shapes, dice())
    assert not (spaced.parts == TOGETHER).any()


def test_listed_words_are_run_together_and_pulled_apart(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_text("a lot\talot\ntogether\tto_gether\nfrom\tform\nlittle\tlit tle\n")
    lists = read_spacing([path], {("little", "lit tle")})
    assert lists == SpacingLists({("a", "lot")}, {("to", "gether")})
    surfaces, segments = rows(*["the a lot together water"] * 400)
    shapes = torch.zeros_like(surfaces, dtype=torch.uint8)
    made = spacer(lists=lists, listed=0.1)
    spaced = made(surfaces, segments, shapes, dice())
    found = Counter(
        zip(spaced.parts.flatten().tolist(), spaced.surfaces.flatten().tolist(), strict=True)
    )
    assert 20 <= found[TOGETHER, INDEX["a"]] <= 60
    assert 20 <= found[FIRST_PART, INDEX["together"]] <= 60
    assert (
        sum(n for (part, _), n in found.items() if part == TOGETHER) == found[TOGETHER, INDEX["a"]]
    )


EVERY_DAY = SpacingLists({("every", "day")}, {("every", "day")})


def rate_of_joins(made: Spacer, first: str, second: str) -> float:
    keys, rates = made.joins
    key = INDEX[first] * len(WORDS) + INDEX[second]
    return float(rates[keys == key].sum())


def rate_of_cuts(made: Spacer, word: str) -> float:
    return float(made.cuts.rates[INDEX[word]])


def test_a_mistake_that_is_a_word_is_not_made_more_often_than_the_word_is_right() -> None:
    text = "every day " * 1000 + "everyday " * 40
    made = spacer(lists=EVERY_DAY, text=text, listed=0.5, balance=0.5)
    surfaces, segments = rows(*["every day water"] * 3000)
    shapes = torch.zeros_like(surfaces, dtype=torch.uint8)
    spaced = made(surfaces, segments, shapes, dice())
    share = float((spaced.parts == TOGETHER).sum()) / 3000
    assert 0.012 <= share <= 0.029  # half of 40 in 1000


def test_pairs_that_no_list_has_are_as_rare_as_any_others() -> None:
    text = "every day " * 1000 + "everyday " * 1000
    for lists, rate in ((EVERY_DAY, 0.2), (SpacingLists(), 0.01)):
        made = spacer(lists=lists, text=text, listed=0.2, anywhere=0.01, balance=0.5)
        assert rate_of_joins(made, "every", "day") == pytest.approx(rate)
        assert rate_of_cuts(made, "everyday") == pytest.approx(rate)


def test_listed_mistakes_that_are_words_have_a_rate_of_their_own() -> None:
    text = "every day " * 1000 + "everyday " * 1000 + "a lot " * 10
    lists = SpacingLists(EVERY_DAY.together | {("a", "lot")}, EVERY_DAY.apart)
    made = spacer(lists=lists, text=text, listed=0.1, confused=0.3, balance=0.5)
    assert rate_of_joins(made, "every", "day") == pytest.approx(0.3)
    assert rate_of_joins(made, "a", "lot") == pytest.approx(0.1)


def test_a_listed_word_is_pulled_apart_even_if_the_parts_are_rare_neighbours() -> None:
    rare = spacer(lists=EVERY_DAY, text="everyday " * 1000, listed=0.2)
    assert rate_of_cuts(rare, "everyday") == pytest.approx(0.2 * LEAST_LISTED)
    text = "everyday " * 1000 + "every day " * 100
    some = spacer(lists=EVERY_DAY, text=text, listed=0.2, balance=1.0)
    assert rate_of_cuts(some, "everyday") == pytest.approx(0.1)


def test_listed_spellings_that_are_seldom_written_are_typos() -> None:
    lists = SpacingLists({("a", "lot"), ("every", "day"), ("the", "re")}, set())
    text = "a lot " * 100 + "every day " * 100 + "everyday " * 50 + "zorblax "
    surfaces = [*WORDS, "alot"]
    tokens = torch.tensor([INDEX[word] for word in text.split()] + [len(WORDS)])
    found = run_together_typos(lists, surfaces, LEXICON, set(), tokens)
    assert found == {"alot"}
    assert run_together_typos(lists, surfaces, LEXICON, {"alot"}, tokens) == frozenset()


def test_words_of_different_shapes_are_not_run_together() -> None:
    surfaces, segments = rows(*["the water"] * 3)
    shapes = torch.zeros_like(surfaces, dtype=torch.uint8)
    shapes[0, 0], shapes[1, 0], shapes[2, 1] = TITLE, UPPER, TITLE
    spaced = spacer(anywhere=1.0)(surfaces, segments, shapes, dice())
    assert (spaced.parts == TOGETHER).any(1).tolist() == [True, False, False]


def test_held_out_pairs_limit_only_words_that_are_pulled_apart(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_text("a_lot\talot\ntogether\tto_gether\n")
    held = {("a lot", "alot"), ("together", "to_gether")}
    assert read_spacing([path], held) == SpacingLists({("a", "lot")}, set())


def choices(counts: dict[str, int], *, balance: float = 0.5, rate: float = 0.05) -> Choices:
    table = [
        ("need", "knead", 1.0),
        ("their", "there", 1.0),
        ("form", "from", 1.0),
        ("form", "lost", 1.0),
    ]
    numbers = [counts.get(word, 1000) for word in WORDS]
    shares = [1.0] * len(WORDS)
    return confusion_choices(table, LEXICON, numbers, rate=rate, balance=balance, shares=shares)


def test_confusions_are_balanced_by_the_frequency_of_both_words() -> None:
    made = choices({"need": 10_000, "knead": 10})
    assert float(made.rates[INDEX["need"]]) == pytest.approx(0.0005)
    assert float(made.rates[INDEX["their"]]) == pytest.approx(0.05)
    assert float(made.rates[INDEX["water"]]) == 0
    assert float(choices({}, rate=1.0, balance=9).rates.max()) == pytest.approx(MOST)


def test_all_confusions_into_a_word_together_are_balanced() -> None:
    numbers = [1000] * len(WORDS)
    numbers[INDEX["knead"]] = 10
    table = [(word, "knead", 1.0) for word in ("need", "water", "little", "wonderful")]
    made = confusion_choices(
        table, LEXICON, numbers, rate=0.1, balance=0.5, shares=[1.0] * len(WORDS)
    )
    wrong = sum(float(rate) * count for rate, count in zip(made.rates, numbers, strict=True))
    assert wrong == pytest.approx(5)  # half of 10


def test_draws_follow_the_rates() -> None:
    made = Choices.build(3, {0: [(7, 0.03), (8, 0.01)], 2: [(9, 0.1)]})
    index = torch.tensor([0, 1, 2]).repeat(20_000, 1)
    changed, values = made.draw(index, dice())
    share = changed.float().mean(0)
    assert share.tolist() == pytest.approx([0.04, 0, 0.1], abs=0.01)
    first = Counter(values[changed[:, 0], 0].tolist())
    assert set(first) == {7, 8}
    assert 2 < first[7] / first[8] < 4.5
    assert set(values[changed[:, 2], 2].tolist()) == {9}


def noised(sentences: list[str], channels: Channels, seed: int = 0, **config: Any) -> Noised:
    rates = {"clean": 1.0, "sigmas": (0.0,), "at_least_one": False, "synthetic": 0.1}
    noiser = Noiser(
        TABLE,
        NO_PAIRS,
        NoiseConfig(**{**rates, "mixed": True, **config}),
        alphabet=ALPHABET,
        eligible=ELIGIBLE & (torch.arange(len(SURFACES)) < len(WORDS)),
        channels=channels,
    )
    surfaces, segments = rows(*sentences)
    shapes = torch.zeros_like(surfaces, dtype=torch.uint8)
    return noiser(surfaces, segments, shapes, torch.Generator().manual_seed(seed))


def class_table(**classes: int) -> Classes:
    """Classes of some words; the surfaces have the same ones."""
    hashes, order = TABLE.hashed(spell(list(classes))).sort()
    numbers = torch.tensor(list(classes.values()))[order]
    surfaces = torch.tensor([classes.get(word, ABSENT) for word in SURFACES])
    return Classes(surfaces, hashes, numbers)


def test_confused_words_are_wrong_words_of_the_lexicon() -> None:
    found = noised(["form their water"] * 300, Channels(confusions=choices({})), confusions=0.05)
    assert 10 <= int(found.changed.sum()) <= 60
    words = found.words[found.changed] - WORD_OFFSET
    assert {WORDS[i] for i in words.tolist()} == {"from", "there"}
    assert {WORDS[i] for i in found.surfaces[found.changed].tolist()} == {"form", "their"}
    assert (found.kinds == REPLACE).all()


def test_kinds_and_labels_of_moved_blanks() -> None:
    lists = SpacingLists({("a", "lot")}, {("to", "gether")})
    channels = Channels(spacer=spacer(lists=lists, listed=0.5))
    found = noised(
        ["a lot together"] * 50,
        channels,
        run_together=0.0001,
        listed_spacing=0.5,
        synthetic=0,
        mixed=False,
    )
    split, join = found.kinds == SPLIT, found.kinds == JOIN
    assert split.any()
    assert join.any()
    assert (found.changed == (split | join)).all()
    assert set(read(found.characters[split])) == {"alot"}
    assert set(read(found.characters[join])) == {"to"}
    assert {WORDS[i] for i in found.surfaces[split].tolist()} == {"a"}
    assert {WORDS[i] for i in found.surfaces[join].tolist()} == {"together"}
    assert (found.words[split] == WORD_UNKNOWN).all()


def test_valid_words_are_inserted_as_right_words() -> None:
    channels = Channels(classes=class_table(thyme=4), insertable=torch.tensor([INDEX["thyme"]]))
    found = noised(["the water from the form"] * 100, channels, inserted_valid_words=0.1)
    inserted = found.surfaces == INDEX["thyme"]
    assert 20 <= int(inserted.sum()) <= 90
    assert not found.changed[inserted].any()
    assert not found.masked[inserted].any()
    assert found.classes is not None
    assert (found.classes[inserted] == 4).all()


def test_misspellings_have_the_class_that_the_runtime_gives_them() -> None:
    spellings = ["thyme", "thymes", "sauces", "wayer"]
    surfaces = [*SURFACES, *spellings[1:]]
    index = {word: i for i, word in enumerate(surfaces)}
    table = SurfaceTable.build(spell(surfaces), lexicon_size=len(WORDS))
    numbers = torch.tensor([{"thymes": 4, "sauces": 5 + ODD}.get(word, 0) for word in surfaces])
    hashes, order = table.hashed(spell(["thyme", "wayer"])).sort()
    channels = Channels(classes=Classes(numbers, hashes, torch.tensor([4, 7])[order]))
    noiser = Noiser(
        table,
        Pairs.from_lists({"water": spellings}, index, WORDS),
        NoiseConfig(sigmas=(5.0,)),
        alphabet=ALPHABET,
        eligible=torch.arange(len(surfaces)) < len(WORDS),
        channels=channels,
    )
    given, segments = rows(*["the water"] * 50)
    shapes = torch.zeros_like(given, dtype=torch.uint8)
    found = noiser(given, segments, shapes, torch.Generator().manual_seed(0))
    assert found.classes is not None
    changed = found.changed
    written = read(found.characters[changed])
    expected = {"thyme": 0, "thymes": 4, "sauces": 5 + ODD, "wayer": 0}
    assert dict(zip(written, found.classes[changed].tolist(), strict=True)) == expected


def test_foreign_letters_are_a_flag_and_an_error() -> None:
    channels = Channels(classes=class_table(thyme=4))
    found = noised(["the water thyme"] * 300, channels, odd_letters=0.05)
    assert found.classes is not None
    odd = found.classes >= ODD
    assert 15 <= int(odd.sum()) <= 60
    assert (odd == found.changed).all()
    assert not odd[found.surfaces == INDEX["thyme"]].any()  # only words of the lexicon


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"confusions": 0.1}, "noise.confusions needs a list"),
        ({"run_together": 0.1}, "noise.run_together needs model.spacing"),
        ({"odd_letters": 0.1}, "noise.odd_letters needs model.classes"),
        ({"inserted_valid_words": 0.1}, "noise.inserted_valid_words needs"),
    ],
)
def test_channels_without_their_tables_are_errors(config: dict[str, Any], message: str) -> None:
    with pytest.raises(Error, match=message):
        noised(["the water"], Channels(), **config)
