"""Valid words outside the lexicon are suggested for unknown words that are spelled like them."""

from dataclasses import replace

import numpy as np
import pytest

from fakes import ALWAYS, NEVER, Fake, fake_bundle, spelled
from respell.corrector import Corrector
from respell.decision.valid_words import MOST, similar_words
from respell.decision.vocabulary import starting_with, table
from respell.model.bundle import Bundle
from respell.model.compose import UserWordScorer
from respell.model.forward import Features, Floats, Ints, TopK
from respell.model.lexicon import Lexicon
from respell.model.presets import Preset, check_presets

BIAS = 1.5


class Reader:
    """Doubts every word a little, and takes the first new word where there are any."""

    def __init__(self, doubt: float = 0.4) -> None:
        self.doubt = doubt
        self.shown: list[tuple[list[list[str]], Floats]] = []

    def compose(self, spellings: Ints) -> Floats:
        return np.repeat(spellings[:, 1:2], 3, axis=1).astype(np.float32)

    def __call__(self, features: Features, gate: float) -> TopK:
        self.shown.append((spelled(features), features.new_words))
        if not len(features.new_words):
            topk = Fake(otherwise=NEVER)(features, gate)
            return replace(topk, keep=topk.keep - np.float32(self.doubt))
        count = sum(map(len, spelled(features)))
        return TopK(
            keep=np.full(features.words.shape, 0.25, np.float32),
            positions=np.arange(count),
            ids=np.full((count, 1), len(fake_bundle().lexicon)),
            probabilities=np.full((count, 1), 0.75, np.float32),
            cases=np.zeros(count, np.int64),
        )


def bundle(bias: float | None = BIAS) -> Bundle:
    plain = fake_bundle()
    presets = {"default": Preset(threshold=0.5, vocabulary_bias=bias)}
    return replace(plain, config=replace(plain.config, presets=presets))


def corrector(reader: Reader, bias: float | None = BIAS, *words: str) -> Corrector:
    return Corrector(bundle(bias), UserWordScorer(reader, reader.compose), dictionary=words)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("dafodils", "daffodils"),
        ("endothrems", "endotherms"),
        ("viuducts", "viaducts"),
        ("kubernettes", "kubernetes"),
    ],
)
def test_similar_words(word: str, expected: str) -> None:
    found = similar_words(word, Lexicon(["the"]))
    assert expected in found
    assert len(found) <= MOST
    assert similar_words(word, Lexicon(["the", *found])) == []


@pytest.mark.parametrize("word", ["daffodils", "xqzvwjk", "abd", "", "3afodils", "wrng1"])
def test_no_similar_words(word: str) -> None:
    assert similar_words(word, Lexicon(["the"])) == []


def test_plurals_are_similar() -> None:
    found = similar_words("revolvencys", Lexicon(["the"]))
    assert found[:2] == ["revolvencies", "revolvency"]


def test_words_by_their_start() -> None:
    every = list(table("technical"))
    for prefix in ("a", "ku", "z", "é", "kubernetes", "qqqq"):
        expected = [word for word in every if word.startswith(prefix)]
        assert list(starting_with("technical", prefix)) == expected


def test_a_suspect_word_is_read_again_with_similar_words() -> None:
    reader = Reader()
    (found,) = corrector(reader).check("We saw gazket there.")
    assert (found.original, found.replacement, found.kind) == ("gazket", "gasket", "nonword")
    (_, none), (again, rows) = reader.shown
    assert none.size == 0
    assert again == [["we", "saw", "gazket", "there", "."]]
    plain = reader.compose(bundle().encoder.spell(["gasket"]))
    assert np.array_equal(rows[0], [*plain[0, :-1], plain[0, -1] + BIAS])


@pytest.mark.parametrize(
    ("text", "doubt", "bias"),
    [
        ("We saw gazket there.", 0.4, None),  # the preset does not want it
        ("We saw gazket there.", 0.05, BIAS),  # the model sees no error
        ("We saw Gazket there.", 0.4, BIAS),  # perhaps a name
        ("We saw gasket there.", 0.4, BIAS),  # valid
        ("We saw zebra there.", 0.4, BIAS),  # in the lexicon
    ],
)
def test_other_words_are_read_once(text: str, doubt: float, bias: float | None) -> None:
    reader = Reader(doubt)
    assert corrector(reader, bias).check(text) == []
    assert len(reader.shown) == 1


def test_a_word_of_the_dictionary_is_not_read_again() -> None:
    reader = Reader()
    assert corrector(reader, BIAS, "gazket").check("gazket") == []


def test_other_corrections_of_the_sentence_stay() -> None:
    reader, fake = Reader(), Fake({"saw": ALWAYS})

    def forward(features: Features, gate: float) -> TopK:
        if len(features.new_words):
            return reader(features, gate)
        topk = fake(features, gate)
        return replace(topk, keep=np.minimum(topk.keep, np.float32(0.6)))

    checked = Corrector(bundle(), UserWordScorer(forward, reader.compose))
    found = checked.check("We saw gazket there.")
    assert [(c.original, c.replacement) for c in found] == [
        ("saw", "zebra"),
        ("gazket", "gasket"),
    ]


def test_answers_do_not_depend_on_other_sentences() -> None:
    texts = ["We saw gazket.", "The viuduct stands.", "Both gazket and viuduct."]
    together = list(corrector(Reader()).check_many(texts))
    assert together == [corrector(Reader()).check(text) for text in texts]


def test_a_preset_with_a_bias_out_of_range() -> None:
    with pytest.raises(ValueError, match="vocabulary_bias must be between"):
        check_presets({"default": Preset(threshold=0.5, vocabulary_bias=21.0)})
