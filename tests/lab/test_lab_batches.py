"""Batches: noise, targets, and the distinct spellings."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.synthetic import QWERTY
from respell.lab.train import batches
from respell.lab.train.batches import Batcher, distinct_rows
from respell.lab.train.dataset import Corpus
from respell.lab.train.models.base import Batch, Targets
from respell.lab.train.models.layers import PACK
from respell.lab.train.packing import Packed, Packer
from respell.model.encode import (
    CHAR_PAD,
    FIRST_CHARACTER,
    NOISE_FLAG,
    WORD_OFFSET,
    WORD_PAD,
    WORD_UNKNOWN,
)
from respell.text.tokenize import is_single_word

CPU = torch.device("cpu")


def pack(corpus: Corpus) -> Packed:
    return next(Packer(corpus, rows=8, length=40, device=CPU).epoch(1, 0))


def make_batcher(
    corpus: Corpus, pairs: dict[str, list[str]], noise: NoiseConfig, **options: Any
) -> Batcher:
    defaults: dict[str, Any] = {"casing": "lower", "spellings": 1.0}
    return Batcher(corpus, pairs, noise, length=40, device=CPU, **(defaults | options))


def make_batch(
    corpus: Corpus, noise: NoiseConfig, **options: Any
) -> tuple[Batcher, Packed, Batch, Targets]:
    packed = pack(corpus)
    batcher = make_batcher(corpus, tiny.MISSPELLINGS, noise, **options)
    batch, targets = batcher(packed, torch.Generator().manual_seed(4))
    return batcher, packed, batch, targets


def spelled(batcher: Batcher, batch: Batch) -> list[list[str]]:
    """The spelling of every word of a batch."""
    letters = dict(enumerate(batcher.characters, start=FIRST_CHARACTER))
    rows = batch.spellings[batch.slots][..., 1:].tolist()
    return [["".join(letters.get(c, "?") for c in w if c != CHAR_PAD) for w in row] for row in rows]


def surfaces_of(corpus: Corpus, packed: Packed) -> list[list[str]]:
    words = [*corpus.lexicon.words, *corpus.surfaces, ""]
    return [[words[surface] for surface in row] for row in packed.surfaces.tolist()]


def flatten(rows: list[list[str]] | Tensor) -> list[object]:
    return [x for row in (rows if isinstance(rows, list) else rows.tolist()) for x in row]


NATURAL = NoiseConfig(sigmas=(0.5,))
MIXED = NoiseConfig(sigmas=(0.5,), synthetic=0.5, mixed=True, mask=0.1, random_case=0.5)


@pytest.mark.parametrize("noise", [NATURAL, MIXED], ids=["natural", "mixed"])
def test_targets_match_the_changes(noise: NoiseConfig, corpus: Corpus) -> None:
    batcher, packed, batch, targets = make_batch(corpus, noise)
    gold, written = surfaces_of(corpus, packed), spelled(batcher, batch)
    for i, row in enumerate(gold):
        for j, word in enumerate(row):
            index = corpus.lexicon.index(word)
            assert targets.labels[i, j] == (-1 if index is None else index)
            if not targets.masked[i, j]:
                clean = "".join(c if c in batcher.characters else "?" for c in word)
                assert bool(targets.wrong[i, j]) == (written[i][j] != clean)
            known = corpus.lexicon.index(written[i][j])
            if word and not targets.masked[i, j]:
                expected = WORD_UNKNOWN if known is None else known + WORD_OFFSET
                assert batch.words[i, j] == expected
    assert targets.wrong.any()
    assert bool(targets.masked.any()) == (noise is MIXED)
    assert torch.equal(targets.shapes, packed.shapes)


def test_natural_noise_comes_from_the_lists(corpus: Corpus) -> None:
    batcher, packed, batch, targets = make_batch(corpus, NATURAL)
    pairs = zip(
        flatten(surfaces_of(corpus, packed)),
        flatten(spelled(batcher, batch)),
        flatten(targets.wrong),
        strict=True,
    )
    wrong = [(word, written) for word, written, changed in pairs if changed]
    assert len(wrong) > 20
    assert all(written in tiny.MISSPELLINGS[str(word)] for word, written in wrong)


def test_keyboard_noise_uses_neighbouring_keys(corpus: Corpus) -> None:
    noise = NoiseConfig(sigmas=(0.5,), synthetic=1.0, methods={"keyboard": 1})
    batcher, packed, batch, targets = make_batch(corpus, noise)
    triples = zip(
        flatten(surfaces_of(corpus, packed)),
        flatten(spelled(batcher, batch)),
        flatten(targets.wrong),
        strict=True,
    )
    typos = [(str(word), str(written)) for word, written, changed in triples if changed]
    assert len(typos) > 20
    for word, written in typos:
        ((old, new),) = [pair for pair in zip(word, written, strict=True) if pair[0] != pair[1]]
        assert new in QWERTY[old]


def test_words_outside_the_lexicon_stay_unchanged(corpus: Corpus) -> None:
    noise = NoiseConfig(sigmas=(9.0,), synthetic=1.0, mask=0.5)
    _, packed, batch, targets = make_batch(corpus, noise)
    outside = packed.surfaces >= len(corpus.lexicon)
    assert outside.any()
    assert not (targets.wrong | targets.masked)[outside].any()
    assert (targets.labels[outside] == -1).all()
    assert (batch.words[outside] == WORD_UNKNOWN).all()
    assert targets.checked[outside].all()  # the model learns to keep names


def test_punctuation_and_numbers_are_not_checked(corpus: Corpus) -> None:
    noise = NoiseConfig(sigmas=(9.0,), synthetic=1.0, mask=0.5)
    _, packed, batch, targets = make_batch(corpus, noise)
    words = flatten(surfaces_of(corpus, packed))
    kinds = [bool(word) and is_single_word(str(word)) for word in words]
    assert flatten(targets.checked) == kinds
    assert {".", ",", "0"} <= {word for word, kind in zip(words, kinds, strict=True) if not kind}
    assert not (targets.wrong | targets.masked)[~targets.checked].any()
    padding = packed.surfaces < 0
    assert padding.any()
    assert (batch.words[padding] == WORD_PAD).all()
    assert (targets.labels[padding] == -1).all()


def test_with_exact_casing_all_tokens_are_checked(base: Path) -> None:
    corpus = Corpus.read(tiny.build_folder(base, "exact"))
    noise = NoiseConfig(sigmas=(9.0,), synthetic=1.0)
    _, packed, _, targets = make_batch(corpus, noise, casing="exact")
    assert torch.equal(targets.checked, packed.surfaces >= 0)
    marks = {i for i, word in enumerate(corpus.lexicon) if not is_single_word(word.lower())}
    noised = set(packed.surfaces[targets.wrong].tolist())
    assert noised & marks


def test_words_without_room_are_not_trained(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, whole, reference = make_batch(corpus, MIXED)
    monkeypatch.setattr(batches, "SMALL", 1)
    _, packed, batch, targets = make_batch(corpus, MIXED, spellings=0.05)
    assert len(batch.spellings) < int(packed.surfaces.numel() * 0.05) + 3 * PACK
    rows = batch.spellings[batch.slots]
    fits = (rows == whole.spellings[whole.slots]).all(-1)
    columns = torch.cat([torch.full((count,), width) for count, width in batch.buckets])
    fits &= (rows != CHAR_PAD).sum(-1) <= columns[batch.slots]
    assert 0 < int(fits.sum()) < fits.numel()
    assert torch.equal(targets.labels, reference.labels.where(fits, -1))
    assert torch.equal(targets.wrong, reference.wrong & fits)
    assert torch.equal(targets.checked, reference.checked & fits)


def test_the_noise_flag_marks_noisy_sentences(corpus: Corpus) -> None:
    packed = pack(corpus)
    pairs = {word: ["xyz"] for word in corpus.lexicon.words}
    noise = NoiseConfig(clean=1.0, noisy=0.5)
    shapes = {}
    for flag in (False, True):
        batcher = make_batcher(corpus, {}, noise, noisy_pairs=pairs, noise_flag=flag)
        batch, targets = batcher(packed, torch.Generator().manual_seed(4))
        shapes[flag] = batch.shapes
    raised = shapes[True] - shapes[False]
    assert set(raised.flatten().tolist()) == {0, NOISE_FLAG}
    assert targets.wrong.any()
    assert (raised[targets.wrong] == NOISE_FLAG).all()
    for segment in range(1, int(packed.segments.max()) + 1):  # complete sentences are noisy
        for row in range(len(raised)):
            assert len(set(raised[row][packed.segments[row] == segment].tolist())) <= 1


def test_typos_of_the_text_are_not_checked(corpus: Corpus) -> None:
    packed = pack(corpus)
    outside = [s for s in corpus.surfaces if is_single_word(s)][:5]
    assert outside
    checked = []
    for misspellings in ((), frozenset([*outside, *corpus.lexicon.words[:50]])):
        noise = NoiseConfig(clean=1.0)
        batcher = make_batcher(corpus, {}, noise, listed_misspellings=misspellings)
        checked.append(batcher.checked)
        batcher(packed, torch.Generator().manual_seed(1))
    changed = (checked[0] != checked[1]).nonzero().flatten().tolist()
    words = [*corpus.lexicon.words, *corpus.surfaces]
    assert [words[i] for i in changed] == outside  # words of the lexicon stay checked


def test_noise_does_not_produce_valid_words(corpus: Corpus) -> None:
    packed = pack(corpus)
    noise = NoiseConfig(sigmas=(5.0,), synthetic=1.0, methods={"delete": 1})
    shortened = {w[:i] + w[i + 1 :] for w in corpus.lexicon.words for i in range(len(w))}
    valid = shortened - set(corpus.lexicon.words)

    def changed(valid_words: Collection[str]) -> set[str]:
        batcher = make_batcher(corpus, {}, noise, valid_words=valid_words)
        batch, targets = batcher(packed, torch.Generator().manual_seed(1))
        rows = batch.spellings[batch.slots[targets.wrong]]
        letters = [
            "".join(batcher.characters[c - FIRST_CHARACTER] for c in row if c > 3)
            for row in rows.tolist()
        ]
        return set(letters)

    assert changed(()) & valid
    assert not changed(valid) & valid


def test_inserted_words_are_the_labels(base: Path) -> None:
    case = "word_char_keep"
    batcher = tiny.batcher(base, case)
    batcher.noiser.config = NoiseConfig(
        sigmas=(0.0,), at_least_one=False, synthetic=0.5, mixed=True, inserted_rare_words=0.5
    )
    packed = tiny.packed_rows(base, case, rows=16)
    batch, targets = batcher(packed, torch.Generator().manual_seed(5))
    inserted = (targets.labels != packed.surfaces) & (targets.labels >= 0)
    assert inserted.sum() > 20
    assert targets.wrong[inserted].all()
    assert targets.checked[inserted].all()
    assert (batch.words[inserted] == WORD_UNKNOWN).all()
    unchanged = (targets.labels >= 0) & ~inserted & ~targets.wrong
    assert torch.equal(batch.words[unchanged], targets.labels[unchanged] + WORD_OFFSET)


def test_the_seed_determines_a_batch(corpus: Corpus) -> None:
    *_, first, targets = make_batch(corpus, MIXED)
    *_, again, same = make_batch(corpus, MIXED)
    assert torch.equal(first.words, again.words)
    assert torch.equal(first.spellings, again.spellings)
    assert torch.equal(targets.wrong, same.wrong)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=40),
    room=st.integers(1, 40),
)
def test_distinct_rows(rows: list[list[int]], room: int) -> None:
    tensor = torch.tensor(rows, dtype=torch.uint8)
    slots, distinct, fits = distinct_rows(tensor[None], [(room, 3)])
    assert slots.shape == fits.shape == (1, len(rows))
    slots, fits = slots[0], fits[0]
    assert distinct.shape == (room, 3)
    assert 0 <= int(slots.min()) <= int(slots.max()) < room
    assert torch.equal(distinct[slots[fits]], tensor[fits])
    unique = np.unique(np.array(rows), axis=0)
    spelled = np.unique(tensor[fits].numpy(), axis=0)
    assert len(spelled) == min(room, len(unique))
    assert len(set(slots[fits].tolist())) == len(spelled)
    kept = {tuple(row) for row in spelled.tolist()}
    assert fits.tolist() == [tuple(row) in kept for row in rows]


@settings(max_examples=150, deadline=None)
@given(
    words=st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=60),
    long=st.integers(1, 12),
    short=st.integers(1, 12),
)
def test_long_rows_come_first_and_are_not_cut(words: list[str], long: int, short: int) -> None:
    spelled = [[ord(c) for c in word.ljust(6, "\0")] for word in words]
    tensor = torch.tensor(spelled, dtype=torch.uint8)
    slots, distinct, fits = distinct_rows(tensor, [(long, 6), (short, 3)])
    assert torch.equal(distinct[slots[fits]], tensor[fits])
    lengths = (distinct != 0).sum(1)[slots]
    assert (lengths[fits & (slots >= long)] <= 3).all()
    ranked = sorted(set(words), key=len, reverse=True)
    if len(ranked) <= long + short and all(len(word) <= 3 for word in ranked[long:]):
        assert fits.all()


def test_distinct_rows_of_real_spellings(corpus: Corpus) -> None:
    words = [a + b for a in corpus.lexicon.words for b in corpus.lexicon.words][:2000]
    codes = np.array(words, "<U20").view(np.uint32).reshape(len(words), 20).astype(np.uint8)
    rows = torch.from_numpy(np.concatenate((codes, codes[::-1])))
    slots, distinct, fits = distinct_rows(rows, [(2000, 20)])
    assert fits.all()
    assert torch.equal(distinct[slots], rows)
    assert len(set(slots.tolist())) == len(np.unique(codes, axis=0))
