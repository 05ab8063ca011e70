import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.model.encode import (
    CHAR_PAD,
    CHAR_START,
    CHAR_UNKNOWN,
    FIRST_CHARACTER,
    LONGEST,
    NOISE_FLAG,
    WIDTH,
    WORD_OFFSET,
    WORD_PAD,
    WORD_UNKNOWN,
    Encoder,
    normalize,
)
from respell.model.lexicon import Lexicon
from respell.text.case import LOWER, TITLE, UPPER
from respell.text.tokenize import tokenize
from respell.types import Token, TokenKind

LEXICON = Lexicon(["the", "cat", ".", "00", "<code>", "it's"])
CHARACTERS = "eht'0a"  # unsorted, so that order matters
ENCODER = Encoder(LEXICON, CHARACTERS)


def _row(word: str) -> list[int]:
    """A word spelled the slow way."""
    ids = [
        CHARACTERS.index(c) + FIRST_CHARACTER if c in CHARACTERS else CHAR_UNKNOWN
        for c in word[:LONGEST]
    ]
    return [CHAR_START, *ids, *[CHAR_PAD] * (LONGEST - len(ids))]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("The", "word", "the"),
        ("It’s", "word", "it's"),
        ("3.14", "number", "0.00"),
        ("B2B", "number", "b0b"),
        ("٣rd", "number", "0rd"),
        ("NASA", "name", "nasa"),
        ("’S", "name", "'s"),
        ("https://a.b", "code", "<code>"),
        ("—", "mark", "—"),
    ],
)
def test_form(text: str, kind: TokenKind, expected: str) -> None:
    assert normalize(text, kind) == expected
    assert normalize(text, kind, "exact") == text


@given(st.lists(st.text(st.characters(exclude_characters="\0"))))
def test_spell_is_what_spelling_letter_by_letter_gives(words: list[str]) -> None:
    rows = ENCODER.spell(words)
    assert rows.shape == (len(words), WIDTH)
    assert rows.tolist() == [_row(word) for word in words]


@given(st.lists(st.text(st.characters() | st.sampled_from("\0\ud800\U0010ffff𝔘a"))))
def test_spell_never_raises(words: list[str]) -> None:
    rows = ENCODER.spell(words)
    assert rows.shape == (len(words), WIDTH)
    assert (rows[:, 0] == CHAR_START).all()
    assert rows.min(initial=0) >= 0
    assert rows.max(initial=0) < FIRST_CHARACTER + len(CHARACTERS)


def test_long_words_are_cut() -> None:
    assert ENCODER.spell(["t" * 500]).tolist() == [_row("t" * LONGEST)]


def test_encode_pads_to_the_longest_sentence() -> None:
    features = ENCODER.encode([tokenize("The CAT."), tokenize("zat"), []])
    the, cat, stop = (LEXICON.words.index(w) + WORD_OFFSET for w in ("the", "cat", "."))
    pad, unknown = WORD_PAD, WORD_UNKNOWN
    assert features.words.tolist() == [[the, cat, stop], [unknown, pad, pad], [pad, pad, pad]]
    # A line of two words does not shout: the name CAT keeps its shape.
    assert features.shapes.tolist() == [[TITLE, UPPER, LOWER], [TITLE, LOWER, LOWER], [LOWER] * 3]
    spelled = features.spellings[features.slots]  # [batch, length, WIDTH]
    assert spelled.tolist() == [
        [_row("the"), _row("cat"), _row(".")],
        [_row("zat"), _row(""), _row("")],
        [_row(""), _row(""), _row("")],
    ]


def test_a_model_can_be_told_of_heavy_corruption() -> None:
    lexicon = Lexicon(["one"])
    sentences = [tokenize("One two"), tokenize("THREE")]
    plain = Encoder(lexicon, "enotw").encode(sentences)
    flagged = Encoder(lexicon, "enotw", noisy=True).encode(sentences)
    assert (flagged.shapes - plain.shapes == NOISE_FLAG).all()
    assert plain.shapes.max() < NOISE_FLAG


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("the cat i'm told", [TITLE, LOWER, TITLE, LOWER]),
        ('" and i', [LOWER, TITLE, TITLE]),
        ("the cat i Mean", [LOWER, LOWER, LOWER, TITLE]),
        ("3 : 4", [LOWER, LOWER, LOWER]),
        ("3 cats", [LOWER, LOWER]),
    ],
)
def test_who_writes_no_capitals_means_nothing_by_it(text: str, shapes: list[int]) -> None:
    assert ENCODER.encode([tokenize(text)]).shapes.tolist() == [shapes]


def test_a_spelling_is_written_once() -> None:
    features = ENCODER.encode([tokenize("the The THE zat zat")])
    assert features.spellings.tolist() == [_row(""), _row("the"), _row("zat")]
    assert features.slots.tolist() == [[1, 1, 1, 2, 2]]


def test_a_folded_model_spells_out_unknown_words_only() -> None:
    features = Encoder(LEXICON, CHARACTERS, spell_oov_only=True).encode([tokenize("the zat cat")])
    assert features.spellings.tolist() == [_row(""), _row("zat")]
    assert features.slots.tolist() == [[0, 1, 0]]
    assert features.words.tolist() == ENCODER.encode([tokenize("the zat cat")]).words.tolist()


def test_numbers_and_code_share_a_form() -> None:
    features = ENCODER.encode([tokenize("42 https://a.b 17 x_y")])
    number, code = (LEXICON.words.index(w) + WORD_OFFSET for w in ("00", "<code>"))
    assert features.words.tolist() == [[number, code, number, code]]


def test_exact_forms_are_taken_as_they_are() -> None:
    encoder = Encoder(Lexicon(["The", "42"]), CHARACTERS, "exact")
    tokens = [Token(0, "The"), Token(4, "the"), Token(8, "42", "number")]
    assert encoder.encode([tokens]).words.tolist() == [[WORD_OFFSET, WORD_UNKNOWN, WORD_OFFSET + 1]]


@given(st.lists(st.text(), max_size=4))
def test_any_text_can_be_encoded(texts: list[str]) -> None:
    sentences = [tokenize(text) for text in texts]
    features = ENCODER.encode(sentences)
    length = max(map(len, sentences), default=0)
    assert features.words.shape == features.shapes.shape == (len(texts), length)
    assert [(row != WORD_PAD).sum() for row in features.words] == [len(s) for s in sentences]
    assert features.slots.max(initial=0) < len(features.spellings)
    assert {a.dtype for a in (features.words, features.slots, features.spellings)} == {
        np.dtype(np.int64)
    }


@given(st.lists(st.text("theca .’A1"), min_size=1, max_size=4))
def test_a_sentence_is_encoded_the_same_in_any_company(texts: list[str]) -> None:
    together = ENCODER.encode([tokenize(text) for text in texts])
    for i, text in enumerate(texts):
        alone = ENCODER.encode([tokenize(text)])
        n = alone.words.shape[1]
        assert together.words[i, :n].tolist() == alone.words[0].tolist()
        assert together.shapes[i, :n].tolist() == alone.shapes[0].tolist()
        assert (
            together.spellings[together.slots[i, :n]].tolist()
            == alone.spellings[alone.slots[0]].tolist()
        )
