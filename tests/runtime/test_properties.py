"""Promises that hold for any text, with a model that wants to change every second word."""

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import respell
from fakes import fake_bundle
from respell.corrector import Corrector
from respell.model.encode import WORD_OFFSET, WORD_PAD, Casing
from respell.model.forward import Features, TopK

WORDS = ("a", "the", "their", "there", "it's", "i", "i'm", "café", "straße", "don't", "zebra", "of")
NAMES = ("default", "noisy", "exact")
SUGGESTIONS = 4
LENGTH = 12  # short, so that windows overlap even in short texts
BLANKS = ("\r\n", "\n\n", "  ", *"\r\n\t \u00a0\u2003\u2028\x85\x0b\x0c\x00")
UNSEEN = "\ufeff\u200b\u200d\u00ad\u2060\u202e\u2067\u0301\u0338\ufffc"
SCRIPTS = "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 ﬁ İ ı ß ẞ ǅ Ⅷ 𝔘𝔫𝔦 𐐷 ٣ ² שלום مرحبا 你好 नमस्ते".split()
MARKS = "` `` ``` ' ’ '' “ - -- _ … .".split()
CODE = (
    "https://a.b/c?d=e#f www. http:// a@b.co @me #tag C:\\x ~/y ./z.py f() a::b x_y camelCase "
    "--flag=1 &amp; U.S. R&D 3.5% 1st NASA"
).split()
SPELLINGS = "Teh TEH tEh recieve thier its it’s Bob's I dont jmups lazzy There THEIR".split()
PIECES = (
    st.sampled_from([*BLANKS, *UNSEEN, *SCRIPTS, *MARKS, *CODE])
    | st.sampled_from([*WORDS, *SPELLINGS])
    | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
)
TEXTS = st.lists(PIECES, max_size=16).map("".join) | st.lists(PIECES, max_size=16).map(" ".join)
MANY = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def fake_forward(features: Features, gate: float) -> TopK:
    """Doubt about every second word, by its spelling alone, and rank words at random there."""
    spelled = features.spellings[features.slots]  # [batch, length, width]
    weights = np.arange(1, spelled.shape[-1] + 1)
    keys = (spelled * weights).sum(axis=-1) * 31 + features.words * 17
    doubted = (keys % 2 == 0) & (features.words != WORD_PAD)  # [batch, length]
    positions = np.flatnonzero(doubted)  # [suspects]
    chosen = keys.ravel()[positions, None] // 2 + np.arange(SUGGESTIONS) * 5  # [suspects, k]
    ids = chosen % len(WORDS)
    # Of the words it knows, every second one is its own best correction, perhaps in another case.
    own = features.words.ravel()[positions] - WORD_OFFSET  # [suspects]
    ids[:, 0] = np.where((own >= 0) & (chosen[:, 0] % 2 == 0), own, ids[:, 0])
    ranks = np.array([0.6, 0.3, 0.05, 0.01], np.float32)
    return TopK(
        keep=np.where(doubted, 0.04, 1.0).astype(np.float32),
        positions=positions,
        ids=ids,
        probabilities=np.tile(ranks, (len(positions), 1)),
        cases=keys.ravel()[positions] % 4,
    )


@cache
def make_corrector(name: str) -> Corrector:
    casing: Casing = "exact" if name == "exact" else "lower"
    bundle = fake_bundle(words=WORDS, casing=casing, length=LENGTH)
    return Corrector(bundle, fake_forward, preset="noisy" if name == "noisy" else "default")


def check_promises(corrector: Corrector, text: str) -> int:
    """Assert what must hold of one text; the number of corrections tells that some were made."""
    corrections = corrector.check(text)
    rest, end = [], 0
    for correction in corrections:
        assert end <= correction.start < correction.end <= len(text)
        assert text[correction.start : correction.end] == correction.original
        assert correction.suggestions[0].text != correction.original
        assert correction.score == correction.suggestions[0].probability
        rest.append(text[end : correction.start])
        end = correction.end
    rest.append(text[end:])
    # The text is what was kept with the first suggestions in between, and nothing else.
    pieces = [rest[0]]
    for correction, kept in zip(corrections, rest[1:], strict=True):
        pieces += [correction.suggestions[0].text, kept]
    corrected = corrector.correct(text)
    assert corrected == "".join(pieces)
    assert corrected == respell.apply(text, corrections)
    return len(corrections)


def check_tokens(corrector: Corrector, text: str) -> None:
    tokens = text.split(" ")
    corrected = corrector.correct_tokens(tokens)
    assert len(corrected) == len(tokens)
    assert all(new == "" for old, new in zip(tokens, corrected, strict=True) if not old)


@given(text=TEXTS, name=st.sampled_from(NAMES))
@settings(MANY, max_examples=10_000)
def test_any_text_keeps_its_tokens_and_everything_between_them(text: str, name: str) -> None:
    check_promises(make_corrector(name), text)
    check_tokens(make_corrector(name), text)


@pytest.mark.parametrize("name", NAMES)
def test_the_fake_model_corrects_a_lot(name: str) -> None:
    text = "Teh qiuck borwn fox jmups ovre teh lazzy dog adn recieves thier lettres. " * 3
    assert check_promises(make_corrector(name), text) >= 6


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [*range(1, 4 * LENGTH), 1000])
def test_no_word_of_a_long_sentence_is_skipped(name: str, count: int) -> None:
    # The fake judges a word by its spelling alone, so each copy must be judged, and once.
    assert check_promises(make_corrector(name), "thier " * count) == count


@given(texts=st.lists(TEXTS, max_size=6), name=st.sampled_from(NAMES))
@settings(MANY, max_examples=300)
def test_a_text_is_checked_the_same_in_any_company(texts: list[str], name: str) -> None:
    corrector = make_corrector(name)
    assert list(corrector.check_many(texts)) == [corrector.check(text) for text in texts]
    sentences = [text.split(" ") for text in texts]
    together = list(corrector.correct_tokens_many(sentences))
    assert together == [corrector.correct_tokens(tokens) for tokens in sentences]
