"""Sentences are packed into rows."""

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from respell.lab.train.dataset import Corpus
from respell.lab.train.packing import Packed, Packer
from respell.model.lexicon import Lexicon
from respell.types import Error

CPU = torch.device("cpu")


def rows_of(packed: Packed) -> list[list[tuple[int, ...]]]:
    """The sentences of each row, as surface ids."""
    found = []
    for surfaces, segments in zip(packed.surfaces.tolist(), packed.segments.tolist(), strict=True):
        row: list[list[int]] = [[] for _ in range(max(segments))]
        for surface, segment in zip(surfaces, segments, strict=True):
            if segment:
                row[segment - 1].append(surface)
        found.append([tuple(sentence) for sentence in row])
    return found


def make_corpus(lengths: list[int]) -> Corpus:
    """A corpus whose tokens are all different."""
    total = sum(lengths)
    return Corpus(
        lexicon=Lexicon(f"w{i}" for i in range(total)),
        surfaces=(),
        tokens=np.arange(total, dtype=np.int32),
        shapes=(np.arange(total) % 4).astype(np.uint8),
        lengths=np.array(lengths, np.int32),
    )


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 12), min_size=1, max_size=60),
    rows=st.integers(1, 5),
    length=st.integers(1, 16),
    number=st.integers(0, 3),
)
def test_every_sentence_is_used_once_per_epoch(
    lengths: list[int], rows: int, length: int, number: int
) -> None:
    corpus = make_corpus(lengths)
    if min(lengths) > length:
        with pytest.raises(Error, match=f"at most {length} words"):
            Packer(corpus, rows=rows, length=length, device=CPU)
        return
    batches = list(Packer(corpus, rows=rows, length=length, device=CPU).epoch(7, number))
    ends = np.cumsum(lengths)
    every = {tuple(range(e - n, e)) for e, n in zip(ends, lengths, strict=True) if n <= length}
    seen = Counter(s for packed in batches for row in rows_of(packed) for s in row)
    assert set(seen) <= every
    assert set(seen.values()) == {1}
    assert all(packed.surfaces.shape[1] == length for packed in batches)
    if len(batches) > 1:
        assert {len(packed.surfaces) for packed in batches} == {rows}
    # Only sentences that do not fill a batch are left out.
    left = sum(len(sentence) for sentence in every - set(seen))
    assert left <= (rows - 1) * length
    if len(batches) == 1 and len(batches[0].surfaces) < rows:
        assert left == 0


@settings(max_examples=40, deadline=None)
@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=40))
def test_places_and_segments_count_within_a_row(lengths: list[int]) -> None:
    corpus = make_corpus(lengths)
    for packed in Packer(corpus, rows=2, length=10, device=CPU).epoch(1, 0):
        for row in range(len(packed.surfaces)):
            sentences = rows_of(packed)[row]
            used = sum(map(len, sentences))
            padding = [0] * (10 - used)
            segments = [i for i, s in enumerate(sentences, 1) for _ in s]
            assert packed.segments[row].tolist() == segments + padding
            assert packed.places[row].tolist() == [j for s in sentences for j in range(len(s))] + (
                padding
            )
            tokens = [token for s in sentences for token in s]
            assert packed.surfaces[row].tolist() == tokens + [-1] * len(padding)
            assert packed.shapes[row].tolist() == [token % 4 for token in tokens] + padding


def test_the_order_depends_on_seed_and_epoch(corpus: Corpus) -> None:
    def order(seed: int, number: int) -> list[int]:
        packer = Packer(corpus, rows=4, length=40, device=CPU)
        return [s for p in packer.epoch(seed, number) for s in p.surfaces.flatten().tolist()]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)
