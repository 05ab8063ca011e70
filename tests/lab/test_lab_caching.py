from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fakes import ALWAYS, Fake, fake_bundle
from respell.corrector import Corrector
from respell.lab.tune.caching import CachedForward
from respell.text.tokenize import tokenize

SENTENCES = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=4).map(" ".join)


@given(st.lists(st.tuples(SENTENCES, st.sampled_from([0.0, 0.3, 0.5])), min_size=1, max_size=6))
def test_each_batch_is_computed_once_for_each_gate(asked: list[tuple[str, float]]) -> None:
    fake, encoder = Fake(otherwise=ALWAYS), fake_bundle().encoder
    remembering, plain = CachedForward(fake), Fake(otherwise=ALWAYS)
    for text, gate in asked * 2:
        features = encoder.encode([tokenize(text)])
        said, wanted = remembering(features, gate), plain(features, gate)
        assert np.array_equal(said.keep, wanted.keep)
        assert np.array_equal(said.ids, wanted.ids)
    assert len(fake.gates) == len(set(asked))


def test_what_differs_in_any_part_is_asked_anew() -> None:
    fake = Fake(otherwise=ALWAYS)
    remembering = CachedForward(fake)
    features = fake_bundle().encoder.encode([tokenize("abc b")])
    shouted = replace(features, shapes=features.shapes + 1)
    new = replace(features, new_words=np.zeros((1, 3), np.float32))
    for one in (features, shouted, new, features):
        remembering(one, 0.5)
    assert len(fake.gates) == 3


def test_a_corrector_says_the_same() -> None:
    text = "teh recieve teh"
    fake = Fake({"teh": (("the", 0.9),)})
    corrector = Corrector(fake_bundle(), CachedForward(fake))
    assert corrector.correct(text) == corrector.correct(text) == "the recieve the"
    assert len(fake.gates) == 1
