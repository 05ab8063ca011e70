"""Which words of a dictionary can be suggested, and how they come to the model."""

from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pytest

import respell
from fakes import NEVER, Fake, fake_bundle, spelled
from respell.cli.main import main
from respell.corrector import Corrector
from respell.decision.user_words import MAX_SUGGESTED, accepted_words, suggested_words, user_casing
from respell.model.bundle import Bundle
from respell.model.compose import CHUNK, UserWordScorer
from respell.model.forward import Features, Floats, Ints, TopK
from respell.model.lexicon import Lexicon
from respell.types import Suggestion

WIDTH = 3


class Listener:
    """Composes rows of its own making, and thinks that every word is the first new word."""

    def __init__(self) -> None:
        self.composed: list[int] = []
        self.shown: list[Floats] = []

    def compose(self, spellings: Ints) -> Floats:
        self.composed.append(len(spellings))
        return np.repeat(spellings[:, 1:2], WIDTH, axis=1).astype(np.float32)

    def __call__(self, features: Features, gate: float) -> TopK:
        self.shown.append(features.new_words)
        if not len(features.new_words):
            return Fake(otherwise=NEVER)(features, gate)
        count = sum(map(len, spelled(features)))
        return TopK(
            keep=np.full(features.words.shape, 0.25, np.float32),
            positions=np.arange(count),
            ids=np.full((count, 1), len(fake_bundle().lexicon)),
            probabilities=np.full((count, 1), 0.75, np.float32),
            cases=np.zeros(count, np.int64),
        )

    def corrector(self, *words: str, bundle: Bundle | None = None) -> Corrector:
        forward = UserWordScorer(self, self.compose)
        return Corrector(bundle or fake_bundle(), forward, dictionary=words)


@pytest.mark.parametrize(
    ("word", "listed"),
    [
        ("Kubernetes", "kubernetes"),
        ("GitHub", "github"),
        ("o’clok", "o'clok"),
        ("the", None),  # the lexicon has it
        ("Zebra", None),
        ("twitter-bot", None),
        ("two words", None),
        ("Zaphod's", None),  # its parts are known, but it is no token
        ("py3", None),
        ("naïf", None),  # a character that this model does not know
        ("abcdefghijklmnopqrst", "abcdefghijklmnopqrst"),
        ("abcdefghijklmnopqrstu", None),
        ("", None),
    ],
)
def test_words_that_can_be_suggested(word: str, listed: str | None) -> None:
    assert suggested_words([word], fake_bundle().encoder) == (
        {} if listed is None else {listed: word}
    )
    assert word.lower().replace("’", "'") in set(accepted_words([word], fake_bundle().lexicon))


@pytest.mark.parametrize(
    ("word", "plurals"),
    [
        ("Kubeflow", "kubeflows"),
        ("quux", "quuxes"),
        ("blorpy", "blorpies"),
        ("Quickey", "quickeys"),
        ("foo-bar", "foos bars"),
        ("Zaphod's", "zaphods"),
        ("appl", None),  # the lexicon has its plural, which may be wrong where it stands
    ],
)
def test_the_plural_of_a_listed_word_is_accepted(word: str, plurals: str | None) -> None:
    bundle = fake_bundle()
    lexicon = Lexicon((*bundle.lexicon.words, "appls"))
    accepted = set(accepted_words([word], lexicon))
    assert set((plurals or "").split()) <= accepted
    assert "appls" not in accepted


def test_the_shipped_model_accepts_plurals_and_possessives_of_the_dictionary() -> None:
    listed = {"Kubeflow", "frobnitz", "blorpy", "it"}
    text = "All Kubeflows and two frobnitzes. The blorpies and Kubeflow\u2019s KUBEFLOWS' end."
    corrector = respell.load(dictionary=listed, threshold=0.1)
    assert corrector.check(text) == []
    assert corrector.check("A Kubflow and two kubeflwos.") != []
    assert corrector.correct("I think its raining.") == "I think it's raining."


def test_the_order_does_not_depend_on_the_set() -> None:
    words = ["Kubernetes", "kubernetes", "KUBERNETES", "Ansible", "GitHub", "Github"]
    found = suggested_words(words, fake_bundle().encoder)
    assert list(found.items()) == list(
        suggested_words(reversed(words), fake_bundle().encoder).items()
    )
    assert found == {"kubernetes": "kubernetes", "ansible": "Ansible", "github": "Github"}


def test_a_word_of_the_dictionary_is_suggested_as_it_is_listed() -> None:
    corrector = Listener().corrector("Kubernetes")
    (found,) = corrector.check("kubernets")
    assert found.suggestions == (Suggestion("Kubernetes", 0.75),)
    assert corrector.correct("Kubernetes kubernetes KUBERNETES") == (
        "Kubernetes kubernetes KUBERNETES"
    )
    explained = corrector.explain("Kubernetes", 0)
    assert (explained.keep, explained.candidates) == (1.0, ())  # naming it is keeping it


