"""Words with digits or stray capitals inside are read as words, identifiers and names are not."""

from dataclasses import replace
from pathlib import Path

import pytest

from fakes import Fake, fake_bundle
from respell.corrector import Corrector
from respell.model.bundle import Bundle
from respell.model.hidden_words import is_hidden_word
from respell.model.lexicon import Lexicon
from respell.model.presets import Mode, Preset
from respell.model.vocabulary import Vocabulary, class_id, write_vocabulary
from respell.text.tokenize import tokenize
from respell.text.words import plain_letters

LEXICON = Lexicon("the hello became pages get name i phone iphone world".split())


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("he11o", "hello"),
        ("w0rld", "world"),
        ("sựpported", "supported"),
        ("sựpp0rted", "supported"),
        ("a11y", "a11y"),
        ("l10n", "l10n"),
        ("b2b", "b2b"),
        ("covid19", "covid19"),
        ("00th", "00th"),
        ("x-ray", "x-ray"),
        ("hello", "hello"),
    ],
)
def test_plain_letters(word: str, plain: str) -> None:
    assert plain_letters(word) == plain


@pytest.mark.parametrize(
    ("text", "light", "noisy"),
    [
        ("he11o", True, True),
        ("HE11O", True, True),
        ("h3llx", False, False),  # no word
        ("a11y", False, False),
        ("covid19", False, False),
        ("2nd", False, False),
        ("1990", False, False),
        ("becFame", False, True),
        ("bEcame", False, False),  # only its capitals are wrong
        ("getName", False, False),
        ("iPhone", False, False),
        ("getFoo", False, True),
        ("parseHTML", False, False),
        ("hello", False, False),
        ("foo_bar", False, False),
    ],
)
def test_hidden_words(text: str, *, light: bool, noisy: bool) -> None:
    (token,) = tokenize(text)
    assert is_hidden_word(token, LEXICON, noisy=False) is light
    assert is_hidden_word(token, LEXICON, noisy=True) is noisy


def bundle(folder: Path, mode: Mode) -> Bundle:
    table = folder / "vocabulary.gz"
    write_vocabulary({"aardvark": class_id("common", 1)}, table)
    plain = fake_bundle()
    config = replace(plain.config, presets={"default": Preset(threshold=0.5, mode=mode)})
    return replace(plain, config=config, vocabulary=Vocabulary.read(table))


def test_a_model_with_a_vocabulary_reads_them(tmp_path: Path) -> None:
    fake = Fake({"app1e": (("apple", 0.9),)})
    text = "We ate an App1e, not 1990 or a11y."
    assert Corrector(fake_bundle(), fake).check(text) == []
    fake = Fake({"apple": (("the", 0.9),)})  # the digit is read as a letter
    (found,) = Corrector(bundle(tmp_path, "light"), fake).check(text)
    assert (found.start, found.original, found.replacement) == (10, "App1e", "The")


def test_stray_capitals_in_noisy_text_only(tmp_path: Path) -> None:
    text = "It apPple here."
    noisy = Fake({"appple": (("apple", 0.9),)})
    assert Corrector(bundle(tmp_path, "noisy"), noisy).correct(text) == "It apple here."
    assert Corrector(bundle(tmp_path, "light"), noisy).correct(text) == text
    tokens = ["It", "apPple", "here"]
    fixed = Corrector(bundle(tmp_path, "noisy"), noisy).correct_tokens(tokens)
    assert fixed == ["It", "apple", "here"]
