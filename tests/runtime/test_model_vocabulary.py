"""The vocabulary of a model: packing, classes of words, foreign letters."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.model.encode import Encoder, classify
from respell.model.lexicon import Lexicon
from respell.model.vocabulary import ABSENT, ODD, Vocabulary, class_id, write_vocabulary
from respell.text.words import plain_letters
from respell.types import Error, Token

CLASSES = {"thyme": 4, "loupe": 5, "xanax": 2, "wark": 7, "café": 4}
letters = st.text("abcdeé", min_size=1, max_size=20)


def written(folder: Path, classes: dict[str, int]) -> Vocabulary:
    path = folder / "vocabulary.gz"
    write_vocabulary(classes, path)
    return Vocabulary.read(path)


@given(classes=st.dictionaries(letters, st.integers(1, ODD - 1), min_size=1, max_size=300))
def test_every_word_keeps_its_class(
    tmp_path_factory: pytest.TempPathFactory, classes: dict[str, int]
) -> None:
    table = written(tmp_path_factory.mktemp("table"), classes)
    assert dict(table.words()) == classes
    for one in (table, table.unpack()):
        assert {word: one.class_of(word) for word in classes} == classes
        assert one.class_of("zz") == ABSENT


def test_plurals_and_possessives_have_the_class_of_the_stem(tmp_path: Path) -> None:
    table = written(tmp_path, CLASSES)
    assert [table.class_of(w) for w in ("Loupes", "thyme's", "loup", "thymes\u2019")] == [
        5,
        4,
        0,
        4,
    ]


def test_foreign_letters_are_read_as_english_ones(tmp_path: Path) -> None:
    table = written(tmp_path, CLASSES)
    assert classify("s\u1ef1pported", table) == ("supported", ODD)
    assert classify("thym\u00eb", table) == ("thyme", ODD + 4)
    assert classify("caf\u00e9", table) == ("caf\u00e9", 4)  # in the vocabulary
    assert classify("xanax", table) == ("xanax", 2)
    assert plain_letters("w\u043erld") == "world"
    assert plain_letters("stra\u00dfe") == "strasse"


def test_features_of_words_outside_the_lexicon(tmp_path: Path) -> None:
    encoder = Encoder(
        Lexicon(["supported", "the"]), "abcdehloprstuy", vocabulary=written(tmp_path, CLASSES)
    )
    words = ["the", "s\u1ef1pported", "loupe", "zzz"]
    features = encoder.encode([[Token(0, word) for word in words]])
    assert features.classes.tolist() == [[0, ODD, 5, 0]]
    assert features.words.tolist() == [[4, 3, 1, 1]]


def test_without_a_vocabulary_there_are_no_classes() -> None:
    encoder = Encoder(Lexicon(["the"]), "eht")
    assert encoder.encode([[Token(0, "the")]]).classes.size == 0


@pytest.mark.parametrize("word", ["Big", "two words", "it's", "a1", "x" * 30])
def test_words_that_do_not_fit_are_errors(tmp_path: Path, word: str) -> None:
    with pytest.raises(Error, match="cannot be in a vocabulary"):
        write_vocabulary({word: 1}, tmp_path / "v.gz")


@pytest.mark.parametrize("data", [b"", b"text", b"\x1f\x8b\x08\x00damaged"])
def test_damaged_tables_are_errors(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "v.gz"
    path.write_bytes(data)
    with pytest.raises(Error, match=r"v\.gz: not a vocabulary, or damaged"):
        Vocabulary.read(path)


def test_class_ids_are_distinct() -> None:
    ids = [class_id(g, n) for g in ("unlisted", "common", "name", "technical") for n in range(3)]
    assert ids == list(range(ODD))