def test_a_dictionary_is_composed_once_and_when_it_is_needed() -> None:
    listener = Listener()
    corrector = listener.corrector("bcd", "cde")
    assert listener.composed == []
    for _ in range(3):
        corrector.check("bxd")
    assert listener.composed == [2]
    assert len(listener.shown) == 3
    assert all(rows is listener.shown[0] for rows in listener.shown)


def test_words_that_were_composed_before_are_not_again() -> None:
    listener = Listener()
    forward = UserWordScorer(listener, listener.compose)
    encoder = fake_bundle().encoder
    first = forward.compose(encoder.spell(["bcd", "cde"]))
    second = forward.compose(encoder.spell(["cde", "fgh", "bcd"]))
    assert listener.composed == [2, 1]
    assert np.array_equal(second[[2, 0]], first)
    many = [first + second for first in ascii_lowercase for second in ascii_lowercase]
    forward.compose(encoder.spell(many))
    assert listener.composed[2:] == [CHUNK, len(many) - CHUNK]


def test_the_preset_says_how_likely_listed_words_are() -> None:
    bundle = fake_bundle()
    biased = replace(bundle.config.presets["default"], dictionary_bias=2.5)
    config = replace(bundle.config, presets={"default": biased})
    listener = Listener()
    plain, raised = (
        listener.corrector("bcd"),
        listener.corrector("bcd", bundle=replace(bundle, config=config)),
    )
    plain.check("bxd")
    raised.check("bxd")
    without, with_bias = listener.shown
    assert np.array_equal(with_bias[:, :-1], without[:, :-1])
    assert np.array_equal(with_bias[:, -1], without[:, -1] + 2.5)


def test_nothing_new_changes_nothing() -> None:
    listener = Listener()
    assert listener.corrector("the", "zebra", "two words").check("teh zbra") == []
    assert [rows.size for rows in listener.shown] == [0]
    assert listener.composed == []
    fake = Fake({"teh": (("the", 0.9),)})  # a model that cannot compose
    corrector = Corrector(fake_bundle(), fake, dictionary=["Kubernetes"])
    assert corrector.correct("teh kubernets Kubernetes") == "the kubernets Kubernetes"


def test_the_shipped_model_suggests_words_of_the_dictionary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "She moved to Zalndo last year.\n"
    assert respell.load().correct(text) == text
    assert respell.load(dictionary={"Zalando"}).correct(text) == text.replace("Zalndo", "Zalando")
    listed, letter = tmp_path / "words.txt", tmp_path / "letter.txt"
    listed.write_text("Zalando\n", encoding="utf-8")
    letter.write_text(text, encoding="utf-8")
    assert main(["check", "--dictionary", str(listed), str(letter)]) == 1
    assert "Zalndo → Zalando" in capsys.readouterr().out


def test_of_a_very_long_dictionary_some_words_are_only_left_alone() -> None:
    encoder = fake_bundle().encoder
    listed = [a + b + c for a in ascii_lowercase for b in ascii_lowercase for c in "bcdfg"]
    suggested = suggested_words(listed, encoder)
    assert len(listed) > MAX_SUGGESTED
    assert list(suggested) == sorted(listed)[:MAX_SUGGESTED]


def test_remembered_rows_keep_nothing_else_alive() -> None:
    made = UserWordScorer(Fake(), lambda rows: np.ones((len(rows), 3), np.float32))
    made.compose(fake_bundle().encoder.spell(["bcd", "bcf"]))
    assert all(row.base is None for row in made._cache.values())


@pytest.mark.parametrize(
    ("words", "listed"),
    [
        (["Zebra"], {"zebra": "Zebra"}),
        (["ZeBra", "Apple"], {"apple": "Apple", "zebra": "ZeBra"}),
        (["zebra"], {}),
        (["Zebra", "zebra"], {}),  # small letters fit everywhere
        (["Zebra", "ZEBRA"], {"zebra": "Zebra"}),
        (["Kubernetes", "Zebra's", "two words", ""], {}),
    ],
)
def test_words_of_the_lexicon_that_are_listed_with_capitals(
    words: list[str], listed: dict[str, str]
) -> None:
    lexicon = fake_bundle().lexicon
    assert user_casing(words, lexicon) == listed
    assert user_casing(reversed(words), lexicon) == listed


def test_a_listed_word_of_the_lexicon_is_written_as_it_is_listed() -> None:
    fake = Fake({"zebbra": (("zebra", 0.9),)})  # a model that cannot compose
    corrector = Corrector(fake_bundle(), fake, dictionary=["ZeBra"])
    assert corrector.correct("zebbra Zebbra ZEBBRA zebra") == "ZeBra ZeBra ZEBRA zebra"
