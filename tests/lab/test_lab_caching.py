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
def test_each_batch_is_computed_once_per_gate(calls: list[tuple[str, float]]) -> None:
    fake, encoder = Fake(otherwise=ALWAYS), fake_bundle().encoder
    cached, plain = CachedForward(fake), Fake(otherwise=ALWAYS)
    for text, gate in calls * 2:
        features = encoder.encode([tokenize(text)])
        found, expected = cached(features, gate), plain(features, gate)
        assert np.array_equal(found.keep, expected.keep)
        assert np.array_equal(found.ids, expected.ids)
    assert len(fake.gates) == len(set(calls))


def test_all_features_are_part_of_the_key() -> None:
    fake = Fake(otherwise=ALWAYS)
    cached = CachedForward(fake)
    features = fake_bundle().encoder.encode([tokenize("abc b")])
    capitals = replace(features, shapes=features.shapes + 1)
    new = replace(features, new_words=np.zeros((1, 3), np.float32))
    for one in (features, capitals, new, features):
        cached(one, 0.5)
    assert len(fake.gates) == 3


def test_corrector_with_a_cache() -> None:
    text = "teh recieve teh"
    fake = Fake({"teh": (("the", 0.9),)})
    corrector = Corrector(fake_bundle(), CachedForward(fake))
    assert corrector.correct(text) == corrector.correct(text) == "the recieve the"
    assert len(fake.gates) == 1
