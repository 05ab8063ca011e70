"""Corrections that are plain are written in, and the sentence is read again."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fakes import Fake, Ranking, fake_bundle
from respell.corrector import Corrector
from respell.model.encode import WORD_PAD
from respell.model.forward import Features, TopK

ANSWERS: Mapping[str, Ranking] = {
    "teh": (("the", 0.9),),
    "aple": (("apple", 0.6),),
    "zebbra": (("zebra", 0.3),),
}


def reader(fake: Fake, *, threshold: float = 0.8) -> Corrector:
    corrector = Corrector(fake_bundle(), fake)
    corrector.policy = replace(corrector.policy, rewrite_threshold=threshold)
    return corrector


def test_what_is_sure_is_read_as_if_it_had_been_written() -> None:
    fake = Fake(ANSWERS)
    found = reader(fake).check("Eat teh aple or teh zebbra")
    assert fake.seen == [
        ["eat", "teh", "aple", "or", "teh", "zebbra"],
        ["eat", "the", "aple", "or", "the", "zebbra"],
    ]
    said = [(c.start, c.original, c.suggestions[0].text) for c in found]
    assert said == [(4, "teh", "the"), (8, "aple", "apple"), (16, "teh", "the")]


def test_only_sentences_with_something_sure_and_something_else_are_read_again() -> None:
    fake = Fake(ANSWERS)
    sentences = [["teh", "aple"], ["aple"], ["its"], ["teh"]]
    assert list(reader(fake).correct_tokens_many(sentences)) == [
        ["the", "apple"],
        ["apple"],
        ["its"],
        ["the"],
    ]
    assert fake.seen[4:] == [["the", "aple"]]


def test_padding_is_in_no_doubt() -> None:
    class Doubtful(Fake):
        def __call__(self, features: Features, gate: float) -> TopK:
            found = super().__call__(features, gate)
            padding = features.words == WORD_PAD
            return replace(found, keep=np.where(padding, 0, found.keep).astype(np.float32))

    fake = Doubtful(ANSWERS)
    list(reader(fake).correct_tokens_many([["teh"], ["a", "longer", "one"]]))
    assert len(fake.seen) == 2


def test_what_is_settled_is_not_judged_again() -> None:
    fake = Fake({**ANSWERS, "the": (("zebra", 0.99),)})
    found = reader(fake).check("teh zebbra")
    assert fake.seen[1:] == [["the", "zebbra"]]
    assert [c.suggestions[0].text for c in found] == ["the"]


def test_without_such_a_bound_a_sentence_is_read_once() -> None:
    fake = Fake(ANSWERS)
    reader(fake, threshold=0.0).check("teh aple")
    assert len(fake.seen) == 1
